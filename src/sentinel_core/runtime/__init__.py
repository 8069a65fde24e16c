"""Below everything: processes, files, HTTP, secrets, and text that is safe to show."""
