"""Results on disk: one file per result, from which it comes back as it was."""
