"""The tools that ask a recorded run."""
