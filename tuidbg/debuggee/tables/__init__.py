"""Tables: their kinds, columns and records, filters and orders."""
