"""Forwarding of remote programs over one connection that may break and be restored."""
