"""What programs ask of all processes of a job at once."""
