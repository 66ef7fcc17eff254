import assert from 'node:assert/strict';
import { test } from 'node:test';
import { broadcastMethods } from '../../src/rpc/broadcast_request.ts';
import { listMethods } from '../../src/rpc/methods.ts';
import { profiles } from '../../src/values/profile.ts';

test('verifiers know every method whose params they read, and no other', () => {
  for (const profile of Object.values(profiles)) {
    const all = [...listMethods(profile, { debug: true, network: true, production: true, snapshots: true }).values()];
    const read = all.filter(({ request }) => request !== undefined).map(({ name }) => name);
    assert.deepEqual(read.toSorted(), [...broadcastMethods.keys()].toSorted());
    assert.ok(all.every(({ request, run }) => (request !== undefined) === (run.kind === 'hand_on')));
  }
});
