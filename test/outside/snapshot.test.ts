import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createHash } from 'node:crypto';
import { after, before, test } from 'node:test';
import avsc from 'avsc';
import { numberMember, textMember, type Json } from './json.ts';
import type { Program } from './program.ts';
import { signed, makeTransaction, transfer } from './signer.ts';
import { Site, type Finished } from './site.ts';
import { inLongForm, inShortForm } from '../builders/forms.ts';

const site = new Site();
const file = site.path('state.avro');
let head: { readonly number: number; readonly stateHash: string };
let carol: Json;

const STANDSTILL = ['--block-interval-ms', '900000000'];
const fetchAccount = async (program: Program): Promise<Json> =>
  await program.result('database_api.find_accounts', { accounts: ['carol'], pending: false });

/**
 * A chain with some traffic, that has stopped. What its last blocks did could still be undone, and is not in a
 * snapshot.
 */
before(async () => {
  const program = await site.dev('--data-dir', site.path('origin'), ...STANDSTILL);
  for (const amount of ['1.000000', '2.500000']) {
    const trx = await signed(program, await makeTransaction(program, [transfer('alice', 'carol', amount)]), 'alice');
    await program.result('network_broadcast_api.broadcast_transaction', { trx });
    await program.result('debug_api.produce_blocks', { count: 60 });
  }
  carol = await fetchAccount(program);
  await program.stop();
  const { code, stdout, stderr } = await snapshot('create', '--data-dir', site.path('origin', 'chain'), '--out', file);
  assert.equal(code, 0, stderr);
  const [, number = '', stateHash = ''] =
    /^chain [0-9a-f]{64} \(default\)\nblock (\d+) [0-9a-f]{40}\nstate hash ([0-9a-f]{64})\n\d+ rows/.exec(stdout) ?? [];
  head = { number: Number(number), stateHash };
});

after(() => site.clear());

async function snapshot(...args: string[]): Promise<Finished> {
  return await site.run(['snapshot', ...args]);
}

test('a node begins where the snapshot ends, and has what that chain had', inShortForm, async () => {
  const folder = site.path('loaded');
  const loaded = await snapshot('load', file, '--data-dir', folder, '--own', '--sha256', fileSum(file));
  assert.equal(loaded.code, 0, loaded.stderr);
  const [, line = ''] = /start it with\npharos (.*)\n$/.exec(loaded.stdout) ?? assert.fail(loaded.stdout);
  const program = site.start([...line.split(' '), '--webserver-http-endpoint', '127.0.0.1:0']);
  await program.ready();
  const health: Json = JSON.parse((await program.http('GET', '/health', {})).body);
  assert.deepEqual(
    [numberMember(health, 'head_block_number'), textMember(health, 'state_hash')],
    [head.number, head.stateHash],
  );
  assert.deepEqual(await fetchAccount(program), carol);
  const refused = await program.refusal('block_api.get_block', { block_num: head.number - 1 });
  assert.match(JSON.stringify(refused), new RegExp(`pruned.*${head.number}`));
  await program.stop();
  assert.match((await site.run(['verify', '--data-dir', folder])).stdout, /: intact\n$/);
  // The same state again, of another folder.
  const again = site.path('again.avro');
  assert.equal((await snapshot('create', '--data-dir', folder, '--out', again)).code, 0);
  assert.deepEqual(readFileSync(again), readFileSync(file));
});

test('any program that reads Avro reads a snapshot, with the schema that is in it', async () => {
  const counts = new Map<string, number>();
  const balances: bigint[] = [];
  const number = (value: number): Buffer => Buffer.from(Uint32Array.of(value).buffer);
  const counted = (part: Buffer): Buffer[] => [number(part.length), part];
  const names = (column: { readonly member: string; readonly form: string }): Buffer[] =>
    [column.member, column.form].map((text) => Buffer.from(text));
  let columns = [];
  for await (const { Header, Column, Chunk } of avsc.createFileDecoder(file)) {
    if (Header !== undefined) assert.equal(Header.chain_id, createHash('sha256').update(Header.genesis).digest('hex'));
    if (Column !== undefined) columns.push(Column);
    if (Chunk === undefined) continue;
    const parts = columns.flatMap((column) => [...names(column), column.lengths, column.cells].flatMap(counted));
    const sum = createHash('sha256').update(`${Chunk.table}\0`).update(number(Chunk.rows));
    assert.ok(sum.update(Buffer.concat(parts)).digest().equals(Chunk.sha256));
    const { cells } = columns.find(({ member }) => Chunk.table === 'account' && member === 'balance') ?? {
      cells: Buffer.alloc(0),
    };
    // Eight bytes a balance, split: the first byte of each, then the second of each.
    for (let row = 0; row < cells.length / 8; row++)
      balances.push(
        Buffer.from(Array.from({ length: 8 }, (_, byte) => cells[(byte * cells.length) / 8 + row])).readBigInt64LE(),
      );
    counts.set(Chunk.table, (counts.get(Chunk.table) ?? 0) + Chunk.rows);
    columns = [];
  }
  assert.deepEqual([counts.get('account'), counts.get('dynamic_global_property'), balances.length], [14, 1, 14]);
  assert.ok(balances.includes(BigInt(textMember(carol, 'accounts.0.balance').replaceAll(/\D/gu, ''))));
  const { stdout } = await snapshot('inspect', file);
  for (const [shown, rows] of counts) assert.match(stdout, new RegExp(`^${shown} +${rows} rows +\\d+ bytes$`, 'm'));
});

test('what is damaged, of another chain or not what was wanted leaves nothing behind', inLongForm, async () => {
  const damaged = site.path('damaged.avro');
  const bytes = readFileSync(file);
  writeFileSync(damaged, Buffer.concat([bytes.subarray(0, bytes.length / 2), bytes.subarray(bytes.length / 2 + 1)]));
  const late = site.path('late.avro');
  // By then, rows are in the database.
  writeFileSync(late, Buffer.concat([bytes.subarray(0, -1), Buffer.of((bytes.at(-1) ?? 0) ^ 1)]));
  const nowhere = site.path('nowhere');
  const cases: readonly (readonly [readonly string[], number, RegExp])[] = [
    [['load', damaged, '--data-dir', nowhere, '--own'], 3, /damaged\.avro is no snapshot, or it is damaged: /],
    [['load', late, '--data-dir', nowhere, '--own'], 3, /damaged/],
    [['load', site.path('origin', 'genesis.json'), '--data-dir', nowhere, '--own'], 3, /it is no Avro container file/],
    [['load', site.path('none'), '--data-dir', nowhere, '--own'], 2, /there is no file/],
    [['load', file, '--data-dir', nowhere], 2, /whose file is .*--own.*--sha256.*snapshot-signed-by/],
    [['load', file, '--data-dir', nowhere, '--own', '--chain-id', '00'.repeat(32)], 2, /and chain 0{64} is wanted/],
    [['load', file, '--data-dir', nowhere, '--sha256', '00'.repeat(32)], 2, /has sha256 [0-9a-f]{64}, not the one/],
    [['load', file, '--data-dir', nowhere, '--sha256', 'short'], 2, /64 hexadecimal digits expected/],
    [['load', file, '--data-dir', site.path('origin', 'chain'), '--own'], 2, /holds a chain already/],
    [['verify', damaged], 3, /damaged/],
    [['inspect', damaged], 3, /damaged/],
    [['create', '--data-dir', nowhere, '--out', site.path('x')], 2, /cannot read the genesis file/],
  ];
  for (const [args, code, text] of cases) {
    const answer = await snapshot(...args);
    assert.deepEqual([answer.code, text.test(answer.stderr)], [code, true], `${args.join(' ')}: ${answer.stderr}`);
    assert.ok(!existsSync(nowhere), args.join(' '));
  }
  assert.deepEqual(
    readdirSync(site.folder).filter((name) => name.includes('unfinished')),
    [],
  );
  const { code, stdout } = await snapshot('verify', file);
  assert.deepEqual([code, /state hash [0-9a-f]{64}\nintact\n$/.test(stdout)], [0, true]);
});

function fileSum(path: string): string {
  return createHash('sha256').update(readFileSync(path)).digest('hex');
}
