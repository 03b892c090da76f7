"""The entry point of `toysearch` and `python -m toysearch`; little is loaded before Ctrl-C works."""

import os

from toysearch.base.interrupts import answer_at_once


def main() -> None:
    """Run the command line: the console script's entry."""
    answer_at_once()
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # no command needs the threads that numpy would start
    try:
        from toysearch.cli.main import main as run
    except (OSError, MemoryError, ImportError) as error:  # too few files may be open, or too little memory is left
        import sys

        sys.exit(f"toysearch: cannot start: {str(error) or 'not enough memory'}")
    run()


if __name__ == "__main__":
    main()
