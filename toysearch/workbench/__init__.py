"""The workbench: tune, ablate, learn, judge and report, to improve a ranking."""
