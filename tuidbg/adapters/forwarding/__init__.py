"""Programs of another machine over one connection that may break and return."""
