"""What is a secret by its name in a message, and beside others."""
