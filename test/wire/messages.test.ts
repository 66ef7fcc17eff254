import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';

import { Refusal } from '../../src/base/refusal.ts';
import type { MessageKind } from '../../src/wire/message_kind.ts';
import { alive } from '../../src/wire/messages/alive.ts';
import { ancestorRequest } from '../../src/wire/messages/ancestor_request.ts';
import { ancestor } from '../../src/wire/messages/ancestor.ts';
import { block } from '../../src/wire/messages/block.ts';
import { blockAnnouncement } from '../../src/wire/messages/block_announcement.ts';
import { blockRequest } from '../../src/wire/messages/block_request.ts';
import { bundle } from '../../src/wire/messages/bundle.ts';
import { bundleAnnouncement } from '../../src/wire/messages/bundle_announcement.ts';
import { bundleRequest } from '../../src/wire/messages/bundle_request.ts';
import { certificate } from '../../src/wire/messages/certificate.ts';
import { certificateAnnouncement } from '../../src/wire/messages/certificate_announcement.ts';
import { compactBlock } from '../../src/wire/messages/compact_block.ts';
import { consumed } from '../../src/wire/messages/consumed.ts';
import { finality } from '../../src/wire/messages/finality.ts';
import { finalityRequest } from '../../src/wire/messages/finality_request.ts';
import { genesis } from '../../src/wire/messages/genesis.ts';
import { genesisRequest } from '../../src/wire/messages/genesis_request.ts';
import { goodbye } from '../../src/wire/messages/goodbye.ts';
import { hello } from '../../src/wire/messages/hello.ts';
import { messageKinds } from '../../src/wire/messages/index.ts';
import { missing } from '../../src/wire/messages/missing.ts';
import { missingRequest } from '../../src/wire/messages/missing_request.ts';
import { peers } from '../../src/wire/messages/peers.ts';
import { peersRequest } from '../../src/wire/messages/peers_request.ts';
import { ping } from '../../src/wire/messages/ping.ts';
import { pong } from '../../src/wire/messages/pong.ts';
import { range } from '../../src/wire/messages/range.ts';
import { rangeRequest } from '../../src/wire/messages/range_request.ts';
import { stateHash } from '../../src/wire/messages/state_hash.ts';
import { standbySwitch } from '../../src/wire/messages/standby_switch.ts';
import { status } from '../../src/wire/messages/status.ts';
import { unavailable } from '../../src/wire/messages/unavailable.ts';
import { votes } from '../../src/wire/messages/votes.ts';
import { packedSwitch, switchTerms } from '../builders/key_switch.ts';

const hex = (bytes: number): fc.Arbitrary<string> =>
  fc.uint8Array({ minLength: bytes, maxLength: bytes }).map((value) => Buffer.from(value).toString('hex'));
const u8 = fc.nat(255);
const u16 = fc.nat(65_535);
const u32 = fc.nat(0xffff_ffff);
const u64 = fc.bigInt({ min: 0n, max: 2n ** 64n - 1n });
const printable = (most: number): fc.Arbitrary<string> => fc.string({ maxLength: most, unit: 'grapheme-ascii' });
const packed = fc.uint8Array({ maxLength: 300 });
const voteKinds = fc.constantFrom('prepare', 'commit');
const voteSubjects = fc.record({
  epoch: u32,
  voters: hex(32),
  view: u32,
  kind: voteKinds,
  block: hex(20),
  header: hex(32),
  root: hex(32),
  next_voters: hex(32),
});
const certificates = fc.record({
  subject: voteSubjects,
  signatures: fc
    .uniqueArray(u8, { maxLength: 9 })
    .chain((voters) =>
      fc.tuple(
        ...voters
          .toSorted((a, b) => a - b)
          .map((voter) => fc.record({ voter: fc.constant(voter), signature: hex(65) })),
      ),
    ),
});
const statusValue = fc.record({
  head_number: u32,
  head_id: hex(20),
  irreversible_number: u32,
  irreversible_id: hex(20),
});

interface Sample {
  readonly kind: MessageKind<unknown>;
  readonly values: fc.Arbitrary<unknown>;
}

const samples: readonly Sample[] = [
  {
    kind: hello,
    values: fc.record({
      protocol: u16,
      chain_id: hex(32),
      profile: hex(32),
      agent: printable(64),
      endpoints: fc.array(printable(64), { maxLength: 4 }),
      roles: u32,
      oldest_block: u32,
      status: statusValue,
      clock_ms: u64,
    }),
  },
  { kind: status, values: statusValue },
  { kind: goodbye, values: fc.record({ reason: u8, text: printable(128), retry_after_seconds: u32 }) },
  { kind: ping, values: fc.record({ number: u64 }) },
  { kind: pong, values: fc.record({ number: u64 }) },
  { kind: blockAnnouncement, values: fc.record({ id: hex(20), previous: hex(20), transactions: u32, bytes: u32 }) },
  {
    kind: compactBlock,
    values: fc.record({
      header: fc.record({
        previous: hex(20),
        timestamp: u32,
        witness: fc.constantFrom('initminer', 'witness1'),
        transaction_merkle_root: hex(20),
        extensions: fc.constant([]),
        witness_signature: hex(65),
      }),
      shortIds: fc.uint8Array({ maxLength: 50 }).map((bytes) => bytes.subarray(0, bytes.length - (bytes.length % 6))),
    }),
  },
  { kind: blockRequest, values: fc.record({ id: hex(20), form: u8 }) },
  {
    kind: missingRequest,
    values: fc.record({
      id: hex(20),
      indexes: fc.uniqueArray(fc.nat(70_000), { maxLength: 50 }).map((some) => some.toSorted((a, b) => a - b)),
    }),
  },
  { kind: missing, values: fc.record({ id: hex(20), transactions: fc.array(packed, { maxLength: 9 }) }) },
  { kind: block, values: packed },
  {
    kind: bundle,
    values: fc.array(
      fc.record({ key: hex(33), unsignedBytes: fc.nat(9), packed: fc.uint8Array({ minLength: 9, maxLength: 99 }) }),
      {
        maxLength: 9,
      },
    ),
  },
  {
    kind: bundleAnnouncement,
    values: fc.record({
      bundles: fc.array(fc.record({ id: hex(16), transactions: u16, bytes: u32 }), { maxLength: 64 }),
    }),
  },
  { kind: bundleRequest, values: fc.record({ ids: fc.array(hex(16), { maxLength: 8 }) }) },
  { kind: ancestorRequest, values: fc.record({ ids: fc.array(hex(20), { maxLength: 24 }) }) },
  { kind: ancestor, values: fc.record({ number: u32 }) },
  {
    kind: rangeRequest,
    values: fc.record({ number: u32, from: u32, before: hex(20), count: fc.nat(1000), bytes: fc.nat(4 * 1024 * 1024) }),
  },
  {
    kind: range,
    values: fc.record({ number: u32, blocks: fc.array(packed, { maxLength: 9 }), end: fc.nat(4), retry_ms: u32 }),
  },
  { kind: peersRequest, values: fc.constant({}) },
  {
    kind: peers,
    values: fc.record({
      peers: fc.array(fc.record({ id: hex(32), endpoint: printable(64), seen_hours: u8 }), { maxLength: 64 }),
    }),
  },
  {
    kind: alive,
    values: fc.record({
      witness: fc.constantFrom('initminer', 'witness-1', 'w'.repeat(32)),
      key: hex(33),
      slot: u32,
      head: hex(20),
      signature: hex(65),
    }),
  },
  { kind: unavailable, values: fc.record({ kind: u8, id: hex(20) }) },
  { kind: consumed, values: fc.record({ bytes: u64 }) },
  { kind: stateHash, values: fc.record({ number: u32, id: hex(20), hash: hex(32) }) },
  {
    kind: standbySwitch,
    values: fc
      .nat()
      .map((expiration) => packedSwitch('ab'.repeat(32), switchTerms('bob', 'carol', expiration % 2 ** 32), 'bob')),
  },
  { kind: genesisRequest, values: fc.constant({}) },
  { kind: genesis, values: fc.record({ profile: packed, genesis: packed }) },
  {
    kind: votes,
    values: fc.record({
      subject: voteSubjects,
      votes: fc.array(fc.record({ voter: u8, signature: hex(65) }), { maxLength: 255 }),
    }),
  },
  { kind: certificate, values: certificates },
  { kind: finalityRequest, values: fc.record({ epoch: u32, count: fc.nat(64), newest: fc.nat(3) }) },
  {
    kind: finality,
    values: fc.record({
      boundaries: fc.array(
        fc.record({
          certificate: certificates,
          voters: fc.record({ epoch: u32, keys: fc.array(hex(33), { maxLength: 9 }) }),
        }),
        { maxLength: 5 },
      ),
      newest: fc.array(certificates, { maxLength: 2 }),
    }),
  },
  { kind: certificateAnnouncement, values: fc.record({ epoch: u32, view: u32, kind: voteKinds, block: hex(20) }) },
];

/** Views of messages are buffers, what was written need not be. */
function plain(value: unknown): unknown {
  return JSON.parse(
    JSON.stringify(value, (_, member: unknown) =>
      typeof member === 'bigint' ? String(member) : member instanceof Uint8Array ? [...member] : member,
    ),
  );
}

test('each registered kind has a sample here', () => {
  assert.deepEqual(new Set(samples.map(({ kind }) => kind)), new Set(Object.values(messageKinds)));
});

for (const { kind, values } of samples) {
  test(`a ${kind.name} is read as it was written, fits its limit, and refuses what is cut off`, () => {
    const property = fc.property(values, fc.nat(), (value, cut) => {
      const bytes = kind.encode(value);
      assert(bytes.length <= (kind.large?.mostBytes ?? kind.mostBytes));
      const read: unknown = kind.decode(bytes);
      // A view of bytes in place of the bytes.
      assert.equal(Buffer.compare(Buffer.from(kind.encode(read)), Buffer.from(bytes)), 0);
      if (kind.name !== 'block' && kind.name !== 'bundle')
        assert.deepEqual(plain(toArrays(read)), plain(toArrays(value)));
      if (bytes.length > 0 && kind.name !== 'block')
        assert.throws(() => kind.decode(bytes.subarray(0, cut % bytes.length)), Refusal);
    });
    fc.assert(property, { numRuns: 100 });
  });

  test(`any bytes are a ${kind.name} or refused`, () => {
    const property = fc.property(fc.uint8Array({ maxLength: 400 }), (bytes) => {
      try {
        kind.decode(bytes);
      } catch (error) {
        assert(error instanceof Refusal);
      }
    });
    fc.assert(property, { numRuns: 300 });
  });
}

function toArrays(value: unknown): unknown {
  if (value instanceof Uint8Array) return [...value];
  if (Array.isArray(value)) return value.map(toArrays);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, toArrays(member)]));
}

test('the longest hello, peers and ancestor request fit their limits', () => {
  const zero = (bytes: number): string => '0'.repeat(bytes * 2);
  const at = { head_number: 0, head_id: zero(20), irreversible_number: 0, irreversible_id: zero(20) };
  const longest = hello.encode({
    protocol: 1,
    chain_id: zero(32),
    profile: zero(32),
    agent: 'a'.repeat(64),
    endpoints: Array.from({ length: 4 }, () => 'e'.repeat(64)),
    roles: 0,
    oldest_block: 0,
    status: at,
    clock_ms: 0n,
  });
  assert(longest.length <= hello.mostBytes);
  const told = Array.from({ length: 64 }, () => ({ id: zero(32), endpoint: 'e'.repeat(64), seen_hours: 1 }));
  assert(peers.encode({ peers: told }).length <= peers.mostBytes);
  assert(
    ancestorRequest.encode({ ids: Array.from({ length: 24 }, () => zero(20)) }).length <= ancestorRequest.mostBytes,
  );
});

test('votes and certificate of the largest round, and an answer with them, fit their limits', () => {
  const filled = (bytes: number): string => 'ff'.repeat(bytes);
  const subject = {
    epoch: 7,
    voters: filled(32),
    view: 9,
    kind: 'commit',
    block: filled(20),
    header: filled(32),
    root: filled(32),
    next_voters: filled(32),
  } as const;
  const signatures = Array.from({ length: 255 }, (_, voter) => ({ voter, signature: filled(65) }));
  assert(votes.encode({ subject, votes: signatures }).length <= votes.mostBytes);
  const full = { subject, signatures };
  assert(certificate.encode(full).length <= certificate.mostBytes);
  const boundary = { certificate: full, voters: { epoch: 7, keys: Array.from({ length: 255 }, () => filled(33)) } };
  const answer = finality.encode({ boundaries: Array.from({ length: 64 }, () => boundary), newest: [full, full] });
  assert(answer.length <= (finality.large?.mostBytes ?? 0));
});

test('hello and status of a newer version may have more to say, other messages may not', () => {
  const at = { head_number: 7, head_id: '1'.repeat(40), irreversible_number: 3, irreversible_id: '2'.repeat(40) };
  assert.deepEqual(status.decode(Buffer.concat([status.encode(at), Buffer.alloc(9)])), at);
  assert.throws(() => ping.decode(Buffer.concat([ping.encode({ number: 1n }), Buffer.alloc(1)])), Refusal);
});

test('a text that would spoil a terminal is refused', () => {
  const bytes = goodbye.encode({ reason: 1, text: 'bye\u001b[2J', retry_after_seconds: 0 });
  assert.throws(() => goodbye.decode(bytes), Refusal);
});

test('a bundle names each key once', () => {
  const [key, other] = ['02'.padEnd(66, '1'), '03'.padEnd(66, '2')];
  const item = (signer: string, fill: number): { key: string; unsignedBytes: number; packed: Uint8Array } => ({
    key: signer,
    unsignedBytes: 10,
    packed: new Uint8Array(75).fill(fill),
  });
  const items = [item(key, 1), item(other, 2), item(key, 3)];
  const bytes = bundle.encode(items);
  assert.equal(bytes.length, 2 + 2 * 33 + 2 + 3 * (2 + 2 + 4 + 75));
  assert.deepEqual(
    bundle.decode(bytes).map(({ key: signer, unsignedBytes, packed: view }) => ({
      key: signer,
      unsignedBytes,
      packed: new Uint8Array(view),
    })),
    items,
  );
});
