"""Where a step goes: into awaits and tasks, calls that are told apart, threads that are held."""
