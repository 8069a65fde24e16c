"""The version of the host, which every built-in plugin pins."""

__all__ = ["__version__"]

__version__ = "0.1.0"
