"""Debug adapters: processes, connections, profiles, and the program's terminal."""
