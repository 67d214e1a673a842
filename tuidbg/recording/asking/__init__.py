"""Questions to a recording: expressions, who changed what, when, how often, and what differs."""
