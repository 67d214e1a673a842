"""The profile of js-debug: JavaScript and TypeScript."""
