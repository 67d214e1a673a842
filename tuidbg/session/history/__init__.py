"""The stops that there were, as they were seen."""
