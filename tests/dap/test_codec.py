"""Frames, whole and broken: the right bodies or one clear error, never anything else."""

from __future__ import annotations

import json
from collections.abc import Iterable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tuidbg.dap.codec import MAX_BODY, MAX_HEADER, FrameDecoder, ProtocolError, encode_frame

bodies = st.lists(st.binary(max_size=300), max_size=6)


def cut(data: bytes, places: Iterable[int]) -> list[bytes]:
    """``data`` cut at these places (modulo its length)."""
    ends = sorted({place % (len(data) + 1) for place in places} | {len(data)})
    return [data[start:end] for start, end in zip([0, *ends], ends, strict=False)]


def decode(pieces: Iterable[bytes]) -> tuple[list[bytes], str]:
    """The bodies found, and the error that ended it, if any."""
    decoder = FrameDecoder()
    found: list[bytes] = []
    try:
        for piece in pieces:
            found += decoder.feed(piece)
    except ProtocolError as error:
        return found, str(error)
    return found, ""


@given(bodies, st.lists(st.integers(0, 4000), max_size=12))
def test_frames_split_and_merged_anywhere_give_their_bodies(
    sent: list[bytes], places: list[int]
) -> None:
    stream = b"".join(map(encode_frame, sent))
    assert decode(cut(stream, places)) == (sent, "")


def test_a_frame_byte_by_byte() -> None:
    stream = encode_frame(b'{"a": 1}') + encode_frame(b"{}")
    assert decode(bytes([byte]) for byte in stream) == ([b'{"a": 1}', b"{}"], "")


@given(st.lists(st.binary(max_size=60), max_size=20))
def test_any_bytes_give_bodies_or_one_error(pieces: list[bytes]) -> None:
    decode(pieces)


@given(
    bodies,
    st.binary(min_size=1, max_size=80).filter(lambda data: not data.startswith(b"C")),
    st.lists(st.integers(0, 4000), max_size=5),
)
def test_what_came_before_rubbish_is_not_lost(
    sent: list[bytes], rubbish: bytes, places: list[int]
) -> None:
    stream = b"".join(map(encode_frame, sent)) + rubbish + encode_frame(b"after")
    found, error = decode(cut(stream, places))
    assert found == sent
    assert error


@given(bodies.filter(bool), st.integers(0, 2000))
def test_a_torn_frame_waits_for_its_rest(sent: list[bytes], place: int) -> None:
    stream = b"".join(map(encode_frame, sent))
    last = encode_frame(sent[-1])
    missing = place % len(last) + 1
    decoder = FrameDecoder()
    assert list(decoder.feed(stream[:-missing])) == sent[:-1]
    assert list(decoder.feed(stream[-missing:])) == sent[-1:]


@pytest.mark.parametrize(
    ("stream", "words"),
    [
        (b"Content-Length: ten\r\n\r\n", "no number"),
        (b"Content-Length: -5\r\n\r\n", "no number"),
        (b"Content-Length: \r\n\r\n", "no number"),
        (b"Content-Length: \xb2\r\n\r\n", "no number"),
        (b"Content-Length: 1_0\r\n\r\n", "no number"),
        (b"Content-Type: text\r\n\r\n{}", "without Content-Length"),
        (b"\r\n\r\n{}", "header"),
        (b"Content-Length: %d\r\n\r\n" % (MAX_BODY + 1), "limit"),
        (b"Content-Length: " + b"9" * 4000 + b"\r\n\r\n", "limit"),
        (b"Content-Length: " + b"9" * MAX_HEADER, "header"),
        (b"X: " + b"y" * MAX_HEADER + b"\r\n\r\n", "header"),
        (b"y" * (MAX_HEADER + 1), "no DAP header"),
        (b"Traceback (most recent call last):\n", "no DAP header in 'Traceback"),
        (b"Warning: something\n", "no DAP header"),
        (b"hello\n", "no DAP header"),
        (b"hello\r\n", "no DAP header"),
        (b"some words", "no DAP header"),
        (b"{}", "no DAP header"),
        (b"\xff\xfe\x00", "no DAP header"),
        (b"HTTP/1.1 400 Bad Request\r\n", "no DAP header"),
    ],
    ids=lambda value: ascii(value[:24]) if isinstance(value, bytes) else "",
)
def test_malformed_headers_are_errors_at_once(stream: bytes, words: str) -> None:
    found, error = decode([stream])
    assert found == []
    assert words in error
    assert error.isprintable()
    assert len(error) < 200


def test_an_error_is_seen_byte_by_byte_too() -> None:
    found, error = decode(bytes([byte]) for byte in b"Listening on port 5678\n")
    assert found == []
    assert "no DAP header" in error


@pytest.mark.parametrize(
    "header",
    [
        b"Content-Length: 2\r\n\r\n",
        b"content-length:2\r\n\r\n",
        b"CONTENT-LENGTH:   2  \r\n\r\n",
        b"Content-Length: 2\r\nContent-Type: application/vscode-jsonrpc; charset=utf-8\r\n\r\n",
        b"X-Unknown: a:b\r\nContent-Length: 0002\r\n\r\n",
    ],
)
def test_headers_that_are_good(header: bytes) -> None:
    assert decode([header + b"{}"]) == ([b"{}"], "")


def test_a_body_is_never_looked_at() -> None:
    body = b"Content-Length: 3\r\n\r\n\xff\x00\r\n\r\n"
    assert decode([encode_frame(body)]) == ([body], "")


def test_lengths_count_bytes_and_not_characters() -> None:
    body = json.dumps({"text": "Grüße, 世界 🐍"}, ensure_ascii=False).encode()
    assert encode_frame(body).startswith(b"Content-Length: %d\r\n\r\n" % len(body))
    assert decode([encode_frame(body)]) == ([body], "")


def test_a_large_body_in_small_pieces() -> None:
    body = b"x" * 3_000_000
    stream = encode_frame(body)
    pieces = [stream[at : at + 65536] for at in range(0, len(stream), 65536)]
    assert decode(pieces) == ([body], "")
