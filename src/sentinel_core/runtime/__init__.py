"""The lowest room: processes, files, HTTP, secrets, and text that is safe to show."""
