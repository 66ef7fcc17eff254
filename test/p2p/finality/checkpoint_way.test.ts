import assert from 'node:assert/strict';
import { test } from 'node:test';

import { present } from '../../../src/base/assert.ts';
import { NO_VOTERS, voteDigest } from '../../../src/blocks/finality/vote.ts';
import { isVoteSigned } from '../../../src/blocks/finality/vote_signature.ts';
import { quorumSize, epochVoters, type Voters } from '../../../src/blocks/finality/voters.ts';
import { CheckpointWay } from '../../../src/p2p/finality/checkpoint_way.ts';
import type { BoundaryCertificate } from '../../../src/wire/messages/finality.ts';
import { testKey, testSecret } from '../../builders/chain.ts';
import { quickSignature } from '../../builders/quick_signature.ts';
import { RandomSource } from '../../builders/random_source.ts';

const CHAIN = 'c'.repeat(64);
const EPOCHS = 30;
const NOW = 1_800_000_000;
const INTERVAL = 3;
const secrets = new Map(Array.from({ length: 60 }, (_, at) => [testKey(`voter ${at}`), testSecret(`voter ${at}`)]));
const keys = [...secrets.keys()];

/** Seven voters, of whom `speed` are others in each epoch. */
function makeEpochs(speed: number, prefix = 0): Voters[] {
  return Array.from({ length: EPOCHS }, (_, epoch) => {
    const first = prefix + Math.trunc(epoch * speed);
    return epochVoters(CHAIN, epoch, keys.slice(first, first + 7));
  });
}

function boundary(
  voters: Voters,
  next: Voters | undefined,
  kind: 'commit' | 'prepare' = 'commit',
): BoundaryCertificate {
  const subject = {
    ...{ epoch: voters.epoch, voters: voters.digest, kind, view: NOW / INTERVAL - 1000 + voters.epoch },
    ...{ block: '0'.repeat(40), header: NO_VOTERS, root: NO_VOTERS, next_voters: next?.digest ?? NO_VOTERS },
  };
  const digest = voteDigest(CHAIN, subject);
  const signatures = Array.from({ length: quorumSize(voters) }, (_, voter) => ({
    voter,
    signature: quickSignature(digest, present(secrets.get(voters.keys[voter] ?? ''), 'a secret')),
  }));
  return { certificate: { subject, signatures }, voters: { epoch: voters.epoch, keys: voters.keys } };
}

function walkWay(
  target: number,
  all: readonly Voters[],
  options: { time?: number; told?: Voters; from?: number } = {},
) {
  const { time = NOW - 3600, told = all[target], from = 0 } = options;
  return new CheckpointWay({
    chainId: CHAIN,
    intervalSeconds: INTERVAL,
    checkpoint: { epoch: from, voters: present(all[from], 'voters').digest, time },
    target,
    finality: { votersOf: (epoch) => (epoch === target ? told : undefined) },
    verify: isVoteSigned,
    nowSeconds: () => NOW,
  });
}

/** Answers as nodes do: up to `most` boundaries from that epoch on. */
function answer(all: readonly Voters[], from: number, most: number): BoundaryCertificate[] {
  return all
    .slice(from, Math.min(from + most, all.length - 1))
    .map((voters) => boundary(voters, all[voters.epoch + 1]));
}

/** The requests until the way is found. */
function countRequests(way: CheckpointWay, all: readonly Voters[], most: number): number {
  for (let requests = 0; requests < 100; requests++) {
    if (way.isThere) return requests;
    way.take(answer(all, way.wanted ?? assert.fail('nothing is wanted, and it is not there'), most));
  }
  return assert.fail('the way is never found');
}

test('the way from a checkpoint to the voters of a snapshot is found, by few answers where voters stay', () => {
  const slow = makeEpochs(0.1);
  assert.equal(countRequests(walkWay(0, slow), slow, 5), 0);
  assert.equal(countRequests(walkWay(1, slow), slow, 5), 1);
  // The keys of the checkpoint, then the last certificate before the snapshot.
  assert.equal(countRequests(walkWay(25, slow), slow, 5), 2);
  for (const speed of [0.4, 1, 1.6]) {
    const all = makeEpochs(speed);
    for (const target of [2, 9, 20, 28]) for (const most of [1, 5, 64]) countRequests(walkWay(target, all), all, most);
  }
});

test('a snapshot that names other voters than those to whom the checkpoint leads is never believed', () => {
  const [all, others] = [makeEpochs(0.2), makeEpochs(0.2, 20)];
  const way = walkWay(25, all, { told: present(others[25], 'voters') });
  for (let request = 0; request < 10; request++) {
    way.take(answer(all, 0, 64));
    // The liar's own certificates are by voters whom the checkpoint does not name.
    way.take(answer(others, 0, 64));
    assert.equal(way.isThere, false);
  }
});

test('forged certificates, prepares and those of the future lead nowhere, and take nothing from the true ones', () => {
  const random = new RandomSource(3);
  const all = makeEpochs(0.2);
  const way = walkWay(20, all);
  const forged = answer(all, 0, 20).map(({ certificate, voters }) => ({
    voters,
    certificate: { ...certificate, subject: { ...certificate.subject, next_voters: 'ab'.repeat(32) } },
  }));
  const prepares = all.slice(0, 20).map((voters) => boundary(voters, all[voters.epoch + 1], 'prepare'));
  const future = answer(all, 0, 20).map(({ certificate, voters }) => ({
    voters,
    certificate: { ...certificate, subject: { ...certificate.subject, view: NOW } },
  }));
  for (let turn = 0; turn < 5; turn++) way.take(random.shuffle([...forged, ...prepares, ...future]));
  assert.deepEqual([way.isThere, way.wanted], [false, 0]);
  countRequests(way, all, 5);
});

test('whoever is answered in vain again and again asks no more', () => {
  const all = makeEpochs(0.1);
  const way = walkWay(25, all);
  let requests = 0;
  // No peer keeps the epoch of the checkpoint.
  for (; way.wanted !== undefined && requests < 100; requests++) way.take(answer(all, 5, 10));
  assert.deepEqual([requests, way.isThere], [20, false]);
});

test('a checkpoint that is older than a month leads on only by voters whom each step names', () => {
  const all = makeEpochs(0.1);
  const old = walkWay(25, all, { time: NOW - 31 * 86_400 });
  old.take(answer(all, 0, 1));
  // The certificate that was just verified is young.
  assert.equal(countRequests(old, all, 5), 1);
  const lost = walkWay(25, all, { time: NOW - 31 * 86_400 });
  lost.take(answer(all, 24, 1));
  assert.equal(lost.isThere, false);
});
