"""The command line: its frame, and the commands of the core."""
