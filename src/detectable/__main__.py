"""``python -m detectable``."""

from detectable.cli import main

if __name__ == "__main__":
    main()
