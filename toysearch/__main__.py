"""The entry point of `toysearch` and `python -m toysearch`; little is loaded before Ctrl-C works."""

import gc
import os
import sys

try:
    from toysearch.base.interrupts import answer_at_once
except KeyboardInterrupt:  # too early to say so
    os._exit(130)


def main() -> None:
    """Run the command line: the console script's entry."""
    answer_at_once()
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:  # closed; else the first file that is opened would take its number
            setattr(sys, name, open(os.devnull, mode, encoding="utf-8"))  # noqa: SIM115  (it stays open)
    # A command keeps its data to the end: garbage collection among a million ids finds nothing and takes a tenth of the
    # time.
    gc.set_threshold(1_000_000)
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # no command needs the threads that numpy would start
    try:
        from toysearch.cli.main import main as run
    except (OSError, MemoryError, ImportError) as error:  # too few files may be open, or too little memory is left
        sys.exit(f"toysearch: cannot start: {str(error) or 'not enough memory'}")
    try:
        run()
    finally:
        gc.freeze()  # the end of the process looks for no garbage either


if __name__ == "__main__":
    main()
