import importlib.util
import sys
from pathlib import Path


def _load(name: str) -> None:
    """Test folders are no packages: a module of samples is loaded by its path, once."""
    if name not in sys.modules:
        spec = importlib.util.spec_from_file_location(name, Path(__file__).with_name(f"{name}.py"))
        sys.modules[name] = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(sys.modules[name])


_load("coding_samples")
