import assert from 'node:assert/strict';
import { test } from 'node:test';

import { headerDigest } from '../../src/blocks/header.ts';
import { KeyGuard, type KeyGuardOptions, type PeersSeen, type SeenBlock } from '../../src/witness/key_guard.ts';
import type { ProductionSlot } from '../../src/witness/produce.ts';
import { testKey } from '../builders/chain.ts';
import { HandClock } from '../builders/hand_clock.ts';
import { MemoryJournal } from '../builders/memory_journal.ts';
import { slotNumber } from '../../src/values/time.ts';

const CHAIN = 'ab'.repeat(32);
const [OURS, OTHER] = [testKey('alice'), testKey('bob')];
/** The beginning of a slot. */
const START = 1_600_000_000 - (1_600_000_000 % 3);
const IN_STEP: PeersSeen = { peers: 3, clockAheadMs: 100, isBehind: false };
const NOBODY: PeersSeen = { peers: 0, clockAheadMs: undefined, isBehind: false };

interface Guarded {
  readonly guard: KeyGuard;
  readonly clock: HandClock;
  readonly journal: MemoryJournal;
  readonly said: string[];
  /** Others' blocks arrive for so long, one a slot, and the loop wakes each second. */
  blocks(seconds: number): void;
  /** No block arrives. */
  silence(seconds: number): void;
  /** Returns the reason that holds back a slot now. */
  heldBack(headAgeSeconds?: number): string | undefined;
}

function block(time: number, signer = OURS, previous = 7): SeenBlock {
  const header = {
    previous: previous.toString(16).padStart(40, '0'),
    timestamp: time,
    witness: 'alice',
    extensions: [],
  };
  return { id: '0a'.repeat(20), header: { ...header, transaction_merkle_root: '00'.repeat(20) }, signer };
}

function makeRecord({ id, header }: SeenBlock, key = OURS): Parameters<MemoryJournal['record']>[0] {
  const slot = slotNumber(header.timestamp, 3);
  return {
    chain: CHAIN,
    key,
    slot,
    digest: Buffer.from(headerDigest(header)).toString('hex'),
    id,
    previous: header.previous,
  };
}

/** A guard whose node starts at `START`, when the chain had these blocks of our witness and the journal these. */
function guarded(
  onChain: readonly SeenBlock[],
  signed: readonly SeenBlock[],
  options: Partial<KeyGuardOptions> = {},
): Guarded {
  const clock = new HandClock(START * 1000);
  const journal = new MemoryJournal(signed.map((each) => makeRecord(each)));
  const said: string[] = [];
  const guard = new KeyGuard(
    {
      ...{ chain: CHAIN, intervalSeconds: 3, roundSlots: 51, keyPrefix: 'PHR', clock, journal, keys: new Set([OURS]) },
      ...{
        hasPeers: true,
        hasSeeds: true,
        allowStale: false,
        warn: (sentence: string) => said.push(sentence),
        ...options,
      },
    },
    onChain,
  );
  guard.takePeers(IN_STEP);
  const pass = (seconds: number, hasBlocks: boolean): void => {
    for (let second = 0; second < seconds; second++) {
      clock.pass(1000);
      if (hasBlocks && second % 3 === 0) guard.headMoved(Math.trunc(clock.nowMs() / 1000));
      guard.look();
    }
  };
  const turn = (): ProductionSlot => ({
    kind: 'produce',
    timestamp: Math.trunc(clock.nowMs() / 1000),
    witness: 'alice',
    signingKey: OURS,
  });
  return {
    ...{ guard, clock, journal, said },
    blocks: (seconds) => pass(seconds, true),
    silence: (seconds) => pass(seconds, false),
    heldBack: (headAge = 3) => guard.heldBack(turn(), turn().timestamp - headAge),
  };
}

const [old, older] = [block(START - 300), block(START - 600)];

test('a key of which the chain has no block signs at once, and so does one whose journal is as new as the chain or newer', () => {
  assert.equal(guarded([], []).heldBack(), undefined);
  assert.equal(guarded([block(START - 300, OTHER)], []).heldBack(), undefined);
  assert.equal(guarded([old], [old]).heldBack(), undefined);
  assert.equal(guarded([older], [older, old]).heldBack(), undefined);
});

test('a missing or older journal waits for a round of others’ blocks, and says so once', () => {
  for (const signed of [[], [older]]) {
    const node = guarded([old], signed);
    node.blocks(150);
    assert.equal(node.heldBack(), 'watching');
    assert.ok(node.guard.leftSeconds(OURS) > 0);
    node.blocks(9);
    assert.equal(node.heldBack(), undefined);
    assert.equal(node.said.length, 1, node.said.join('\n'));
    assert.match(node.said[0] ?? '', /missing or older.*153 seconds/);
    // The same block again, from a peer that is behind.
    node.guard.take(old);
    assert.equal(node.heldBack(), undefined);
  }
});

test('a damaged journal waits, too, whatever is on the chain', () => {
  const journal = new MemoryJournal([makeRecord(old)]);
  journal.isDamaged = true;
  const node = guarded([], [], { journal });
  assert.equal(node.heldBack(), 'watching');
  node.blocks(160);
  assert.equal(node.heldBack(), undefined);
});

test('a block of ours that comes while the node catches up begins the wait', () => {
  const node = guarded([], []);
  node.guard.take(old);
  assert.equal(node.heldBack(), 'watching');
});

test('only time in which others’ new blocks arrive counts', () => {
  const alone = guarded([old], []);
  alone.guard.takePeers(NOBODY);
  alone.silence(3600);
  assert.equal(alone.heldBack(), 'watching');
  const behind = guarded([old], []);
  // Blocks of a chain that catches up are old.
  for (let second = 0; second < 300; second++) {
    behind.clock.pass(1000);
    behind.guard.headMoved(START - 10_000 + 3 * second);
    behind.guard.look();
  }
  assert.equal(behind.heldBack(), 'watching');
  const frozen = guarded([old], []);
  frozen.blocks(30);
  frozen.clock.stall(600_000);
  frozen.guard.look();
  frozen.blocks(30);
  assert.equal(frozen.heldBack(), 'watching');
});

test('the wait is over when there is a peer but for 30 seconds no new block: the whole chain has stopped', () => {
  const node = guarded([old], []);
  node.silence(29);
  assert.equal(node.heldBack(), 'watching');
  node.silence(1);
  assert.equal(node.heldBack(), undefined);
  const late = guarded([old], []);
  late.guard.takePeers(NOBODY);
  late.silence(300);
  late.guard.takePeers(IN_STEP);
  late.silence(29);
  assert.equal(late.heldBack(), 'watching');
  late.silence(1);
  assert.equal(late.heldBack(), undefined);
});

test('where the node speaks to nobody it doesn’t wait, and says that nobody confirms its clock', () => {
  const node = guarded([old], [], { hasPeers: false });
  assert.equal(node.heldBack(), undefined);
  assert.equal(node.heldBack(100_000), undefined);
  assert.match(node.said.join('\n'), /has no peers: nobody confirms the clock/);
});

/** A node that is to produce although its head is old, and has no peer. */
function staleAlone(hasSeeds: boolean): Guarded {
  const node = guarded([], [], { allowStale: true, hasSeeds });
  node.guard.takePeers(NOBODY);
  return node;
}

test('a slot more than a minute beyond the newest block is signed only when peers’ clocks agree within two seconds', () => {
  const cases: readonly [PeersSeen, string | undefined][] = [
    [{ ...IN_STEP, clockAheadMs: 1999 }, undefined],
    [{ ...IN_STEP, clockAheadMs: -1999 }, undefined],
    [{ ...IN_STEP, clockAheadMs: 2001 }, 'clock_unconfirmed'],
    [{ ...IN_STEP, clockAheadMs: -2001 }, 'clock_unconfirmed'],
    [NOBODY, 'clock_unconfirmed'],
    [{ ...IN_STEP, isBehind: true }, 'not_synced'],
  ];
  for (const [seen, expected] of cases) {
    const node = guarded([], []);
    node.guard.takePeers(seen);
    assert.deepEqual([node.heldBack(60), node.heldBack(61)], [undefined, expected], JSON.stringify(seen));
  }
  assert.equal(staleAlone(true).heldBack(61), 'clock_unconfirmed', 'it has somebody to ask');
  const waiting = guarded([], []);
  waiting.guard.takePeers(NOBODY);
  waiting.silence(120);
  assert.equal(waiting.heldBack(61), 'clock_unconfirmed', 'its operator has not said to go on');
  const stale = staleAlone(false);
  assert.equal(stale.heldBack(61), undefined);
  stale.guard.takePeers({ ...IN_STEP, clockAheadMs: 86_400_000 });
  assert.equal(stale.heldBack(61), 'clock_unconfirmed');
});

test('an operator who wants blocks on an old head gets them when nobody that counts has been there for a minute', () => {
  const node = staleAlone(true);
  const away = (seconds: number): void => {
    for (let second = 0; second < seconds; second++) {
      node.guard.takePeers(NOBODY);
      node.silence(1);
    }
  };
  away(59);
  assert.equal(node.heldBack(61), 'clock_unconfirmed', 'a seed may still answer');
  away(1);
  assert.equal(node.heldBack(61), undefined);
  node.guard.takePeers({ ...IN_STEP, clockAheadMs: 86_400_000 });
  assert.equal(node.heldBack(61), 'clock_unconfirmed', 'whom the node has chosen still decides while it is there');
  away(59);
  assert.equal(node.heldBack(61), 'clock_unconfirmed');
  away(1);
  assert.equal(node.heldBack(61), undefined);
});

test('a block of our key after the start that the journal lacks stops the key until it is unlocked, and is written down', () => {
  const node = guarded([old], [old]);
  node.guard.take(block(START, OURS, 8));
  assert.equal(node.heldBack(), 'watching', 'of the slot in which the node started');
  const foreign = block(START + 3, OURS, 8);
  node.guard.take(foreign);
  node.guard.take(block(START + 6, OURS, 9));
  node.blocks(600);
  assert.equal(node.heldBack(), 'foreign');
  assert.deepEqual(
    node.journal.locks.map(({ slot, key, id }) => [slot, key, id]),
    [[slotNumber(START + 3, 3), OURS, foreign.id]],
  );
  assert.match(
    node.said.at(-1) ?? '',
    /another machine signs with PHR.*neither makes blocks nor votes with that key.*pharos witness unlock$/,
  );
  const again = guarded([old], [old], { journal: node.journal });
  assert.equal(again.heldBack(), 'foreign');
});

test('a key that its operator unlocks meanwhile signs again after a round of others’ blocks, unless another one of its own comes', () => {
  const [node, twin] = [guarded([old], [old]), guarded([old], [old])];
  for (const { guard, journal, blocks, heldBack, said } of [node, twin]) {
    blocks(30);
    guard.take(block(START + 12, OURS, 8));
    blocks(30);
    assert.deepEqual([heldBack(), guard.foreign.length], ['foreign', 1]);
    journal.locks = [];
    blocks(1);
    assert.deepEqual([heldBack(), guard.foreign.length], ['watching', 0]);
    assert.match(said.at(-1) ?? '', /^the key is unlocked: nothing is signed.*153 seconds/);
    // The other machine's blocks of before, from a peer or another branch.
    guard.take(block(START + 12, OURS, 8));
    guard.take(block(START + 60, OURS, 9));
    blocks(150);
    assert.deepEqual([heldBack(), journal.locks], ['watching', []]);
  }
  node.blocks(9);
  assert.equal(node.heldBack(), undefined);
  twin.guard.take(block(START + 63, OURS, 10));
  twin.blocks(300);
  assert.deepEqual([twin.heldBack(), twin.journal.locks.length], ['foreign', 1]);
});

test('a foreign signature that comes between the unlocking and the next look locks the key again', () => {
  const node = guarded([old], [old]);
  const foreign = { chain: CHAIN, key: OURS, slot: START / 3 + 1, digest: 'ee'.repeat(32), id: '0a'.repeat(20) };
  node.guard.stop(foreign);
  node.journal.locks = [];
  node.guard.stop({ ...foreign, slot: START / 3 + 9 });
  assert.equal(node.journal.foreignLock(CHAIN, OURS)?.slot, START / 3 + 9);
  node.blocks(200);
  assert.equal(node.heldBack(), 'foreign');
});

test('a block of ours is known by its header alone, and one for the same slot with another header is foreign', () => {
  const own = block(START + 3);
  const node = guarded([old], [old]);
  node.journal.record(makeRecord(own));
  node.guard.take({ ...own, id: 'ff'.repeat(20) });
  assert.equal(node.heldBack(), undefined);
  node.guard.take(block(START + 3, OURS, 99));
  assert.equal(node.heldBack(), 'foreign');
});

test('others’ blocks and such as nobody can have signed are nothing to a key', () => {
  const node = guarded([], []);
  node.guard.take(block(START + 3, OTHER));
  node.guard.take({ ...block(START + 3), signer: undefined });
  assert.equal(node.heldBack(), undefined);
});

test('a process that stood still watches a round before it signs again: another machine may have been given the key meanwhile', () => {
  for (const [stoodMs, expected] of [
    [10_000, undefined],
    [20_000, 'watching'],
    [600_000, 'watching'],
  ] as const) {
    const node = guarded([old], [old]);
    node.blocks(5);
    node.clock.stall(stoodMs);
    node.guard.look();
    assert.equal(node.heldBack(), expected, `${stoodMs} ms`);
    // What it knew of its peers is old.
    if (expected !== undefined) assert.equal(node.heldBack(61), 'watching');
    node.guard.takePeers(IN_STEP);
    node.blocks(160);
    assert.equal(node.heldBack(), undefined);
    node.clock.stall(stoodMs);
    node.guard.look();
    assert.equal(node.heldBack(), expected, 'and again');
  }
});

test('where nobody else is meant to be there, the wait after a standstill is over in 30 seconds', () => {
  const node = staleAlone(false);
  node.clock.stall(600_000);
  node.guard.look();
  assert.equal(node.heldBack(), 'watching');
  node.silence(31);
  assert.equal(node.heldBack(), undefined);
  const asked = staleAlone(true);
  asked.clock.stall(600_000);
  asked.guard.look();
  asked.silence(600);
  assert.equal(asked.heldBack(), 'watching', 'it has seeds, and may be parted from them');
});
