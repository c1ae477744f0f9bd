"""What the package bundles to try everything on: a campaign with a planted truth."""
