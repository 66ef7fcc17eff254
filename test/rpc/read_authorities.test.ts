import assert from 'node:assert/strict';
import { test } from 'node:test';
import { systemClock, type Clock } from '../../src/base/clock.ts';
import { sha256Binary } from '../../src/crypto/hashes.ts';
import { readAuthorities } from '../../src/rpc/read_authorities.ts';
import { accountAuthorities, type AccountAuthority } from '../../src/state/tables/account_authority.ts';
import { tables } from '../../src/state/tables/index.ts';
import { MemoryStore } from '../../src/storage/memory.ts';
import { UndoSessions } from '../../src/storage/undo_session.ts';
import { View } from '../../src/storage/view.ts';
import { testKey, openChain, testParameters } from '../builders/chain.ts';

const parameters = testParameters();
const names = Array.from({ length: 60 }, (_, k) => `account${k}`);
const required = { active: ['root'], owner: [], other: [] };
const nothing = { weight_threshold: 1, account_auths: [], key_auths: [] };

const store = new MemoryStore();
openChain(parameters, store);
const sessions = new UndoSessions({ committed: store, register: tables, sha256: sha256Binary, cachedBytes: 100_000 });

/** Commits an account whose active authority names sixty, each with the same key. */
function commit(owner: string): void {
  const makeRow = (account: string, active: AccountAuthority['active']): AccountAuthority => ({
    account,
    owner: nothing,
    active,
    last_owner_update: 0,
  });
  sessions.beginBlock();
  sessions.put(accountAuthorities, makeRow('root', { ...nothing, account_auths: names.map((name) => [name, 1]) }));
  for (const name of names)
    sessions.put(accountAuthorities, makeRow(name, { ...nothing, key_auths: [[testKey(owner), 1]] }));
  store.write(sessions.seal({ undo: false }).batch);
  sessions.markCommitted();
}

/** Reads with `meanwhile` in each pause; the keys that were found, and the number of pauses. */
async function read(meanwhile: () => void): Promise<{ readonly keys: ReadonlySet<string>; readonly pauses: number }> {
  let pauses = 0;
  const clock: Clock = {
    ...systemClock,
    after(delayMs, run) {
      pauses++;
      meanwhile();
      return systemClock.after(delayMs, run);
    },
  };
  const lookup = await readAuthorities({ rows: new View(store, 100), parameters, clock }, required);
  return { keys: new Set(names.map((name) => lookup.active(name).key_auths[0]?.[0] ?? '')), pauses };
}

test('many accounts are read a few at a time, and others are served in between', async () => {
  commit('alice');
  const { keys, pauses } = await read(() => undefined);
  assert.deepEqual(keys, new Set([testKey('alice')]));
  assert.ok(pauses >= 3, `${pauses} pauses`);
});

test('a block that comes meanwhile is seen whole, and one with each pause holds up nothing', async () => {
  commit('alice');
  let blocks = 0;
  const once = await read(() => void (blocks++ === 0 && commit('bob')));
  assert.deepEqual(once.keys, new Set([testKey('bob')]));
  const always = await read(() => commit(blocks++ % 2 === 0 ? 'alice' : 'bob'));
  assert.equal(always.keys.size, 1);
  assert.equal(always.pauses, 3);
});
