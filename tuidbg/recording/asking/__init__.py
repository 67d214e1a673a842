"""Questions to a recording: who changed what, when, how often, and what differs."""
