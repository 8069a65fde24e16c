"""Whether a service on this machine answers: any answer below 500 is one.

python healthy.py http://127.0.0.1:8471/healthz
"""

import sys
import urllib.error
import urllib.request

_SECONDS = 4.0
_SERVER_ERROR = 500

__all__ = ["is_healthy"]


def is_healthy(address: str) -> bool:
    """True where it answers in time; 404 says that somebody is there."""
    try:
        with urllib.request.urlopen(address, timeout=_SECONDS) as answer:  # noqa: S310 - the image names the address
            return int(answer.status) < _SERVER_ERROR
    except urllib.error.HTTPError as error:
        return error.code < _SERVER_ERROR
    except (OSError, ValueError):
        return False


if __name__ == "__main__":
    sys.exit(not is_healthy(sys.argv[1]))
