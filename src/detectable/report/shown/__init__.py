"""What each kind of result shows: one file with its blocks, its pictures and its words."""
