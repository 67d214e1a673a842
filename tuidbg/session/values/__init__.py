"""Variables, tables and watches: what values are and what is in them."""
