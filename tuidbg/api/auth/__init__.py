"""Authorization of callers, and the limits of each request."""
