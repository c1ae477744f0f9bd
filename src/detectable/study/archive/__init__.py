"""All pairs of systems in an archive of campaigns."""
