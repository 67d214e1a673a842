"""What is recorded of a run, compared with what was there."""
