import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { quickSignature } from '../builders/quick_signature.ts';
import { inLongForm } from '../builders/forms.ts';
import { at, listMember, optionalMember, numberMember, textMember, type Json } from './json.ts';
import { readRefusal, type Program } from './program.ts';
import {
  fetchBalance,
  fetchChainId,
  signingDigest,
  testSecret,
  signed,
  makeTransaction,
  transfer,
  unsignedBytes,
  withOtherForm,
} from './signer.ts';
import { Site } from './site.ts';
import { waitUntil } from './wait_until.ts';

const site = new Site();
let program: Program;

before(async () => {
  // Larger blocks than a witness votes for by itself: the flood below is to fit.
  program = await site.dev('--fresh', '--maximum-block-size', '50331648');
});

after(() => site.clear());

const WITHOUT_WAITING = 'network_broadcast_api.broadcast_transaction';
const WAITING = 'network_broadcast_api.broadcast_transaction_synchronous';

test('a broadcast without waiting is answered before the block, and its transaction comes into one', async () => {
  const trx = await signed(
    program,
    await makeTransaction(program, [transfer('alice', 'bob', '0.000001', 'async')]),
    'alice',
  );
  assert.deepEqual(await program.result(WITHOUT_WAITING, { trx }), {});
  const tx_id = at(await program.result('alexandria_api.get_transaction_id', { tx: trx }), 'tx_id');
  const found = await waitUntil('the transaction to be in a block', async () => {
    const envelope = await program.call('alexandria_api.get_transaction', { tx_id });
    return optionalMember(envelope, 'result.tx');
  });
  assert(numberMember(found, 'block_num') > 0);
});

test('a broadcast that waits is answered with the block, which is there by then', async () => {
  const trx = await signed(
    program,
    await makeTransaction(program, [transfer('alice', 'bob', '0.000001', 'sync')]),
    'alice',
  );
  const done = await program.result(WAITING, { trx });
  assert.equal(at(done, 'expired'), false);
  const block = await program.result('block_api.get_block', { block_num: at(done, 'block_num') });
  assert.deepEqual(
    at(listMember(block, 'transactions')[numberMember(done, 'trx_num')] ?? null, 'signatures'),
    at(trx, 'signatures'),
  );
});

test('signatures of any form and order come into the block in the one that the chain takes, under the same id', async () => {
  const operations = [transfer('alice', 'bob', '0.000001', 'forms'), transfer('carol', 'bob', '0.000001')];
  const trx = await signed(program, await makeTransaction(program, operations), 'alice', 'carol');
  const good = listMember(trx, 'signatures').map(String).toSorted();
  const posted = [...good].reverse().map(withOtherForm);
  const done = await program.result(WAITING, { trx: { ...trx, signatures: posted } });
  const block = await program.result('block_api.get_block', { block_num: at(done, 'block_num') });
  assert.deepEqual(at(listMember(block, 'transactions')[numberMember(done, 'trx_num')] ?? null, 'signatures'), good);
  assert.equal(at(done, 'id'), at(await program.result('alexandria_api.get_transaction_id', { tx: trx }), 'tx_id'));
  assert.deepEqual(await program.result('database_api.verify_authority', { trx: { ...trx, signatures: posted } }), {
    valid: true,
  });
});

test('a broadcast that no block can take any more is answered at once', async () => {
  const balance = await fetchBalance(program, 'dave');
  // Valid now, and expired before the next block can be.
  const done = await waitUntil('a transaction that expires between two blocks', async () => {
    const trx = await signed(
      program,
      await makeTransaction(program, [transfer('carol', 'dave', '1.000000')], 1),
      'carol',
    );
    const envelope = await program.call(WAITING, { trx });
    if (optionalMember(envelope, 'error') === undefined) return at(envelope, 'result');
    assert.equal(readRefusal(envelope).name, 'transaction_expired');
    return undefined;
  });
  assert.deepEqual([at(done, 'expired'), at(done, 'trx_num')], [true, -1]);
  assert.equal(await fetchBalance(program, 'dave'), balance);
});

test('the same transaction can be waited for by any number at once', async () => {
  const trx = await signed(
    program,
    await makeTransaction(program, [transfer('alice', 'bob', '0.000001', 'twice')]),
    'alice',
  );
  const answers = await Promise.all(Array.from({ length: 5 }, async () => await program.call(WAITING, { trx })));
  const results = answers.flatMap((answer) => optionalMember(answer, 'result') ?? []);
  assert.ok(results.length > 0);
  for (const result of results) assert.deepEqual(result, results[0]);
  // One that comes behind the block is told that the transaction was sent before.
  const refused = answers.filter((answer) => optionalMember(answer, 'error') !== undefined);
  for (const answer of refused) assert.equal(readRefusal(answer).name, 'duplicate_transaction');
});

test('a head that is young enough for the asker is taken', async () => {
  const trx = await signed(
    program,
    await makeTransaction(program, [transfer('alice', 'bob', '0.000001', 'fresh')]),
    'alice',
  );
  // The time of a development chain in a hurry runs ahead of the clock, so its head is never old.
  assert.deepEqual(await program.result(WITHOUT_WAITING, { trx, max_block_age: 0 }), {});
});

test('a WebSocket takes calls and broadcasts as HTTP does', async () => {
  const socket = await program.socket();
  try {
    const trx = await signed(
      program,
      await makeTransaction(program, [transfer('erin', 'frank', '0.000002', 'over a socket')]),
      'erin',
    );
    const done = await socket.call(WAITING, { trx }, 'waits');
    assert(numberMember(done, 'result.block_num') > 0);
    const found = await socket.call('alexandria_api.get_transaction', { tx_id: at(done, 'result.id') }, 2);
    assert.equal(at(found, 'result.tx.block_num'), at(done, 'result.block_num'));
  } finally {
    socket.close();
  }
});

test('a call that waits does not hold up others of the same socket', async () => {
  const socket = await program.socket();
  try {
    const trx = await signed(
      program,
      await makeTransaction(program, [transfer('erin', 'frank', '0.000003', 'slow')]),
      'erin',
    );
    socket.send(JSON.stringify({ jsonrpc: '2.0', id: 'slow', method: WAITING, params: { trx } }));
    socket.send(JSON.stringify({ jsonrpc: '2.0', id: 'quick', method: 'alexandria_api.get_version', params: {} }));
    const frames: Json[] = [JSON.parse(await socket.next()), JSON.parse(await socket.next())];
    assert.deepEqual(
      frames.map((frame) => at(frame, 'id')),
      ['quick', 'slow'],
    );
  } finally {
    socket.close();
  }
});

test('a batch mixes reads, broadcasts, refusals and notifications, and answers what is to be answered', async () => {
  const trx = await signed(
    program,
    await makeTransaction(program, [transfer('grace', 'heidi', '0.000004', 'in a batch')]),
    'grace',
  );
  const call = (id: number | undefined, method: string, params: Json = {}): Json => ({
    jsonrpc: '2.0',
    method,
    params,
    ...(id === undefined ? {} : { id }),
  });
  const { body } = await program.raw(
    JSON.stringify([
      call(1, 'alexandria_api.get_version'),
      call(2, WAITING, { trx }),
      call(undefined, 'alexandria_api.get_version'),
      call(3, 'no.such_method'),
      call(4, WAITING, { trx: {} }),
    ]),
  );
  const answers: readonly Json[] = JSON.parse(body);
  assert.deepEqual(
    answers.map((answer) => at(answer, 'id')),
    [1, 2, 3, 4],
  );
  assert(numberMember(answers[1] ?? null, 'result.block_num') > 0);
  assert.equal(at(answers[2] ?? null, 'error.code'), -32601);
  assert.notEqual(optionalMember(answers[3] ?? null, 'error'), undefined);
});

test('a batch of notifications gets no answer, and its broadcasts count all the same', async () => {
  const balance = await fetchBalance(program, 'judy');
  const trx = await signed(
    program,
    await makeTransaction(program, [transfer('ivan', 'judy', '0.000005', 'silent')]),
    'ivan',
  );
  const { status, body } = await program.raw(
    JSON.stringify([{ jsonrpc: '2.0', method: WITHOUT_WAITING, params: { trx } }]),
  );
  assert.deepEqual([status, body], [204, '']);
  await waitUntil('the transfer', async () => (await fetchBalance(program, 'judy')) === balance + 5n || undefined);
});

const FLOOD = 20_000;
const PER_BODY = 100;
const PAYERS = ['alice', 'carol', 'erin', 'grace', 'ivan'];

/** Transfers of one millionth, all different, made by changing the memo in the bytes of the first. */
async function flood(count: number): Promise<Json[]> {
  const chainId = await fetchChainId(program);
  const templates = await Promise.all(
    PAYERS.map(async (payer) => {
      const transaction = await makeTransaction(program, [transfer(payer, 'bob', '0.000001', memoText(0))]);
      const bytes = await unsignedBytes(program, transaction);
      return {
        payer,
        bytes,
        place: bytes.indexOf(memoText(0)),
        text: JSON.stringify(transaction),
        secret: testSecret(payer),
      };
    }),
  );
  const made: Json[] = [];
  for (let index = 0; index < count; index++) {
    const { bytes, place, text, secret } = templates[index % templates.length] ?? assert.fail();
    const memo = memoText(index);
    bytes.write(memo, place);
    made.push({
      ...JSON.parse(text.replace(memoText(0), memo)),
      signatures: [quickSignature(signingDigest(chainId, bytes), secret)],
    });
    // Seconds of signing in one go would leave the connections unattended.
    if (index % 100 === 0) await new Promise(setImmediate);
  }
  return made;
}

function memoText(index: number): string {
  return `flood ${String(index).padStart(8, '0')}`;
}

async function postInBodies(transactions: readonly Json[]): Promise<void> {
  const bodies = Array.from({ length: Math.ceil(transactions.length / PER_BODY) }, (_, index) =>
    transactions.slice(index * PER_BODY, (index + 1) * PER_BODY),
  );
  const poster = async (): Promise<void> => {
    for (let body = bodies.pop(); body !== undefined; body = bodies.pop()) {
      const answers = await program.batch(body.map((trx) => ({ method: WITHOUT_WAITING, params: { trx } })));
      for (const answer of answers) assert.deepEqual(at(answer, 'result'), {});
    }
  };
  await Promise.all(Array.from({ length: 8 }, poster));
}

test(
  'blocks keep coming and reads are answered while 20 000 broadcasts are posted, and all of them count',
  inLongForm,
  async () => {
    const transactions = await flood(FLOOD);
    const balance = await fetchBalance(program, 'bob');
    const posting = new AbortController();
    const heads = new Set<number>();
    let reads = 0;
    const reader = async (): Promise<void> => {
      while (!posting.signal.aborted) {
        const info = await program.result('alexandria_api.info');
        heads.add(numberMember(info, 'info.head_block_number'));
        assert.match(
          textMember(await program.result('alexandria_api.get_version'), 'version_info.blockchain_version'),
          /^\d/,
        );
        reads += 2;
      }
    };
    const reading = reader();
    await postInBodies(transactions).finally(() => posting.abort());
    await reading;
    assert(heads.size >= 3, `blocks came while the broadcasts were posted: ${[...heads].join()}`);
    assert(reads >= 10, `${reads} reads were answered meanwhile`);
    await waitUntil(
      'all transfers',
      async () => (await fetchBalance(program, 'bob')) >= balance + BigInt(FLOOD) || undefined,
    );
    assert.equal(await fetchBalance(program, 'bob'), balance + BigInt(FLOOD));
  },
);
