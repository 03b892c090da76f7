"""The command line as a process of its own that can be interrupted, however the tests were started."""

import sys

# In the background (`make test &`, nohup) SIGINT is inherited as ignored.
PROGRAM = [
    sys.executable,
    "-c",
    "import signal; signal.signal(signal.SIGINT, signal.default_int_handler)\n"
    "from toysearch.__main__ import main\nmain()",
]
