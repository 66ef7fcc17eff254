import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { writeJson } from '../../src/codec/json_writer.ts';
import { sha256Binary } from '../../src/crypto/hashes.ts';
import { accountRowsNamed } from '../../src/queries/records/account.ts';
import { listMethods } from '../../src/rpc/methods.ts';
import { Consequences } from '../../src/state/consequences.ts';
import { tables } from '../../src/state/tables/index.ts';
import type { KeyValueReader } from '../../src/storage/key_value.ts';
import { MemoryStore } from '../../src/storage/memory.ts';
import { UndoSessions } from '../../src/storage/undo_session.ts';
import { View } from '../../src/storage/view.ts';
import { openChain, produce, testParameters, unsignedTransaction } from '../builders/chain.ts';
import {
  heaviestBodies,
  heaviestCalls,
  makeHostile,
  type Ground,
  type HostileChain,
} from '../builders/hostile_chain.ts';
import { callInSteps, SteppingClock } from '../builders/stepped_calls.ts';
import { dispatcherOver } from './methods/node_of_methods.ts';
import { isLong } from '../builders/forms.ts';

// Rows of this size take some 10 ms on a quiet machine: a row of 8 KiB takes 50 to 80 µs to read, to decode and to
// write, a small one 5.
const MOST_BYTES = 1.25 * 1024 * 1024;
const MOST_ROWS = 2100;
/** Of the calls by which a method may be heavy. */
const MOST_OF_A_METHOD = isLong ? Infinity : 1;

const parameters = testParameters();
const store = new MemoryStore();
const chain = openChain(parameters, store);
let hostile: HostileChain;

const ground: Ground = {
  parameters,
  accept: (operation, signer) => chain.accept(unsignedTransaction(chain, parameters, [operation], [signer])),
  seal: () => void produce(chain),
  get head() {
    return chain.head.number;
  },
  write(change) {
    const rows = new UndoSessions({ committed: store, register: tables, sha256: sha256Binary, cachedBytes: 1_000_000 });
    rows.beginBlock();
    change({
      rows,
      parameters,
      consequences: new Consequences(),
      isAccepting: false,
      emit: () => {},
      remark: () => {},
    });
    store.write(rows.seal({ undo: false }).batch);
    rows.markCommitted();
  },
};

before(() => void (hostile = makeHostile(ground, { heavy: 150, rows: 1200, documents: 150, transfers: 1000 })));

/** The reads since the last step. */
let [rowsRead, bytesRead] = [0, 0];

const count = (value: Uint8Array | undefined): void => {
  rowsRead++;
  bytesRead += value?.length ?? 0;
};

const counted: KeyValueReader = {
  get(column, key) {
    const value = store.get(column, key);
    count(value);
    return value;
  },
  getMany(column, keys) {
    const values = store.getMany(column, keys);
    for (const value of values) count(value);
    return values;
  },
  range(column, range) {
    const entries = store.range(column, range);
    for (const { value } of entries) count(value);
    return entries;
  },
  version: () => store.version(),
};

async function mostInStep(body: string): Promise<{ rows: number; bytes: number; steps: number; answer: string }> {
  const view = new View(counted, 1000);
  const dispatcher = dispatcherOver(chain, counted, parameters, {
    clock: new SteppingClock(chain.head.time * 1000),
    intake: {
      pendingAccounts: async (names) => {
        await nextTurn();
        return accountRowsNamed(view, parameters, names);
      },
    },
    verifiers: { recover: async (_, signatures) => await Promise.resolve(signatures.map(() => undefined)) },
    report: () => undefined,
  });
  let [rows, bytes, steps] = [0, 0, 0];
  const answer = await callInSteps(dispatcher, Buffer.from(body), () => {
    steps++;
    [rows, bytes] = [Math.max(rows, rowsRead), Math.max(bytes, bytesRead)];
    [rowsRead, bytesRead] = [0, 0];
  });
  return { rows, bytes, steps, answer: answer.toString() };
}

test('no method reads more at once than takes 10 ms, whatever it is asked on whatever chain', async () => {
  const methods = listMethods(parameters.profile);
  const served = heaviestCalls(methods, hostile).filter(({ method }) => methods.get(method)?.run.kind !== 'hand_on');
  assert.ok(served.length > 150);
  const seen = new Map<string, number>();
  for (const { method, params } of served) {
    seen.set(method, (seen.get(method) ?? 0) + 1);
    if ((seen.get(method) ?? 0) > MOST_OF_A_METHOD) continue;
    const body = writeJson({ jsonrpc: '2.0', id: 1, method, params });
    const { rows, bytes, answer } = await mostInStep(body);
    const shown = `${body.slice(0, 200)}: ${rows} rows, ${bytes} bytes`;
    assert.ok(rows <= MOST_ROWS && bytes <= MOST_BYTES, shown);
    assert.ok(
      !/params_|unknown_member|missing_member|bad_member|bad_value/.test(answer.slice(0, 1000)) ||
        body.length > 131_072,
      `${shown}: ${answer.slice(0, 300)}`,
    );
  }
});

test('what is long is answered in many steps', async () => {
  const { transferBlock, documentBlock } = hostile;
  const long = {
    'block_api.get_block': { block_num: documentBlock },
    'account_history_api.get_ops_in_block': { block_num: transferBlock },
    'database_api.list_accounts': { start: null, limit: 1000, order: 'by_balance' },
    'database_api.list_applications': { start: null, limit: 1000, order: 'by_author_reverse' },
    'custom_api.get_app_custom_messages': { app_id: 1, start: -1, limit: 150 },
    'account_history_api.get_account_history': { account: 'alice', start: -1, limit: 1000 },
    'rpc.discover': {},
  };
  for (const [method, params] of Object.entries(long)) {
    const { steps, answer } = await mostInStep(writeJson({ jsonrpc: '2.0', id: 1, method, params }));
    assert.ok(steps > 10, `${method}: ${steps} steps, ${answer.slice(0, 200)}`);
  }
});

test('bodies that no method takes are refused before they are read', async () => {
  for (const [name, body] of Object.entries(heaviestBodies())) {
    const { answer, rows } = await mostInStep(body);
    assert.match(answer, /"name":"params_too_(?:long|many)"/, name);
    assert.equal(rows, 0);
  }
});
