"""What a program does just now, told while it runs as well."""
