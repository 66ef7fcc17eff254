import assert from 'node:assert/strict';
import { test } from 'node:test';

import { present } from '../../../src/base/assert.ts';
import { requireCertificate } from '../../../src/blocks/finality/certificate.ts';
import { Chain } from '../../../src/chain/chain.ts';
import type { ChainChange } from '../../../src/chain/forks/chain_change.ts';
import { verify } from '../../../src/crypto/verify.ts';
import { lastConfirmed } from '../../../src/state/last_irreversible.ts';
import { MemoryStore } from '../../../src/storage/memory.ts';
import { openChain } from '../../builders/chain.ts';
import { makeCertificate, finalise } from '../../builders/certificates.ts';
import { copyBlock, growSide, HERE, partedChains, partedParameters, THERE } from '../../builders/parted_witnesses.ts';

const ALL = [...HERE, ...THERE];
const parameters = partedParameters({ finality: true });

test('confirmations make nothing final where votes do, and are told beside it', () => {
  const { here } = partedChains(parameters);
  growSide(here, ALL, 20);
  assert.equal(here.head.lastIrreversible, 0);
  assert.ok(lastConfirmed(here.committed) > 10);
  const { here: without } = partedChains();
  growSide(without, ALL, 20);
  assert.equal(without.head.lastIrreversible, lastConfirmed(without.committed));
});

test('a certificate makes its block final, on disk before it is told, and the next run finds both', () => {
  const store = new MemoryStore();
  const changes: ChainChange[] = [];
  const finals: number[] = [];
  const { there } = partedChains(parameters);
  const chain = new Chain({
    ...{ store, parameters, durable: false },
    changed(change) {
      changes.push(change);
      finals.push(new Chain({ store, parameters, durable: false }).head.lastIrreversible);
    },
  });
  for (let number = 1; number <= there.head.number; number++)
    chain.push(copyBlock(parameters, present(there.block(number), 'a block')));
  const { number } = chain.head;
  changes.length = finals.length = 0;
  const version = store.version();
  const certificate = finalise(chain, parameters, number - 1);
  assert.deepEqual(changes, [{ undone: [], applied: [] }]);
  assert.deepEqual(finals, [number - 1], 'whoever is told finds it on the disk');
  assert.ok(store.version() > version, 'answers of before are not given again');
  const again = openChain(parameters, store);
  assert.equal(again.head.lastIrreversible, number - 1);
  assert.deepEqual(again.voted.finalCertificate, certificate);
  assert.equal(again.head.id, chain.head.id);
});

test('an earlier block or the same one changes nothing, and is told to nobody', () => {
  const { here, store } = partedChains(parameters);
  const { number } = here.head;
  finalise(here, parameters, number);
  const version = store.version();
  for (const earlier of [number, number - 1, number - 5]) finalise(here, parameters, earlier);
  assert.deepEqual([here.head.lastIrreversible, store.version()], [number, version]);
});

test('a block that is not on the main branch is not made final', () => {
  const { here, there } = partedChains(parameters);
  growSide(here, HERE, 2);
  const [side] = growSide(there, THERE, 1);
  const certificate = makeCertificate(there, parameters, there.head.number);
  assert.throws(() => here.finalise(present(side, 'a block').id, certificate), { message: /is on the main branch/ });
});

test('what a certificate proves can not be undone: not by a longer branch, not by an operator', () => {
  const { here, there } = partedChains(parameters, new MemoryStore());
  const [final] = growSide(here, HERE, 1);
  finalise(here, parameters, here.head.number);
  const long = growSide(there, THERE, 3);
  for (const block of long) {
    try {
      here.push(copyBlock(parameters, block));
    } catch (error) {
      assert.match(String(error), /is too old|does not know/);
    }
  }
  assert.equal(here.head.id, final?.id);
  assert.throws(() => here.undo(), { code: 'nothing_to_undo' });
  assert.throws(() => here.revert(here.head.number - 1), { code: 'nothing_to_undo' });
  here.revert(here.head.number);
  assert.equal(here.head.lastIrreversible, here.head.number);
});

test('blocks keep their undo records until they are final, however old they are', () => {
  const { here, there } = partedChains(parameters);
  const fork = here.head.number;
  growSide(here, HERE, 60);
  assert.ok(lastConfirmed(here.committed) <= fork || here.head.number - lastConfirmed(here.committed) < 60);
  const long = growSide(there, THERE, 61);
  for (const block of long) here.push(copyBlock(parameters, block));
  assert.equal(here.head.id, there.head.id);
  assert.equal(here.head.stateHash, there.head.stateHash);
});

test('imported blocks can not be undone, and none of them is told as final before a certificate says so', () => {
  const { here } = partedChains(parameters);
  const blocks = Array.from({ length: here.head.number }, (_, at) =>
    copyBlock(parameters, present(here.block(at + 1), 'a block')),
  );
  const store = new MemoryStore();
  const imported = openChain(parameters, store);
  imported.replay(blocks.slice(0, 5), { signatures: false });
  imported.replay(blocks.slice(5), { signatures: false });
  assert.deepEqual([imported.head.lastIrreversible, imported.settled], [0, blocks.length]);
  assert.throws(() => imported.undo(), { code: 'nothing_to_undo' });
  const next = growSide(here, ALL, 6);
  for (const block of next) imported.push(copyBlock(parameters, block));
  assert.ok(imported.hasSigner('alice', present(here.signingKeyOf('alice'), 'a key')));
  assert.equal(openChain(parameters, store).head.lastIrreversible, 0);
  for (const number of [blocks.length - 1, imported.head.number]) {
    const certificate = makeCertificate(here, parameters, number);
    imported.finalise(certificate.subject.block, certificate);
    assert.equal(imported.head.lastIrreversible, number);
  }
});

test('votes of all chains that have a block state the same of it, whatever branches they have seen', () => {
  const { here, there } = partedChains(parameters);
  growSide(here, HERE, 9);
  const fresh = openChain(parameters);
  for (const block of growSide(there, THERE, 10)) here.push(copyBlock(parameters, block));
  for (let number = 1; number <= there.head.number; number++)
    fresh.push(copyBlock(parameters, present(there.block(number), 'a block')));
  const imported = openChain(parameters);
  imported.replay(
    Array.from({ length: there.head.number }, (_, at) =>
      copyBlock(parameters, present(there.block(at + 1), 'a block')),
    ),
    { signatures: false },
  );
  const seen = new Set<string>();
  for (let number = 1; number <= there.head.number; number++) {
    const stated = there.voted.statedAt(number);
    for (const chain of [here, fresh, imported])
      assert.deepEqual(chain.voted.statedAt(number), stated, `block ${number}`);
    seen.add(stated.root);
  }
  assert.equal(seen.size, there.head.number);
  for (let epoch = 0; 4 * epoch <= there.head.number; epoch++)
    for (const chain of [here, fresh, imported])
      assert.deepEqual(chain.voted.votersOf(epoch), there.voted.votersOf(epoch));
  assert.equal(here.voted.votersOf(Math.trunc(here.head.number / 4) + 1), undefined);
});

test('the voters of an epoch are the keys of the round that its boundary schedules, and their certificate is accepted', () => {
  const { here } = partedChains(parameters);
  growSide(here, ALL, 8);
  const last = Math.trunc(here.head.number / 4);
  const voters = present(here.voted.votersOf(last), 'voters');
  assert.equal(voters.keys.length, 4);
  assert.deepEqual(voters.keys, [...voters.keys].sort());
  assert.equal(present(here.voted.votersOf(0), 'voters').keys.length, 1);
  const certificate = makeCertificate(here, parameters, here.head.number);
  const epoch = present(here.voted.votersOf(certificate.subject.epoch), 'voters');
  const bytes = (hex: string): Uint8Array => Buffer.from(hex, 'hex');
  requireCertificate(parameters.chainId, certificate, epoch, (digest, signature, key) =>
    verify(digest, bytes(signature), bytes(key)),
  );
});

test('a folder that was written before its chain had finality is refused, and not touched', () => {
  const before = partedParameters();
  const store = new MemoryStore();
  partedChains(before, store);
  const version = store.version();
  assert.throws(() => openChain({ ...before, hasFinality: true }, store), {
    code: 'configuration',
    message: /written without finality/,
  });
  assert.equal(store.version(), version);
  partedChains({ ...before, hasFinality: true }, new MemoryStore());
});
