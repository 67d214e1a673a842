"""Planted bugs, and what an agent that knows only the symptom calls to find each."""
