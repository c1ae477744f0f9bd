"""What is in these files, what can they answer, and what to type next."""
