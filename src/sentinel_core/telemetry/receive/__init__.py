"""The OTLP receiver: spans over HTTP on this machine, gathered, and handed on in files to be judged."""
