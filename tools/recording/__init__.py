"""The parts of `tools/record.py`: what is recorded, on which inputs, and how two records are compared."""
