"""What the working tree showed, as JSON and back."""

import pytest

from sentinel_core.evaluate.facts.witness import Witness

ALL = Witness({"a.py": "changed"}, ("c1",), ("up/main",), is_pushed=True)


@pytest.mark.parametrize("witness", [ALL, Witness({}), Witness({}, (), (), is_pushed=False)])
def test_a_document_has_all_of_it(witness):
    assert Witness.of(witness.document()) == witness


def test_what_is_in_no_known_form_is_left_out():
    odd = {"paths": {"a.py": "eaten", "b.py": "absent"}, "commits": 3, "pushes": "all", "is_pushed": "yes"}
    assert Witness.of(odd) == Witness({"b.py": "absent"})


@pytest.mark.parametrize("document", [None, [], {}, {"paths": []}])
def test_no_witness_is_refused(document):
    with pytest.raises(ValueError, match="a witness is a JSON object"):
        Witness.of(document)
