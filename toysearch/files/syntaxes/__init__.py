"""Syntaxes: one file per way in which records lie in bytes."""
