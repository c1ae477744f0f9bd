"""One file per result type, named after it, with a function `show` that returns its blocks."""
