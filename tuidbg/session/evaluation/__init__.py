"""Expressions that the stopped program evaluates."""
