import assert from 'node:assert/strict';
import { test } from 'node:test';

import { ClaimEvidence } from '../../../src/p2p/sync/claim_evidence.ts';
import type { Claim } from '../../../src/p2p/sync/peer_claims.ts';
import { PeerClaims } from '../../../src/p2p/sync/peer_claims.ts';
import type { Peer } from '../../../src/p2p/peers/peer.ts';
import { Voices } from '../../../src/p2p/sync/voices.ts';
import { madeUpId, StillChain } from '../../builders/still_chain.ts';
import { House } from '../house.ts';

const HEAD = 100;

/** Peers that have been dialled at these hosts, and what they claim. */
function claimants(...hosts: readonly string[]): {
  chain: StillChain;
  evidence: ClaimEvidence;
  peers: readonly Peer[];
  claim: (index: number, number: number, branch?: number) => Claim;
  all: () => Claim[];
} {
  const house = new House();
  for (const [index, host] of hosts.entries()) house.comes(`${index}`, host);
  const chain = new StillChain(HEAD);
  const voices = new Voices({ pinned: new Set(), allowed: new Set(house.joined.map(({ id }) => id)) });
  const claims = new PeerClaims(1000);
  const evidence = new ClaimEvidence({ view: chain, voices });
  const claim = (index: number, number: number, branch = 9): Claim =>
    claims.note(house.joined[index] ?? assert.fail(host(index)), number, madeUpId(number, branch), HEAD, 0);
  const host = (index: number): string => `nobody came from ${hosts[index]}`;
  return { chain, evidence, peers: house.joined, claim, all: () => claims.all() };
}

test('claims have ten seconds in all, however often they are taken back, of an id and of its address group', () => {
  const { evidence, claim, all } = claimants('77.1.1.1', '77.1.1.2', '78.1.1.1');
  const believed = (index: number, nowMs: number): boolean => evidence.isBelieved(claim(index, HEAD + 5), nowMs);
  for (const index of [1, 2]) claim(index, HEAD);
  let nowMs = 0;
  for (const more of [5, 0, 5, 0, 5]) {
    claim(0, HEAD + more);
    for (let look = 0; look < 40; look++, nowMs += 100) evidence.look(all(), nowMs);
  }
  assert.deepEqual([believed(0, nowMs), believed(1, nowMs), believed(2, nowMs)], [false, false, true]);
  assert.deepEqual(evidence.unproved(all(), nowMs), [5], 'the liar is named, not its neighbour');
  assert(believed(0, nowMs + 601_000), 'and is forgotten after ten minutes');
});

test('who delivers old blocks is believed, and costs nothing whose claim turns out to be a block', () => {
  const { chain, evidence, peers, claim, all } = claimants('77.1.1.1', '78.1.1.1');
  let nowMs = 0;
  const pass = (seconds: number): void => {
    for (const endMs = nowMs + seconds * 1000; nowMs < endMs; nowMs += 100) evidence.look(all(), nowMs);
  };
  const first = claim(0, HEAD + 5, 0);
  const second = claim(1, HEAD + 5);
  pass(11);
  assert.deepEqual([evidence.isBelieved(first, nowMs), evidence.isBelieved(second, nowMs)], [false, false]);
  chain.head = { ...chain.head, number: HEAD + 5, id: madeUpId(HEAD + 5) };
  pass(1);
  assert.deepEqual([evidence.isBelieved(first, nowMs), evidence.isBelieved(second, nowMs)], [true, false]);
  evidence.delivered(peers[1] ?? assert.fail(), nowMs);
  assert(evidence.isBelieved(second, nowMs));
});

test('while blocks of the past arrive nobody is charged: not everybody is asked for them', () => {
  const { evidence, peers, claim, all } = claimants('77.1.1.1', '78.1.1.1');
  for (const index of [0, 1]) claim(index, HEAD + 500);
  for (let nowMs = 0; nowMs < 60_000; nowMs += 100) {
    evidence.delivered(peers[0] ?? assert.fail(), nowMs);
    evidence.look(all(), nowMs);
  }
  assert(!evidence.isLapsed(peers[1] ?? assert.fail(), 60_000));
});
