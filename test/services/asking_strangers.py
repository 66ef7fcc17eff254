"""Strangers that ask, each from an address of its own: written from the network's page alone, on top of stranger.py.

asking_strangers.py HOST PORT FOLDER SECONDS RATE READS SOURCE...: from each SOURCE one link that sends RATE questions and statuses a second,
0 for as many as it can, and reads the answers when READS is 1. RATE `floods`: as many of one
kind as it can, another one of each SOURCE in turn: pings, statuses, the longest frames, `consumed`, requests for addresses, `alive` of long ago, frames in pieces of a byte,
and handshakes. RATE `finality`: the same of what strangers can say of votes: wrong signatures, unknown voters, old views, many epochs, wrong
certificates, certificates of epochs to come, certificates that do not exist, and questions for all of them. asking_strangers.py HOST PORT FOLDER SECONDS watch SOURCE: a link that takes
blocks as they are made. Both print what they saw as JSON.
"""

import json
import os
import ssl
import struct
import sys
import threading
import time

import stranger
from stranger import BLOCK, COMPACT_BLOCK, CONSUMED, GOODBYE, HELLO, NOWHERE, Ended, Greeting, Identity, Link, greet, made_up, varint

STATUS, PING, PONG, BLOCK_REQUEST, ANCESTOR_REQUEST, RANGE_REQUEST, PEERS_REQUEST, ALIVE = 1, 3, 4, 7, 14, 16, 18, 20
UNKNOWN = 99
BURST = 64


def questions(greeting):
    """What is dear for who answers and costs nothing to ask, again and again."""
    ids = varint(24) + b"".join(made_up(number) for number in range(1, 25))
    number = 0
    while True:
        number += 1
        yield RANGE_REQUEST, struct.pack("<II", number, 1) + NOWHERE + struct.pack("<HI", 1000, 4_194_304)
        yield ANCESTOR_REQUEST, ids
        yield BLOCK_REQUEST, greeting.head_id + b"\1"
        yield STATUS, stranger.standing(0)
        yield PING, struct.pack("<Q", number)
        yield PEERS_REQUEST, b""
        yield UNKNOWN, bytes(40)


ALIVE_OF_LONG_AGO = varint(5) + b"alice" + b"\2" * 33 + struct.pack("<I", 1) + NOWHERE + bytes(65)
FLOODS = [
    lambda number: (PING, struct.pack("<Q", number)),
    lambda number: (STATUS, stranger.standing(0)),
    lambda number: (UNKNOWN, bytes(65_536)),
    lambda number: (CONSUMED, struct.pack("<Q", 0)),
    lambda number: (PEERS_REQUEST, b""),
    lambda number: (ALIVE, ALIVE_OF_LONG_AGO),
    # In pieces of a byte, and behind a handshake each.
    lambda number: (PING, struct.pack("<Q", number)),
    lambda number: (GOODBYE, b"\0\0" + struct.pack("<I", 0)),
]
IN_BYTES, WITH_HANDSHAKES = 6, 7


def flood(kinds, kind):
    number = 0
    while True:
        number += 1
        yield kinds[kind](number)


VOTES, CERTIFICATE, FINALITY_REQUEST, CERTIFICATE_ANNOUNCEMENT = 27, 28, 29, 31
SUBJECT_BYTES, MOST_VOTES = 157, 255
SLOT_SECONDS = 3
TAKES_TRANSACTIONS, RELAYS_VOTES = 1, 16
COMMIT = 2
# A signature that has its form and that nobody has made: it costs as much as a right one.
MADE_UP_SIGNATURE = b"\x1f" + b"\x33" * 64
MADE_UP_VOTES = varint(MOST_VOTES) + b"".join(bytes([voter]) + MADE_UP_SIGNATURE for voter in range(MOST_VOTES))
MADE_UP_BITMAP = b"\x07" + b"\xff" * 6 + b"\x07"


def finality_floods(certificate):
    """Of a certificate that is right."""
    epoch, voters, rest = struct.unpack("<I", certificate[:4])[0], certificate[4:36], certificate[40:SUBJECT_BYTES]
    block, behind = rest[1:21], rest[21:]

    def subject(views=0, epochs=0, voters=voters, block=block):
        view = int(time.time()) // SLOT_SECONDS + views
        return struct.pack("<I", epoch + epochs) + voters + struct.pack("<I", view) + bytes([COMMIT]) + block + behind

    def nowhere():
        return block[:4] + os.urandom(16)

    return [
        lambda number: (VOTES, subject(block=nowhere()) + varint(1) + b"\0" + MADE_UP_SIGNATURE),
        lambda number: (VOTES, subject(voters=bytes(32)) + MADE_UP_VOTES),
        lambda number: (VOTES, subject(views=-11) + MADE_UP_VOTES),
        lambda number: (VOTES, subject(epochs=2 + number % 1000) + MADE_UP_VOTES),
        lambda number: (CERTIFICATE, subject(block=nowhere()) + b"\1\1" + MADE_UP_SIGNATURE),
        lambda number: (CERTIFICATE, subject(epochs=2 + number) + MADE_UP_BITMAP + MADE_UP_SIGNATURE * 51),
        lambda number: (CERTIFICATE_ANNOUNCEMENT, struct.pack("<I", epoch) + subject(views=1)[36:40] + bytes([COMMIT]) + nowhere()),
        lambda number: (FINALITY_REQUEST, struct.pack("<I", 0) + b"\x40\x03"),
    ]


class Asker(threading.Thread):
    """One stranger. It comes back when it is sent away."""

    def __init__(self, host, port, identity, source, seconds, rate, reads, floods=None, of_finality=False):
        super().__init__(daemon=True)
        self.floods, self.of_finality = floods, of_finality
        self.is_one_by_one = not of_finality and floods in (IN_BYTES, WITH_HANDSHAKES)
        self.way = (port, identity, host, source)
        self.until = time.monotonic() + seconds
        self.rate, self.reads = rate, reads
        self.sent = self.ended = self.received = 0
        self.reasons = []

    def run(self):
        while time.monotonic() < self.until:
            try:
                self.ask_for_ever(*self.greet())
            except Ended as ended:
                self.reasons.append(ended.reason)
            except (OSError, AssertionError):
                self.reasons.append(None)
            self.ended += 1
            time.sleep(0.1 if self.is_one_by_one else 1)

    def greet(self):
        if not self.of_finality:
            link, greeting = greet(*self.way)
            return link, questions(greeting) if self.floods is None else flood(FLOODS, self.floods)
        port, identity, *way = self.way
        link = Link(port, identity, *way)
        link.send(HELLO, Greeting(link.await_kind(HELLO)).answer(roles=TAKES_TRANSACTIONS | RELAYS_VOTES))
        return link, flood(finality_floods(link.await_kind(CERTIFICATE).data), self.floods)

    def ask_for_ever(self, link, asked):
        link.socket.setblocking(False)
        burst = 1 if self.is_one_by_one else BURST
        begun, sent, unsent, unread = time.monotonic(), 0, b"", bytearray()
        while time.monotonic() < self.until:
            if not unsent:
                due = burst if self.rate == 0 else max(0, int((time.monotonic() - begun) * self.rate) - sent)
                unsent = b"".join(frame(kind, payload) for kind, payload in (next(asked) for _ in range(due)))
                sent += due
                self.sent += due
            unsent += self.read(link, unread) if self.reads else b""
            try:
                unsent = unsent[link.socket.send(unsent[:1] if self.is_one_by_one and self.floods == IN_BYTES else unsent) :] if unsent else b""
            except (ssl.SSLWantWriteError, ssl.SSLWantReadError):
                pass
            if self.is_one_by_one and self.floods == WITH_HANDSHAKES:
                break
            time.sleep(0.002 if self.rate == 0 else 0.02)
        link.close()

    def read(self, link, unread):
        """Takes what has come; what has to be said to it."""
        try:
            unread += link.socket.recv(1 << 20)
        except (ssl.SSLWantReadError, ssl.SSLWantWriteError):
            return b""
        answers, at = b"", 0
        while len(unread) - at >= 6:
            length, kind, lane = struct.unpack_from("<IBB", unread, at)
            if len(unread) - at < 6 + length:
                break
            payload = bytes(unread[at + 6 : at + 6 + length])
            at += 6 + length
            self.received += length
            if kind == PING:
                answers += frame(PONG, payload)
            elif kind == GOODBYE:
                raise Ended(payload[0])
            if lane & 3 >= 2:
                link.paced += 6 + length
        del unread[:at]
        if link.paced - link.said_consumed >= 64 * 1024:
            link.said_consumed = link.paced
            answers += frame(CONSUMED, struct.pack("<Q", link.paced))
        return answers


def frame(kind, payload):
    return struct.pack("<IBB", len(payload), kind, 0) + payload


def watch(host, port, folder, seconds, source):
    """How late each block came, in seconds behind its slot."""
    link = Link(port, Identity(folder, f"watcher{port}"), host, source)
    link.send(HELLO, Greeting(link.await_kind(HELLO)).answer(roles=3))
    link.socket.settimeout(10)
    delays, until = [], time.time() + seconds
    while time.time() < until:
        try:
            kind, message = link.receive()
        except (OSError, Ended):
            break
        if kind in (BLOCK, COMPACT_BLOCK):
            slot = struct.unpack_from("<I", message.data, 20)[0]
            delays.append(round(time.time() - slot, 3))
    link.close()
    return {"delays": delays}


def main():
    host, port, folder, seconds, rate, *rest = sys.argv[1:]
    port, seconds = int(port), float(seconds)
    stranger.PATIENCE_SECONDS = 10
    if rate == "watch":
        return print(json.dumps(watch(host, port, folder, seconds, *rest)))
    reads, *sources = rest
    identities = [Identity(folder, f"asker{index}") for index in range(len(sources))]
    is_flood, of_finality = rate in ("floods", "finality"), rate == "finality"
    floods = [index % len(FLOODS) if is_flood else None for index in range(len(sources))]
    each = 0 if is_flood else int(rate)
    askers = [Asker(host, port, *pair, seconds, each, reads == "1", kind, of_finality) for *pair, kind in zip(identities, sources, floods)]
    for one in askers:
        one.start()
    for one in askers:
        one.join(seconds + 30)
    sums = {name: sum(getattr(one, name) for one in askers) for name in ("sent", "received", "ended")}
    print(json.dumps({**sums, "reasons": sorted({str(reason) for one in askers for reason in one.reasons})}))


if __name__ == "__main__":
    main()
