"""Bytes of bodies in memory, and who gives way."""

import asyncio

import pytest

from sentinel_command_receive.bodies import BadRequest
from sentinel_command_receive.room import Room


async def pieces(*sizes, gate=None):
    for size in sizes:
        yield b"x" * size
    if gate is not None:
        await gate.wait()


def outcome(result):
    return result.status if isinstance(result, BadRequest) else len(result.data)


def filled(room, *bodies):
    """What became of these, begun one after another."""

    async def main():
        coming = []
        for body in bodies:
            coming.append(asyncio.create_task(room.fill(body)))
            await asyncio.sleep(0)
            await asyncio.sleep(0)
        return await asyncio.gather(*coming, return_exceptions=True)

    return [outcome(one) for one in asyncio.run(main())]


def test_the_largest_body_that_is_not_whole_gives_way_to_others():
    room = Room(largest=60, most=100, seconds=60)
    never = asyncio.Event()
    assert filled(room, pieces(50, gate=never), pieces(40, 5), pieces(30)) == [503, 45, 30]
    assert room.held == 75


def test_a_body_that_alone_is_too_much_beside_whole_ones_gives_way_itself():
    room = Room(largest=60, most=100, seconds=60)
    assert filled(room, pieces(60), pieces(30), pieces(20)) == [60, 30, 503]


@pytest.mark.parametrize(("sizes", "status"), [((30, 31), 413), ((61,), 413)])
def test_a_body_beyond_the_limit_is_refused_and_its_room_is_free_again(sizes, status):
    room = Room(largest=60, most=100, seconds=60)
    assert filled(room, pieces(*sizes)) == [status]
    assert room.held == 0


def test_a_body_that_does_not_come_is_given_up():
    room = Room(largest=60, most=100, seconds=0.01)
    assert filled(room, pieces(10, gate=asyncio.Event())) == [408]
    assert room.held == 0


def test_what_is_released_is_room_for_the_next():
    room = Room(largest=60, most=60, seconds=60)

    async def main():
        first = await room.fill(pieces(60))
        room.release(first)
        return await room.fill(pieces(60))

    assert outcome(asyncio.run(main())) == 60
