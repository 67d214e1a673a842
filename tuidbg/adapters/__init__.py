"""The outside world of a session: adapter processes, their streams, the program's terminal."""
