"""F: valid files of every format, written in other ways that mean the same: indented, with line ends at odd places, with a
byte order mark, packed. Each is read as the file itself.
"""

import json
import sys
from pathlib import Path

from soaking import chance_of, seeds

from sentinel_core.host.plugins import load, select
from sentinel_core.host.selection import Selection
from sentinel_core.testing import BytesSource
from sentinel_core.trace import ExecutionTrace, to_json
from sentinel_core.traces.sources import choose_reader

sys.path.insert(0, str(Path(__file__).parents[2] / "benchmarks"))
from format_samples import format_samples
from tables import each_row

SAMPLES = format_samples()
READERS = [plugin.offer for plugin in load(select(Selection(), ("trace_readers",))[0])[0]]


def traces(data, name):
    """What is read, without where in the file it stands."""
    source = BytesSource(data=data, name=name)
    found = list(choose_reader(source, READERS).read(source))
    assert all(isinstance(one, ExecutionTrace) for one in found), found
    return [without_places(json.loads(to_json(one))) for one in found]


def without_places(value):
    if isinstance(value, dict):
        return {key: without_places(inner) for key, inner in value.items() if key != "origin"}
    return [without_places(inner) for inner in value] if isinstance(value, list) else value


def written_anew(value, chance):
    """The same JSON with white space where JSON allows it."""
    space = chance.choice(("", " ", "\n", "\r\n", "\n  ", "\t"))
    if isinstance(value, dict):
        inner = ",".join(f"{space}{json.dumps(key)}:{space}{written_anew(one, chance)}" for key, one in value.items())
        return f"{{{inner}{space}}}"
    if isinstance(value, list):
        return f"[{','.join(space + written_anew(one, chance) for one in value)}{space}]"
    return json.dumps(value, ensure_ascii=chance.random() < 0.5)


@each_row("seed", seeds(2, 60))
@each_row("name", SAMPLES)
def test_a_document_may_be_written_in_any_way(name, seed):
    data, chance = SAMPLES[name], chance_of(name, seed)
    try:
        value = json.loads(data)
    except ValueError:
        lines = [json.loads(line) for line in data.splitlines() if line.strip()]
        ends = chance.choice(("\n", "\r\n", "\n\n"))
        anew = ends.join(json.dumps(line, ensure_ascii=False) for line in lines).encode() + ends.encode()
    else:
        anew = written_anew(value, chance).encode()
    if chance.random() < 0.3:
        anew = b"\xef\xbb\xbf" + anew
    assert traces(anew, f"made-up-{name}") == traces(data, f"made-up-{name}")
