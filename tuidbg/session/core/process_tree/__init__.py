"""The processes of one program, and programs that were started together."""
