"""What the page of raters says, a file for every language that it speaks."""
