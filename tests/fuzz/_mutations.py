"""Ways to break a file: each takes a random generator and bytes, and gives other bytes."""

import base64
import io
import json
import re
import struct
import zlib

import numpy as np

EXTREMES = (
    b"0",
    b"-1",
    b"1e308",
    b"-1e999",
    b"nan",
    b"9" * 400,
    b"2147483648",
    b"9223372036854775808",
    b"1e-320",
    b"1e9",
    b"",
)
FIELDS = (0, 1, 0x7F, 0x80, 0xFF, 0x7FFF, 0xFFFF, 0x10000, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF, 2**40, 2**63 - 1)
VALUES = (
    *(None, True, 0, -1, 1.5, 1e308, 10**9, 10**18, 10**400, float("nan"), float("inf"), "", "x", "../../etc/passwd"),
    *("x" * 100_000, [], {}, [[]], [1, [2]], [10**9], {"a": {"b": []}}, {"array": [1, [2]]}, {"mapping": 3}),
)


def broken(rng: np.random.Generator, content: bytes, others: list[bytes]) -> bytes:
    """One to three mutations of a file, mostly one: the deeper code is reached by files that are nearly good."""
    is_json = content.lstrip()[:1] == b"{"
    for _ in range(rng.choice([1, 2, 3], p=[0.7, 0.2, 0.1])):
        ways = [flip, cut, splice, extreme_number, extreme_field, nest, repeat]
        ways += 6 * [change_value] if is_json else []
        ways += 4 * [change_png_field] if content.startswith(b"\x89PNG") else []
        way = ways[rng.integers(len(ways))]
        content = way(rng, content, others) or b"\n"
    return content


def flip(rng, content, others):
    """Some bits."""
    changed = bytearray(content)
    for _ in range(2 ** rng.integers(6)):
        changed[rng.integers(len(changed))] ^= 1 << int(rng.integers(8))
    return bytes(changed)


def cut(rng, content, others):
    """The end, or a piece out of the middle."""
    start, end = _span(rng, content)
    return content[:start] if rng.random() < 0.5 else content[:start] + content[end:]


def splice(rng, content, others):
    """A piece of another file, or of this one, put in or laid over."""
    other = others[rng.integers(len(others))] if rng.random() < 0.5 else content
    start, end = _span(rng, other)
    at, until = _span(rng, content)
    return content[:at] + other[start:end] + content[at if rng.random() < 0.5 else until :]


def extreme_number(rng, content, others):
    """Numbers written as text become extremes."""
    found = [match.span() for match in re.finditer(rb"-?\d+(\.\d+)?", content)]
    if not found:
        return flip(rng, content, others)
    start, end = found[rng.integers(len(found))]
    return content[:start] + EXTREMES[rng.integers(len(EXTREMES))] + content[end:]


def extreme_field(rng, content, others):
    """Some bytes become a size that no file has."""
    value = FIELDS[rng.integers(len(FIELDS))]
    width = int(rng.choice([1, 2, 4, 8]))
    packed = (value & (2 ** (8 * width) - 1)).to_bytes(width, "little" if rng.random() < 0.5 else "big")
    # Sizes stand at the beginning and at the end of most files.
    reach = len(content) if rng.random() < 0.5 else min(64, len(content))
    at = int(rng.integers(reach))
    at = at if rng.random() < 0.7 else len(content) - 1 - at
    return content[:at] + packed + content[at + width :]


def nest(rng, content, others):
    """Brackets within brackets, thousands of them."""
    depth = int(rng.choice([3, 990, 100_000]))
    opening, closing = (b"[", b"]") if rng.random() < 0.5 else (b'{"a":', b"}")
    found = [match.span() for match in re.finditer(rb"-?\d+(\.\d+)?", content)] or [(0, 0)]
    start, end = found[rng.integers(len(found))]
    return content[:start] + opening * depth + b"1" + closing * depth + content[end:]


def repeat(rng, content, others):
    """A piece many times over."""
    start, end = _span(rng, content)
    return content[:end] + content[start:end][:200] * int(rng.choice([2, 50, 2000])) + content[end:]


def change_value(rng, content, others):
    """Somewhere in a document (or in a line that is one) stands something else, nothing, or more."""
    lines = content.split(b"\n")
    number = int(rng.integers(len(lines)))
    try:
        document = json.loads(lines[number])
    except (ValueError, RecursionError):
        return flip(rng, content, others)
    places = list(_places(document))
    if not places:
        return flip(rng, content, others)
    holder, key = places[rng.integers(len(places))]
    draw = rng.random()
    if draw < 0.1:
        del holder[key]
    elif draw < 0.35 and isinstance(holder[key], str) and key == "npy":
        holder[key] = _nasty_array(rng, holder[key])
    elif draw < 0.5:
        other, its = places[rng.integers(len(places))]
        holder[key] = json.loads(json.dumps(other[its]))
    else:
        holder[key] = VALUES[rng.integers(len(VALUES))]
    lines[number] = json.dumps(document).encode()
    return b"\n".join(lines)


def change_png_field(rng, content, others):
    """A field of the header becomes extreme, and its sum is right."""
    header = bytearray(content[16:29])
    if len(header) < 13:
        return flip(rng, content, others)
    if rng.random() < 0.7:
        side = int(rng.choice([0, 1, 13_000, 2**16, 2**31 - 1, 2**32 - 1]))
        at = int(rng.choice([0, 4]))
        header[at : at + 4] = struct.pack(">I", side)
    else:
        header[int(rng.integers(8, 13))] = int(rng.choice([0, 1, 2, 3, 4, 6, 8, 16, 255]))
    return content[:16] + bytes(header) + struct.pack(">I", zlib.crc32(b"IHDR" + header)) + content[33:]


def _nasty_array(rng, packed):
    """A packed array with a header that lies, values that can't be, or a type that no one expects."""
    try:
        stored = zlib.decompress(base64.b64decode(packed))
        array = np.load(io.BytesIO(stored), allow_pickle=False)
    except Exception:  # already broken
        return packed[: len(packed) // 2]
    draw = int(rng.integers(6))
    if draw == 0:
        size = int(rng.choice([10**6, 10**9, 10**12, 2**62]))
        stored = re.sub(rb"'shape': \(\d+", b"'shape': (%d" % size, stored)
    elif draw == 1:
        stored = stored + bytes(20_000_000)
    elif draw == 2:
        array = array.astype(float)
        array.flat[rng.integers(max(array.size, 1)) :] = rng.choice([np.nan, np.inf, 1e308, -1e308, 1e18])
    elif draw == 3:
        array = array.astype(rng.choice(["U10", "S3", "complex", "bool", "float16", "int8", "datetime64[s]"]))
    elif draw == 4:
        array = array.reshape(-1)[: rng.integers(array.size + 1)]
    else:
        array = array + array.dtype.type(rng.choice([1, 10, 100]))
    if draw > 1:
        buffer = io.BytesIO()
        np.save(buffer, array, allow_pickle=False)
        stored = buffer.getvalue()
    return base64.b64encode(zlib.compress(stored, 1)).decode()


def _places(document):
    """All (holder, key) in a document."""
    waiting = [document]
    while waiting:
        holder = waiting.pop()
        keys = list(holder) if isinstance(holder, dict) else range(min(len(holder), 50))
        for key in keys:
            yield holder, key
            if isinstance(holder[key], dict | list):
                waiting.append(holder[key])


def _span(rng, content):
    start, end = sorted(rng.integers(len(content) + 1, size=2).tolist())
    return start, end
