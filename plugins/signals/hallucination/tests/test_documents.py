"""The values of documents."""

from sentinel_signal_hallucination.ledger.documents import leaves


def nested(value, depth):
    for _ in range(depth):
        value = {"in": value}
    return value


def test_values_lie_in_documents_of_eight_levels_at_most():
    assert [leaf.value.kind for leaf in leaves(nested("W1234567", 8))] == ["identifier"]
    assert leaves(nested("W1234567", 9)) == []
    assert leaves(nested("W1234567", 300)) == []


def test_fields_have_one_name_and_lists_are_left_out_where_they_are_not_wanted():
    document = {"newOrderIds": ["W1234567"], "order_id": "W7654321"}
    assert [leaf[0] for leaf in leaves(document)] == ["order_id", "order_id"]
    assert [leaf[2] for leaf in leaves(document, has_lists=False)] == ["W7654321"]
