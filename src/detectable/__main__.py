"""``python -m detectable``."""

from detectable.cli.at_once import run

if __name__ == "__main__":
    run()
