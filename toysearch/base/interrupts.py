"""Ctrl-C before and after the work of a command: the process ends at once, because there is nothing to clean up."""

# Imports here are loaded before Ctrl-C works: keep them few.

import os
import signal

STATUS = 128 + 2
"""Exit code, as a shell reports a program that SIGINT ended."""

SENTENCE = "toysearch: interrupted"


def answer_at_once() -> None:
    """Let Ctrl-C end the process from here on, with one line on stderr; change nothing if it is ignored (nohup)."""
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, end)


def end(number: int, frame: object) -> None:
    """Answer the signal."""
    os.write(2, f"{SENTENCE}\n".encode())
    os._exit(STATUS)


def answer_signals() -> None:
    """Let Python answer signals that came during a compiled loop: it does so at the start of every function."""
