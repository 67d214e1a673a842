"""The patches of debugpy and pydevd: their registry, and those of the adapter's process."""
