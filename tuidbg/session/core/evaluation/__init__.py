"""Evaluation of expressions in the stopped program."""
