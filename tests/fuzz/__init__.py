"""Bad input: every command, every format, every option, and nothing but sentences in answer."""
