"""The stops of a session as they were seen."""
