"""The picture on a terminal, cell by cell: only what has changed is sent."""
