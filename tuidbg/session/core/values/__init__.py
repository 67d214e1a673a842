"""Variables, tables and watches: values and their contents."""
