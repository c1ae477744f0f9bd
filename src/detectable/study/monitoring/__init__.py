"""Plan an evaluation, look while it runs, conclude."""
