"""Make the tasks that annotators work on."""
