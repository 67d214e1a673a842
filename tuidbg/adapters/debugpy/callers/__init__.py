"""Programs that call us: debugpy's server in the program itself, spoken to without an adapter."""
