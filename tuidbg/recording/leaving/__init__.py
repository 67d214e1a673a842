"""What a program leaves by itself: files of a test, or of one moment, without tuidbg beside it.

This runs in the person's own program, so it takes nothing but the standard library. What is written
to a file is hidden by the names of secrets here, whoever writes it.
"""
