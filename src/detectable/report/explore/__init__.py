"""The explorer: saved results in a browser, from the verdict down to single segments."""
