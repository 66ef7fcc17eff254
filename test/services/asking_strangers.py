"""Strangers that ask, each from an address of its own: written from the network's page alone, on top of stranger.py.

asking_strangers.py HOST PORT FOLDER SECONDS RATE READS SOURCE...: from each SOURCE one link that sends RATE questions and statuses a second,
0 for as many as it can, and reads the answers when READS is 1. asking_strangers.py HOST PORT FOLDER SECONDS watch SOURCE: a link that takes
blocks as they are made. Both print what they saw as JSON.
"""

import json
import ssl
import struct
import sys
import threading
import time

import stranger
from stranger import BLOCK, COMPACT_BLOCK, CONSUMED, GOODBYE, HELLO, NOWHERE, Ended, Greeting, Identity, Link, greet, made_up, varint

STATUS, PING, PONG, BLOCK_REQUEST, ANCESTOR_REQUEST, RANGE_REQUEST, PEERS_REQUEST = 1, 3, 4, 7, 14, 16, 18
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


class Asker(threading.Thread):
    """One stranger. It comes back when it is sent away."""

    def __init__(self, host, port, identity, source, seconds, rate, reads):
        super().__init__(daemon=True)
        self.way = (port, identity, host, source)
        self.until = time.monotonic() + seconds
        self.rate, self.reads = rate, reads
        self.sent = self.ended = self.received = 0
        self.reasons = []

    def run(self):
        while time.monotonic() < self.until:
            try:
                self.ask_for_ever(*greet(*self.way))
            except Ended as ended:
                self.reasons.append(ended.reason)
            except (OSError, AssertionError):
                self.reasons.append(None)
            self.ended += 1
            time.sleep(1)

    def ask_for_ever(self, link, greeting):
        link.socket.setblocking(False)
        asked = questions(greeting)
        begun, sent, unsent, unread = time.monotonic(), 0, b"", bytearray()
        while time.monotonic() < self.until:
            if not unsent:
                due = BURST if self.rate == 0 else max(0, int((time.monotonic() - begun) * self.rate) - sent)
                unsent = b"".join(frame(kind, payload) for kind, payload in (next(asked) for _ in range(due)))
                sent += due
                self.sent += due
            unsent += self.read(link, unread) if self.reads else b""
            try:
                unsent = unsent[link.socket.send(unsent) :] if unsent else b""
            except (ssl.SSLWantWriteError, ssl.SSLWantReadError):
                pass
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
    link = Link(port, Identity(folder, "watcher"), host, source)
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
    askers = [Asker(host, port, *pair, seconds, int(rate), reads == "1") for pair in zip(identities, sources)]
    for one in askers:
        one.start()
    for one in askers:
        one.join(seconds + 30)
    sums = {name: sum(getattr(one, name) for one in askers) for name in ("sent", "received", "ended")}
    print(json.dumps({**sums, "reasons": sorted({str(reason) for one in askers for reason in one.reasons})}))


if __name__ == "__main__":
    main()
