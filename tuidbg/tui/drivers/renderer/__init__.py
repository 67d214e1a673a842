"""What a terminal shows, cell by cell: only changes are sent."""
