"""The terminal's contents, cell by cell: only changes are sent."""
