"""Numbers that follow from a result in one step of arithmetic, each beside a lie of the same shape."""

import json
import random
import subprocess
import sys

import pytest

from sentinel_signal_hallucination.rows import Rows
from sentinel_signal_hallucination.units import Quantity, units_named

CART = '{"items": [{"price": 15, "name": "a"}, {"price": 15, "name": "b"}]}'
LINES = '{"items": [{"price": 10, "quantity": 2}, {"price": 10, "quantity": 5}]}'
READINGS = '{"readings": [10, 20, 45], "total": 3, "mean": 3}'
PRICES = '{"prices": [1200,1500,1800], "price": 9}'
DISCOUNT = '{"price": 250, "discount_percent": 10}'
RAIN = '{"days": {"mon": {"rain": 4, "h": 1}, "tue": {"rain": 4, "h": 2}}}'

# A result, what follows from it, and what does not.
UNITS = [
    ('{"temperature": 20}', "The temperature is 68°F.", "The temperature is 86°F."),
    (
        '{"temperature": -5, "unit": "celsius"}',
        "It is cold: temperature of 23 degrees Fahrenheit.",
        "Temperature: 32 °F",
    ),
    ('{"temperature": 86, "unit": "F"}', "The temperature is **30 °C**.", "The temperature is **36 °C**."),
    ('{"temperature": 300, "unit": "kelvin"}', "The temperature is 27 °C.", "The temperature is 127 °C."),
    ('{"distance": 42.195}', "The distance is 26.2 miles.", "The distance is 62.2 miles."),
    ('{"distance": 100, "unit": "miles"}', "Distance: 161 km", "Distance: 62 km"),
    ('{"weight": 70}', "The weight is 154 lb.", "The weight is 145 lb."),
    ('{"speed": 100}', "The speed is 62 mph.", "The speed is 72 mph."),
    ('{"size": 5242880}', "Size: 5 MB", "Size: 5 GB"),
    ('{"size": 2500000}', "The size is **2.5** MB.", "The size is **3.5** MB."),
    ('{"size": 1610612736}', "The size is 1.5 GB.", "The size is 2.5 GB."),
    ('{"size": 2560, "unit": "MB"}', "The size is 2.5 GB.", "The size is 4.5 GB."),
    ('{"duration": 7200}', "The duration is 2 hours.", "The duration is 3 hours."),
    ('{"duration": 9000}', "The duration is 2 hours and 30 minutes.", "The duration is 2 hours and 45 minutes."),
    ('{"duration": 180000}', "The duration is 3 minutes.", "The duration is 4 minutes."),
    ('{"amount": 2000}', "The amount is $20.", "The amount is $25."),
    ('{"temperature": 20}', "The temperature is 68°F.", "The temperature is 68."),
    ('{"temperature": 20}', "The temperature is 68°F.", "The temperature is 68 km."),
    ('{"temperature": 20}', "The temperature is 68°F.", "Temperature: 68 of them."),
]
AGGREGATES = [
    (CART, "The total price is $30.", "The total price is $45."),
    (CART, "The total price is $30.", "The price is $30."),
    (LINES, "The total price is $70.", "The total price is $80."),
    ('{"price": 10, "quantity": 3}', "The total price is $30.", "The total price is $40."),
    ('{"price": 10, "quantity": 3}', "The total price is $30.", "The price is $30.40."),
    ('{"suites": [{"failed": 3, "a": 1}, {"failed": 3, "a": 2}]}', "6 tests failed.", "9 tests failed."),
    (READINGS, "For the readings, the total is 75.", "For the readings, the total is 95."),
    (READINGS, "For the readings, the mean is 25.", "For the readings, the mean is 35."),
    ('{"readings": [10, 20, 45, 61], "median": 3}', "For the readings, the median is 32.5.", "The median is 32.5."),
    (READINGS, "For the readings, the total is 75.", "The total is 75."),
    (PRICES, "The lowest price is 1,200.", "The lowest price is 1,300."),
    (PRICES, "The highest price is 1,800.", "The highest price is 1,900."),
    (RAIN, "The total rain is 8.", "The total rain is 9."),
]
RATES = [
    (DISCOUNT, "With the discount the price is $225.", "With the discount the price is $205."),
    (DISCOUNT, "With the discount the price is $225.", "The price is $225."),
    (DISCOUNT, "With 10% off, the price is $225.", "With 10% off, the price is $275."),
    (DISCOUNT, "With 10% off, the price is $225.", "With 20% off, the price is $200."),
    ('{"price": 250, "tax_percent": 20}', "20% of the price is $50.", "20% of the price is $60."),
    (DISCOUNT, "With 10% off, the price is $225.", "With the tax the price is $275."),
    ('{"price": 200, "tax_rate": 0.08}', "With 8% tax the price is $216.", "With 8% tax the price is $226."),
    ('{"price": 200, "tax": 0.08}', "The price with tax is $216.", "The tax is $216."),
    ('{"price": 250, "discount": 0.1}', "The price, less the discount, is $225.", "The discount is $225."),
    ('{"price": 250, "tax": 8}', "The tax is $20.", "The tax is $30."),
]
SHARES = [
    ('{"price": 100, "old_price": 80}', "The increase in price is 25%.", "The increase in price is 35%."),
    ('{"price": 100, "rating": 80}', "The price is $100.", "The increase in price is 35%."),
    ('{"sales_2023": 80, "sales_2024": 100, "growth": 3}', "The growth is 25%.", "The growth is 45%."),
    ('{"passed": 3, "results": ["a", "b", "c", "d"]}', "Passed: 75%", "Passed: 85%"),
    ('{"passed": 3, "results": ["a", "b", "c", "d"]}', "Passed: 75%", "Passed: 75 in all"),
    ('{"sum": {"passed": 2, "x": 70}, "meta": {"total": 50}}', "Passed: 4%", "Passed: 14%"),
]


def rules(script, answer, *results, asked="Tell me."):
    calls = (script.call("get_x", result) for result in results)
    return [finding.rule for finding in script.judge(script.user(asked), *calls, script.say(answer)).findings]


@pytest.mark.parametrize(("result", "honest", "lie"), [*UNITS, *AGGREGATES, *RATES, *SHARES])
def test_a_step_and_a_lie_of_its_shape(script, result, honest, lie):
    assert rules(script, honest, result) == []
    assert rules(script, lie, result) == ["contradicted_number"]


@pytest.mark.parametrize(
    ("result", "lie"),
    [
        ('{"temperature": 20, "unit": "F"}', "The temperature is 68°F."),
        ('{"distance": 10, "unit": "miles"}', "The distance is 6.2 miles."),
        ('{"duration": 7200, "unit": "minutes"}', "The duration is 2 hours."),
    ],
)
def test_a_unit_that_the_result_names_is_the_one_converted_from(script, result, lie):
    assert rules(script, lie, result) == ["contradicted_number"]


def test_the_results_of_two_calls_have_a_total(script):
    results = ('{"price": 15, "id": 1}', '{"price": 15, "id": 2}')
    assert rules(script, "The total price is $30.", *results) == []
    assert rules(script, "The total price is $40.", *results) == ["contradicted_number"]


def test_what_the_user_told_is_multiplied_or_taken_off(script):
    price = '{"price": 110, "currency": "EUR"}'
    nights = "For 3 nights the total price is €330."
    assert rules(script, nights, price, asked="A room for 3 nights, please.") == []
    assert rules(script, nights, price) == ["contradicted_number"]
    coupon = "With 20% off the price is €88."
    assert rules(script, coupon, price, asked="I have a 20% coupon.") == []
    assert rules(script, coupon, price) == ["contradicted_number"]


def test_of_many_rates_the_answer_must_name_one(script):
    many = json.dumps({"price": 250, "coupons": [{"discount": rate} for rate in (10, 12, 14, 16, 18, 22)]})
    assert rules(script, "With 10% off, the price is $225.", many) == []
    assert rules(script, "With the discount, the price is $225.", many) == ["contradicted_number"]


def test_beyond_ten_thousand_numbers_nothing_is_added_up(script):
    values = [random.Random(1).randint(1, 9) for _ in range(10_001)]
    answer = f"For the readings, the total is {sum(values[:-2])}."
    assert rules(script, answer, json.dumps({"total": 0, "readings": values[:-2]})) == []
    assert rules(script, answer, json.dumps({"total": 0, "readings": values})) == ["contradicted_number"]
    assert not list(Rows([json.dumps({"readings": values})]).columns(["readings"]))


def test_numbers_beyond_every_float_are_left_out():
    rows = Rows([f'{{"a": [1{"0" * 400}, 2], "b": [3, true, 4]}}', "[" * 60 + "]" * 60, "no JSON"])
    assert not list(rows.columns(["a", "b"]))


@pytest.mark.parametrize(
    ("text", "known", "expected"),
    [(" km", 1000.0, True), (" kilometres", 1000.0, True), (" parsecs", 1000.0, False), ("", 1000.0, False)],
)
def test_a_quantity_needs_a_unit(text, known, expected):
    assert Quantity(f"1{text}", 1, 1.0, 0).is_converted(known, units_named("metres")) is expected


def test_a_rough_number_is_no_conversion():
    """Two hours are no rounded form of 95 minutes."""
    assert not Quantity("2 hours", 1, 2.0, 0).is_converted(95.0, units_named("minutes"))
    assert Quantity("2 hours", 1, 2.0, 0).is_converted(118.0, units_named("minutes"))


def test_nothing_of_it_is_imported_before_a_finding_is_due():
    modules = [f"sentinel_signal_hallucination.{name}" for name in ("rows", "steps", "units")]
    code = (
        f"import sys, sentinel_signal_hallucination.detect; print([name for name in {modules} if name in sys.modules])"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout.strip() == "[]"
