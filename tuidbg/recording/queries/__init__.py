"""Queries of a recording: what changed a value, when, how often, and differences."""
