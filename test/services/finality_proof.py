"""Verifies proofs of finality: written from src/pages/reference/peer_protocol.md and the texts of the methods alone, with Python's own library.

finality_proof.py FILE: reads a JSON list of cases, each with `chain_id`, `epoch_blocks`, `checkpoint`, `now`, `interval`, `proof` and either
`block_num` or `transaction_id`. Prints a list with the number of each block that is proven, or the reason why a proof proves nothing.
"""

import base64
import datetime
import hashlib
import json
import struct
import sys

P = 2**256 - 2**32 - 977
N = 0xFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFEBAAEDCE6AF48A03BBFD25E8CD0364141
G = (
    0x79BE667EF9DCBBAC55A06295CE870B07029BFCDB2DCE28D959F2815B16F81798,
    0x483ADA7726A3C4655DA4FBFC0E1108A8FD17B448A68554199C47D08FFB10D4B8,
)
SUBJECT = struct.Struct("<I32sIB20s32s32s32s")
COMMIT = 2
NO_VOTERS = bytes(32)
MONTH = 30 * 86_400
MOST_STEPS, MOST_VOTERS, MOST_BRANCH = 8, 256, 32


class Unproven(Exception):
    pass


def require(condition, reason):
    if not condition:
        raise Unproven(reason)


def sha256(*parts):
    return hashlib.sha256(b"".join(parts)).digest()


# The curve secp256k1. A point is x, y, z with x / z² and y / z³; z is 0 at infinity.


def double(point):
    x, y, z = point
    square = y * y % P
    d = 4 * x * square % P
    e = 3 * x * x % P
    x2 = (e * e - 2 * d) % P
    return x2, (e * (d - x2) - 8 * square * square) % P, 2 * y * z % P


def add(one, other):
    if one[2] == 0:
        return other
    if other[2] == 0:
        return one
    z1, z2 = one[2] * one[2] % P, other[2] * other[2] % P
    u1, u2 = one[0] * z2 % P, other[0] * z1 % P
    s1, s2 = one[1] * z2 * other[2] % P, other[1] * z1 * one[2] % P
    h, r = (u2 - u1) % P, (s2 - s1) % P
    if h == 0:
        return double(one) if r == 0 else (1, 1, 0)
    h2 = h * h % P
    h3 = h2 * h % P
    v = u1 * h2 % P
    x = (r * r - h3 - 2 * v) % P
    return x, (r * (v - x) - s1 * h3) % P, one[2] * other[2] * h % P


def point_of(key):
    x = int.from_bytes(key[1:], "big")
    require(key[0] in (2, 3) and x < P, "a key is no point")
    square = (x * x * x + 7) % P
    y = pow(square, (P + 1) // 4, P)
    require(y * y % P == square, "a key is no point")
    return x, y if y & 1 == key[0] & 1 else P - y, 1


def is_signed(digest, signature, key):
    r, s = int.from_bytes(signature[:32], "big"), int.from_bytes(signature[32:], "big")
    if not (0 < r < N and 0 < s < N):
        return False
    inverse = pow(s, -1, N)
    base, owner = G + (1,), point_of(key)
    of_base, of_owner = int.from_bytes(digest, "big") * inverse % N, r * inverse % N
    both = add(base, owner)
    found = (1, 1, 0)
    for bit in range(255, -1, -1):
        found = double(found)
        chosen = (of_base >> bit & 1, of_owner >> bit & 1)
        if chosen != (0, 0):
            found = add(found, {(1, 0): base, (0, 1): owner, (1, 1): both}[chosen])
    if found[2] == 0:
        return False
    return found[0] * pow(found[2], -2, P) % P % N == r


# What a node answers.


def members(value, names, optional=()):
    require(isinstance(value, dict), "not an object")
    require(set(names) <= set(value) <= set(names) | set(optional), "other members than a proof has")
    return [value[name] for name in names]


def from_base64(text):
    require(isinstance(text, str), "no text")
    try:
        found = base64.b64decode(text, validate=True)
    except ValueError:
        raise Unproven("no base64") from None
    require(base64.b64encode(found).decode() == text, "another base64 of the same bytes")
    return found


def items(text, size):
    found = from_base64(text)
    require(len(found) % size == 0, "a list of another length")
    return [found[at : at + size] for at in range(0, len(found), size)]


def bits(bitmap):
    return [at for at in range(8 * len(bitmap)) if bitmap[at >> 3] >> (at & 7) & 1]


class Certificate:
    def __init__(self, text, voters):
        found = from_base64(text)
        require(len(found) > SUBJECT.size, "a certificate that is too short")
        self.subject, length = found[: SUBJECT.size], found[SUBJECT.size]
        fields = SUBJECT.unpack(self.subject)
        self.epoch, self.voters, self.view, self.kind, self.block, self.header, self.root, self.next = fields
        bitmap, rest = found[SUBJECT.size + 1 :][:length], found[SUBJECT.size + 1 + length :]
        require(len(bitmap) == length <= MOST_VOTERS // 8 and (length == 0 or bitmap[-1] != 0), "a bitmap of another form")
        indexes = bits(bitmap)
        require(len(rest) == 65 * len(indexes), "signatures of another length")
        self.keys = items(voters, 33)
        require(not indexes or indexes[-1] < len(self.keys), "a voter who is none")
        self.signatures = []
        for at, index in enumerate(indexes):
            signature = rest[65 * at : 65 * at + 65]
            require(signature[0] == 31, "another header byte than 31")
            self.signatures.append((self.keys[index], signature[1:]))


def quorum(keys):
    return 2 * len(keys) // 3 + 1


def varint(number):
    low = bytes([number & 127 | (128 if number > 127 else 0)])
    return low if number < 128 else low + varint(number >> 7)


def digest_of_voters(chain, epoch, keys):
    require(len(keys) <= MOST_VOTERS, "too many voters")
    require(all(one < other for one, other in zip(keys, keys[1:])), "voters that do not ascend")
    return sha256(b"pharos voters", chain, struct.pack("<I", epoch), varint(len(keys)), *keys)


def root_of_range(number, count, header, path):
    """The root over `count` headers in which `path` leads from the header of block `number` to the top."""
    require(1 <= number <= count, "a block above the certificate")
    beside = list(path)

    def take():
        require(beside, "a path that is too short")
        return beside.pop(0)

    heights = [height for height in range(31, -1, -1) if count >> height & 1]
    before = place = 0
    while number > before + 2 ** heights[place]:
        before += 2 ** heights[place]
        place += 1
    node, index = sha256(b"\0", sha256(header)), number - before - 1
    for level in range(heights[place]):
        other = take()
        node = sha256(b"\1", other, node) if index >> level & 1 else sha256(b"\1", node, other)
    if place + 1 < len(heights):
        node = sha256(b"\2", node, take())
    for _ in range(place):
        node = sha256(b"\2", take(), node)
    require(not beside, "a path that is too long")
    return sha256(b"\3", struct.pack("<I", count), node)


class Trust:
    """What a client believes: it begins with a checkpoint, and goes on by certificates."""

    def __init__(self, case):
        number, _, voters, at = case["checkpoint"].split(":")
        self.chain = bytes.fromhex(case["chain_id"])
        require(len(self.chain) == 32, "a chain id of another length")
        self.epoch, rest = divmod(int(number), case["epoch_blocks"])
        require(rest == 0, "a checkpoint between epochs")
        self.voters, self.keys, self.named = bytes.fromhex(voters), None, None
        begun = datetime.datetime.strptime(at, "%Y%m%dT%H%M%SZ").replace(tzinfo=datetime.timezone.utc)
        self.since, self.now, self.interval = int(begun.timestamp()), case["now"], case["interval"]

    def learn_keys(self, first, changed):
        """A proof tells the keys whose digest the checkpoint has."""
        if first.epoch == self.epoch:
            require(changed is None, "the trusted voters twice")
            keys = first.keys
        else:
            require(changed is not None, "no trusted voters")
            kept, others = members(changed, ("kept", "others"))
            kept, others = from_base64(kept), items(others, 33)
            require(len(kept) == (len(first.keys) + 7) // 8, "a bitmap of another length")
            places = bits(kept)
            require(not places or places[-1] < len(first.keys), "a bit for no key")
            require(all(one < other for one, other in zip(others, others[1:])), "voters that do not ascend")
            keys = sorted([first.keys[at] for at in places] + others)
        require(digest_of_voters(self.chain, self.epoch, keys) == self.voters, "other trusted voters")
        self.keys = keys

    def follow(self, certificate):
        """Believes the voters of a certificate of commits, or refuses it."""
        require(certificate.kind == COMMIT, "not of commits")
        require(certificate.epoch >= self.epoch, "of an earlier epoch")
        time = certificate.view * self.interval
        require(time <= self.now + self.interval, "of the future")
        digest = digest_of_voters(self.chain, certificate.epoch, certificate.keys)
        require(certificate.voters == digest, "other voters were signed")
        require(len(certificate.signatures) >= quorum(certificate.keys), "too few signatures")
        if certificate.epoch == self.epoch:
            require(digest == self.voters, "other voters than the trusted ones")
        elif certificate.epoch == self.epoch + 1 and self.named is not None:
            require(digest == self.named, "other voters than were named")
        else:
            trusted = set(self.keys)
            signed = sum(key in trusted for key, _ in certificate.signatures)
            if signed < quorum(self.keys):
                require(3 * signed > len(self.keys), "too few of the trusted voters")
                require(self.now - self.since <= MONTH, "trust that is too old")
        message = hashlib.sha512(b"pharos vote" + self.chain + certificate.subject).digest()[:32]
        for key, signature in certificate.signatures:
            require(is_signed(message, signature, key), "a forged signature")
        if certificate.next != NO_VOTERS:
            self.named = certificate.next
        elif certificate.epoch != self.epoch:
            self.named = None
        self.epoch, self.voters, self.keys = certificate.epoch, digest, certificate.keys
        self.since = max(self.since, time)


def proven_header(trust, proof):
    """The number of a block that is final, and the root of its transactions."""
    names = ("header", "path", "certificate", "voters", "steps")
    header, path, certificate, voters, steps = members(proof, names, ("trusted",))
    header = from_base64(header)
    require(len(header) > 25, "a header that is too short")
    number = struct.unpack(">I", header[:4])[0] + 1
    require(isinstance(steps, list) and len(steps) <= MOST_STEPS, "too many steps")
    all_of = [Certificate(*members(step, ("certificate", "voters"))) for step in steps]
    last = Certificate(certificate, voters)
    all_of.append(last)
    for one, other in zip(all_of, all_of[1:]):
        require(one.epoch < other.epoch and one.next != NO_VOTERS, "steps out of order")
    count = struct.unpack(">I", last.block[:4])[0]
    require(root_of_range(number, count, header, items(path, 32)) == last.root, "a block that is not in the range")
    trust.learn_keys(all_of[0], proof.get("trusted"))
    for each in all_of:
        trust.follow(each)
    merkle_root = 25 + header[24]
    return number, header[merkle_root : merkle_root + 20]


def require_id(packed, wanted):
    """A transaction ends with the count of its signatures, and these; its id is a hash of all before."""
    require(len(packed) != 64, "a node of the tree for a transaction")
    for count in range(1, len(packed) // 65 + 1):
        trailer = len(varint(count)) + 65 * count
        unsigned, rest = packed[:-trailer], packed[-trailer:]
        if rest.startswith(varint(count)) and sha256(unsigned)[:20] == wanted:
            return
    raise Unproven("another transaction, or one that nobody signed")


def proven_transaction(trust, wanted, proof):
    """The number of the final block that holds a transaction."""
    packed, branch, finality = members(proof, ("transaction", "branch", "finality"))
    packed = from_base64(packed)
    require_id(packed, bytes.fromhex(wanted))
    node, steps = sha256(packed), items(branch, 33)
    require(len(steps) <= MOST_BRANCH and all(step[0] <= 1 for step in steps), "a branch of another form")
    for step in steps:
        node = sha256(step[1:], node) if step[0] == 1 else sha256(node, step[1:])
    number, merkle_root = proven_header(trust, finality)
    require(hashlib.new("ripemd160", node).digest() == merkle_root, "a transaction that is not in the block")
    return number


def answer(case):
    try:
        trust = Trust(case)
        if "transaction_id" in case:
            return proven_transaction(trust, case["transaction_id"], case["proof"])
        number, _ = proven_header(trust, case["proof"])
        require(number == case["block_num"], "another block")
        return number
    except Unproven as reason:
        return str(reason)


with open(sys.argv[1], encoding="utf-8") as file:
    print(json.dumps([answer(case) for case in json.load(file)]))
