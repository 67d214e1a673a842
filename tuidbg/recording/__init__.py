"""What a program did, line by line: recorded inside it (``inside``), read and asked here."""
