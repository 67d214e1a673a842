"""The dialogs: small modal screens that ask one thing and give it back."""
