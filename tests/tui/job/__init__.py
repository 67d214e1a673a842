"""The view of a job."""
