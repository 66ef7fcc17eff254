"""A stranger that speaks to a node: written from src/pages/reference/peer_protocol.md alone, with nothing but Python's own library and `openssl` for keys.

stranger.py PORT FOLDER TRANSACTION UNSIGNED_BYTES KEY: follows the chain of a node on loopback by ranges, gives it a transaction (hex), waits for
the block that holds it, then makes each mistake that the page names under an identity of its own. Prints what it saw as JSON.
"""

import faulthandler
import hashlib
import json
import socket
import ssl
import struct
import subprocess
import sys
import time

HELLO, STATUS, GOODBYE, PING, PONG, BLOCK_ANNOUNCEMENT, BLOCK_REQUEST, BLOCK, BUNDLE = 0, 1, 2, 3, 4, 5, 7, 10, 13
COMPACT_BLOCK, MISSING_REQUEST, MISSING = 6, 8, 9
ANCESTOR_REQUEST, ANCESTOR, RANGE_REQUEST, RANGE, UNAVAILABLE, CONSUMED, GENESIS_REQUEST = 14, 15, 16, 17, 21, 22, 25
LANES = {BLOCK_ANNOUNCEMENT: 1, BLOCK: 1, BUNDLE: 2, RANGE: 3}
ALL_THERE_IS, CUT, PRUNED, OTHER_BRANCH, BUSY = range(5)
OTHER_CHAIN, OTHER_PROTOCOL, MALFORMED, SILENT, MISBEHAVED = 1, 2, 5, 7, 10
MORE_FOLLOWS = 0x80
MOST_PAYLOAD = 65_536
CONSUMED_EACH = 64 * 1024
ED25519 = bytes.fromhex("302a300506032b6570032100")
NOWHERE = bytes(20)
FOLLOWED_BLOCKS = 100
# Longer means never: it says where it waits, and ends.
PATIENCE_SECONDS = 120


def varint(value):
    out = bytearray()
    while value >= 0x80:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes(out) + bytes([value])


def text(value):
    return varint(len(value)) + value.encode("latin-1")


class Reader:
    """Values one after another."""

    def __init__(self, data):
        self.data, self.at = data, 0

    def bytes(self, count):
        assert self.at + count <= len(self.data), "cut off"
        self.at += count
        return self.data[self.at - count : self.at]

    def integer(self, size):
        return int.from_bytes(self.bytes(size), "little")

    def varint(self):
        value = shift = 0
        while True:
            byte = self.integer(1)
            value |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80:
                return value

    def text(self):
        return self.bytes(self.varint()).decode("ascii")


class Identity:
    """A key and its certificate."""

    def __init__(self, folder, name):
        self.key, self.certificate = f"{folder}/{name}.key.pem", f"{folder}/{name}.pem"
        openssl("genpkey", "-algorithm", "ed25519", "-out", self.key)
        openssl("req", "-new", "-x509", "-key", self.key, "-subj", "/CN=node", "-days", "36500", "-out", self.certificate)
        with open(self.certificate, encoding="ascii") as file:
            self.id = key_in(ssl.PEM_cert_to_DER_cert(file.read())).hex()


def openssl(*words):
    subprocess.run(["openssl", *words], check=True, capture_output=True)


def key_in(certificate):
    at = certificate.index(ED25519) + len(ED25519)
    return certificate[at : at + 32]


class Ended(Exception):
    """The other side has ended the link; `reason` is that of its goodbye, None when it said nothing."""

    def __init__(self, reason, said=""):
        super().__init__(f"goodbye {reason}: {said}")
        self.reason = reason


def secure(context, port, host, source):
    """A connection with TLS. An address has a few handshakes a second; above that they are dropped in the middle."""
    give_up = time.monotonic() + PATIENCE_SECONDS
    while True:
        plain = socket.create_connection((host, port), PATIENCE_SECONDS, source)
        try:
            return context.wrap_socket(plain)
        except OSError:
            plain.close()
            if time.monotonic() > give_up:
                raise
            time.sleep(0.1)


class Link:
    """A link to the node on that port, of loopback unless said; `source` is the address that the link comes from."""

    def __init__(self, port, identity, host="127.0.0.1", source=None):
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        context.check_hostname = False
        context.verify_mode = ssl.CERT_NONE
        context.minimum_version = ssl.TLSVersion.TLSv1_3
        context.set_alpn_protocols(["pharos/1"])
        context.load_cert_chain(identity.certificate, identity.key)
        self.socket = secure(context, port, host, None if source is None else (source, 0))
        assert self.socket.selected_alpn_protocol() == "pharos/1"
        self.peer = key_in(self.socket.getpeercert(binary_form=True)).hex()
        self.halves = {}
        self.paced = self.said_consumed = 0

    def close(self):
        self.socket.close()

    def frame(self, kind, lane, payload, flags=0):
        try:
            self.socket.sendall(struct.pack("<IBB", len(payload), kind, lane | flags) + payload)
        except OSError:
            pass  # it has ended; why is read

    def send(self, kind, payload=b""):
        lane = LANES.get(kind, 0)
        for start in range(0, max(len(payload), 1), MOST_PAYLOAD):
            goes_on = start + MOST_PAYLOAD < len(payload)
            self.frame(kind, lane, payload[start : start + MOST_PAYLOAD], MORE_FOLLOWS if goes_on else 0)

    def exactly(self, count):
        data = bytearray()
        while len(data) < count:
            try:
                part = self.socket.recv(count - len(data))
            except (ConnectionError, ssl.SSLError):
                part = b""
            if not part:
                raise Ended(None)
            data += part
        return bytes(data)

    def receive(self):
        """The next message; pings are answered by the way."""
        while True:
            length, kind, lane = struct.unpack("<IBB", self.exactly(6))
            payload = self.exactly(length)
            self.consume(lane & 3, length + 6)
            whole = self.halves.pop(lane & 3, b"") + payload
            if lane & MORE_FOLLOWS:
                self.halves[lane & 3] = whole
            elif kind == PING:
                self.send(PONG, whole)
            elif kind == GOODBYE:
                said = Reader(whole)
                raise Ended(said.integer(1), said.text())
            else:
                return kind, Reader(whole)

    def consume(self, lane, count):
        if lane < 2:
            return
        self.paced += count
        if self.paced - self.said_consumed >= CONSUMED_EACH:
            self.said_consumed = self.paced
            self.send(CONSUMED, struct.pack("<Q", self.paced))

    def await_kind(self, wanted):
        while True:
            kind, message = self.receive()
            if kind == wanted:
                return message


class Greeting:
    """What a hello says."""

    def __init__(self, message):
        self.protocol = message.integer(2)
        self.chain, self.profile = message.bytes(32), message.bytes(32)
        self.agent = message.text()
        self.endpoints = [message.text() for _ in range(message.varint())]
        self.roles, self.oldest = message.integer(4), message.integer(4)
        self.head, self.head_id = message.integer(4), message.bytes(20)

    def answer(self, protocol=None, chain=None, profile=None, agent="stranger.py", roles=1, status=None, endpoints=()):
        """Ours: we have nothing."""
        return (
            struct.pack("<H", self.protocol if protocol is None else protocol)
            + (self.chain if chain is None else chain)
            + (self.profile if profile is None else profile)
            + text(agent)
            + varint(len(endpoints))
            + b"".join(text(endpoint) for endpoint in endpoints)
            + struct.pack("<II", roles, 1)
            + (standing(0) if status is None else status)
            + struct.pack("<Q", int(time.time() * 1000))
        )


def standing(head, head_id=NOWHERE, irreversible=0, irreversible_id=NOWHERE):
    return struct.pack("<I", head) + head_id + struct.pack("<I", irreversible) + irreversible_id


def made_up(number):
    return struct.pack(">I", number) + bytes(16)


def greet(port, identity, *way):
    link = Link(port, identity, *way)
    greeting = Greeting(link.await_kind(HELLO))
    link.send(HELLO, greeting.answer())
    return link, greeting


class Block:
    """As much of a block as a follower needs."""

    def __init__(self, packed):
        read = Reader(packed)
        self.packed = packed
        self.previous = read.bytes(20)
        self.number = int.from_bytes(self.previous[:4], "big") + 1
        self.time = read.integer(4)
        read.bytes(read.varint())  # the witness
        read.bytes(20)
        for _ in range(read.varint()):
            read.bytes({0: 0, 1: 4, 2: 8}[read.varint()])
        read.bytes(65)
        self.id = struct.pack(">I", self.number) + hashlib.sha224(packed[: read.at]).digest()[4:20]
        self.transactions = read.varint()


class Follower:
    """The chain as it has come."""

    def __init__(self, link):
        self.link = link
        self.number, self.id = 0, NOWHERE
        self.questions = 0
        self.wanted = self.found = None

    def ask_range(self, count, most_bytes=4_194_304):
        self.questions += 1
        question = struct.pack("<II", self.questions, self.number + 1) + self.id + struct.pack("<HI", count, most_bytes)
        self.link.send(RANGE_REQUEST, question)
        answer = self.link.await_kind(RANGE)
        assert answer.integer(4) == self.questions
        blocks = [Block(answer.bytes(answer.integer(4))) for _ in range(answer.varint())]
        end, wait_ms = answer.integer(1), answer.integer(4)
        assert answer.at == len(answer.data)
        for block in blocks:
            self.append(block)
        if end == BUSY:
            time.sleep(wait_ms / 1000)
        return len(blocks), end

    def append(self, block):
        assert block.previous == self.id, f"block {block.number} does not follow"
        self.number, self.id = block.number, block.id
        if self.wanted is not None and self.wanted in block.packed:
            self.found = block


def follow(link, greeting):
    """A hundred blocks by ranges of all sizes, then to the head that hello named."""
    follower = Follower(link)
    taken, end = follower.ask_range(20, most_bytes=1)
    assert (taken, end) == (1, CUT), "at least a block, however few bytes are wanted"
    sizes = [7, 13, 29, 1, 41]
    for count in sizes:
        taken, end = follower.ask_range(count)
        assert (taken, end) == (count, ALL_THERE_IS)
    while follower.number < max(greeting.head, FOLLOWED_BLOCKS):
        follower.ask_range(1000)
    assert greeting.head < follower.number or greeting.head_id == follower.id
    link.send(ANCESTOR_REQUEST, varint(3) + made_up(follower.number + 9) + follower.id + made_up(1))
    assert link.await_kind(ANCESTOR).integer(4) == follower.number
    before = follower.id
    follower.id = made_up(follower.number)
    assert follower.ask_range(1) == (0, OTHER_BRANCH)
    follower.id = before
    return follower


def post(link, follower, packed, unsigned_bytes, key):
    """Gives a transaction away, and goes on from announcement to announcement until a block holds it."""
    follower.wanted = packed
    link.send(BUNDLE, struct.pack("<H", 1) + key + struct.pack("<HHHI", 1, 0, unsigned_bytes, len(packed)) + packed)
    # Announcements that come while an answer is awaited are not read, so the block may come by a range, too.
    while follower.found is None:
        announced = link.await_kind(BLOCK_ANNOUNCEMENT)
        wanted, previous, count, size = announced.bytes(20), announced.bytes(20), announced.integer(4), announced.integer(4)
        while follower.number < int.from_bytes(previous[:4], "big"):
            follower.ask_range(1000)
        if follower.found is not None or follower.number >= int.from_bytes(wanted[:4], "big"):
            continue
        link.send(BLOCK_REQUEST, wanted + b"\x01")
        block = Block(Reader(link.await_kind(BLOCK).data).data)
        assert (block.id, block.previous, block.transactions, len(block.packed)) == (wanted, previous, count, size)
        follower.append(block)
    check_short_ids(link, follower.found, packed)
    return follower.found


def check_short_ids(link, block, packed):
    """Asks for the same block as short ids, and for what they stand for."""
    link.send(BLOCK_REQUEST, block.id + b"\x00")
    compact = link.await_kind(COMPACT_BLOCK)
    header = block.packed[: -len(packed) - 1]
    assert block.transactions == 1 and compact.bytes(len(header)) == header
    key = struct.unpack("<16I", hashlib.sha512(block.id + b"short").digest())
    words = struct.unpack("<8I", hashlib.sha256(packed).digest())
    lanes = (sum(k * w for k, w in zip(key[start : start + 8], words)) % 2**32 for start in (0, 8))
    short_id = b"".join((lane >> 8).to_bytes(3, "little") for lane in lanes)
    assert compact.data[compact.at :] == struct.pack("<I", 1) + short_id
    link.send(MISSING_REQUEST, block.id + varint(1) + varint(0))
    assert link.await_kind(MISSING).data == block.id + varint(1) + struct.pack("<I", len(packed)) + packed


def curious(link):
    """What is no mistake: kinds that nobody knows, questions that have no answer."""
    link.frame(200, 3, bytes(5000))
    link.send(BLOCK_REQUEST, made_up(7) + b"\x01")
    missing = link.await_kind(UNAVAILABLE)
    assert (missing.integer(1), missing.bytes(20)) == (BLOCK, made_up(7))
    link.send(GENESIS_REQUEST)
    assert link.await_kind(UNAVAILABLE).integer(1) == 26
    link.send(PONG, bytes(8))
    link.send(STATUS, standing(0) + b"what newer nodes say")


def in_two(link, first, second):
    link.frame(first, 0, bytes(4096), MORE_FOLLOWS)
    link.frame(second, 0, bytes(8))


# The page's table of mistakes: who does it, what he is told, whether he is banned.
AFTER_HELLO = {
    "a frame that is too long": (lambda link, _: link.socket.sendall(struct.pack("<IBB", MOST_PAYLOAD + 1, 200, 0)), MALFORMED, True),
    "a lane that does not exist": (lambda link, _: link.frame(PING, 4, bytes(8)), MALFORMED, True),
    "a kind on another lane": (lambda link, _: link.frame(PING, 1, bytes(8)), MALFORMED, True),
    "a message that is too long": (lambda link, _: link.send(PING, bytes(9)), MALFORMED, True),
    "a message that is cut off": (lambda link, _: link.send(PING, bytes(7)), MALFORMED, True),
    "a short frame that goes on": (lambda link, _: link.frame(200, 0, bytes(4095), MORE_FOLLOWS), MALFORMED, True),
    "a frame of another kind inside": (lambda link, _: in_two(link, 200, 201), MALFORMED, True),
    "bytes behind the members": (lambda link, _: link.send(ANCESTOR_REQUEST, varint(0) + b"x"), MALFORMED, True),
    "too many items": (lambda link, _: link.send(ANCESTOR_REQUEST, varint(25) + bytes(500)), MALFORMED, True),
    "a number out of its range": (lambda link, _: link.send(RANGE_REQUEST, bytes(28) + struct.pack("<HI", 1001, 1)), MALFORMED, True),
    "a second hello": (lambda link, hello: link.send(HELLO, hello.answer()), MALFORMED, True),
    "a status of two numbers": (lambda link, _: link.send(STATUS, standing(2, made_up(1))), MALFORMED, True),
    "an irreversible block above the head": (lambda link, _: link.send(STATUS, standing(0, NOWHERE, 1, made_up(1))), MALFORMED, True),
    "a head beyond the slots": (lambda link, _: link.send(STATUS, standing(1 << 31, made_up(1 << 31))), MALFORMED, True),
    "an announcement that skips a block": (
        lambda link, _: link.send(BLOCK_ANNOUNCEMENT, made_up(9) + made_up(7) + bytes(8)),
        MALFORMED,
        True,
    ),
    "more consumed than was sent": (lambda link, _: link.send(CONSUMED, struct.pack("<Q", 1 << 40)), MALFORMED, True),
    "a bundle with a key that is not there": (
        lambda link, _: link.send(BUNDLE, struct.pack("<HHHHI", 0, 1, 0, 0, 0)),
        MALFORMED,
        True,
    ),
    "six answers to nothing": (lambda link, _: [link.send(BLOCK, bytes(20_000)) for _ in range(6)], MISBEHAVED, False),
}

INSTEAD_OF_HELLO = {
    "a ping before hello": (lambda link, _: link.send(PING, bytes(8)), MALFORMED, True),
    "a hello that does not print": (lambda link, hello: link.send(HELLO, hello.answer(agent="\x1b[2J")), MALFORMED, True),
    "another chain": (lambda link, hello: link.send(HELLO, hello.answer(chain=bytes(32))), OTHER_CHAIN, False),
    "another profile": (lambda link, hello: link.send(HELLO, hello.answer(profile=bytes(32))), OTHER_CHAIN, False),
    "another protocol": (lambda link, hello: link.send(HELLO, hello.answer(protocol=2)), OTHER_PROTOCOL, False),
    "no hello": (lambda *_: None, SILENT, False),
}


def reason_of_end(link):
    try:
        while True:
            link.receive()
    except Ended as ended:
        return ended.reason


def is_dropped(port, identity):
    """Whether the node hangs up without a word."""
    try:
        link = Link(port, identity)
        link.receive()
        link.close()
        return False
    except Ended as ended:
        return ended.reason is None
    except (ConnectionError, ssl.SSLError):
        return True


def make_mistake(port, identity, mistake, says_hello):
    """What the node says to it, and whether it wants no more of who made it."""
    link = Link(port, identity)
    greeting = Greeting(link.await_kind(HELLO))
    if says_hello:
        link.send(HELLO, greeting.answer())
        link.send(PING, bytes(8))
        link.await_kind(PONG)
    try:
        mistake(link, greeting)
    except OSError:
        pass  # it has been cut off in the middle
    reason = reason_of_end(link)
    link.close()
    return reason, is_dropped(port, identity)


def main(port, folder, packed, unsigned_bytes, key):
    own = Identity(folder, "own")
    link, greeting = greet(port, own)
    follower = follow(link, greeting)
    curious(link)
    block = post(link, follower, packed, unsigned_bytes, key)
    seen = {"peer": link.peer, "followed": follower.number, "block": block.number, "id": block.id.hex(), "mistakes": {}, "banned": []}
    for table in (AFTER_HELLO, INSTEAD_OF_HELLO):
        for number, (name, (mistake, reason, bans)) in enumerate(table.items()):
            identity = Identity(folder, f"{len(table)}_{number}")
            seen["mistakes"][name] = make_mistake(port, identity, mistake, table is AFTER_HELLO)
            assert seen["mistakes"][name] == (reason, bans), f"{name}: {seen['mistakes'][name]}, the page says {(reason, bans)}"
            if bans:
                seen["banned"].append(identity.id)
    # Nothing of this cost the first link anything.
    follower.ask_range(1)
    link.close()
    print(json.dumps(seen))


if __name__ == "__main__":
    faulthandler.dump_traceback_later(PATIENCE_SECONDS, exit=True)
    main(int(sys.argv[1]), sys.argv[2], bytes.fromhex(sys.argv[3]), int(sys.argv[4]), bytes.fromhex(sys.argv[5]))
