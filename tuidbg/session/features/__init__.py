"""What a session can do beyond its core; none imports another."""
