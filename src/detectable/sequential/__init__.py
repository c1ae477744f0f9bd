"""Layer sequential: look at the data while they come in, stop when they suffice, err no more often."""
