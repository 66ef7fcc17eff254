import assert from 'node:assert/strict';
import { after, before, test, type TestContext } from 'node:test';
import { textBytes, textOfBytes } from '../../src/codec/bytes.ts';
import type { Json } from '../../src/codec/json.ts';
import { readJson } from '../../src/codec/json_reader.ts';
import { operationCodec } from '../../src/operations/index.ts';
import { Database } from '../../src/sinks/postgres/database.ts';
import type { RuleSet } from '../../src/state/rules/index.ts';
import { encoding } from '../builders/chain.ts';
import { operationHex, hostileFolder, type HostileFolder } from '../builders/hostile_texts.ts';
import { Site } from '../outside/site.ts';
import { waitUntil } from '../outside/wait_until.ts';
import { fetchHead, startBranch } from './branches.ts';
import { indexedHead, readTables } from './indexed_chain.ts';
import { NatsServer } from './nats_server.ts';
import { PostgresServer } from './postgres.ts';

const site = new Site();
let postgres: PostgresServer;

before(async () => {
  postgres = await PostgresServer.start();
});

after(async () => {
  await postgres.stop();
  await site.clear();
});

/** Indexes all of a chain into a new database. */
async function indexed(name: string, id: string, flags: readonly string[]): Promise<void> {
  const indexer = site.start(['index', '--postgres', await postgres.database(name), ...flags]);
  await waitUntil(`block ${id} in ${name}`, async () => {
    if (!indexer.isRunning) assert.fail(`pharos index has ended:\n${indexer.stderr}`);
    return (await indexedHead(postgres, name)) === id || undefined;
  });
  await indexer.stop();
}

/** Does the same as `text_bytes` of the schema, for every text in JSON. */
function asOnChain(json: Json): Json {
  if (typeof json === 'string') return textOfBytes(storedBytes(json));
  if (Array.isArray(json)) return json.map(asOnChain);
  if (typeof json !== 'object' || json === null) return json;
  return Object.fromEntries(Object.entries(json).map(([name, value]) => [name, asOnChain(value)]));
}

function storedBytes(text: string): Buffer {
  const pieces = text.split(/(\ufffd(?:\ufffd|[0-9a-f]{2}))/).map((piece) => {
    if (!piece.startsWith('\ufffd')) return Buffer.from(piece);
    return piece === '\ufffd\ufffd' ? Buffer.from(piece.slice(1)) : Buffer.from(piece.slice(1), 'hex');
  });
  return Buffer.concat(pieces);
}

/** A list that a query makes of rows. psql is not asked: it leaves out U+10FFFF. */
async function fetchList(name: string, list: string): Promise<Json[]> {
  const database = await Database.connect(postgres.address(name));
  try {
    const [row] = await database.query<{ json: string | null }>(`SELECT (${list})::text AS json`);
    const json = readJson(Buffer.from(row?.json ?? '[]'));
    return Array.isArray(json) ? json : assert.fail(list);
  } finally {
    await database.close();
  }
}

/** All operations of transactions come out of the jsonb, memos and documents out of their columns, to the byte. */
async function holdsAll(name: string, { operations }: HostileFolder): Promise<void> {
  const order = 'ORDER BY block_number, op_in_block';
  const shown = await fetchList(
    name,
    `SELECT json_agg(json_build_array(kind, body) ${order}) FROM operations WHERE trx_in_block IS NOT NULL AND virtual_op = 0`,
  );
  const read = shown.map((pair) => operationCodec.fromJson(asOnChain(pair), { ...encoding, readsAnswers: true }));
  assert.deepEqual(read.map(operationHex), operations);
  for (const [kind, table, column] of [
    ['transfer', 'transfers', 'memo'],
    ['custom_json', 'documents', 'data'],
  ]) {
    const texts = read
      .filter((operation) => operation.kind.name === kind)
      .map((operation) => operation.freeTexts()[0]?.text ?? '');
    const stored = await fetchList(
      name,
      `SELECT json_agg(encode(text_bytes(${column}), 'hex') ${order}) FROM ${table}`,
    );
    assert.ok(texts.length > 5);
    assert.deepEqual(
      stored,
      texts.map((text) => Buffer.from(textBytes(text)).toString('hex')),
    );
    assert.equal(
      await postgres.query(name, `SELECT count(DISTINCT ${column}) FROM ${table}`),
      String(new Set(texts).size),
    );
  }
}

for (const rules of ['interface', 'lineage'] as const)
  for (const format of ['avro', 'json'] as const)
    test(`under rule set ${rules} blocks with hostile texts come out of JetStream in the form ${format} and of an index equal`, async (t) =>
      await comesOut(t, rules, format));

async function comesOut(t: TestContext, rules: RuleSet, format: string): Promise<void> {
  const name = `${rules}_${format}`;
  const nats = await NatsServer.start(site.path(`${name}_nats`));
  t.after(() => nats.stop());
  const hostile = await hostileFolder(site.path(name), rules);
  const address = `nats://127.0.0.1:${nats.port}`;
  const node = await startBranch(site, hostile, '--sink-nats', address, '--sink-nats-format', format);
  const { id } = await fetchHead(node);
  await waitUntil('the stream at the head', async () => {
    const { code, stdout, stderr } = await site.run([
      'stream',
      'check',
      '--nats',
      address,
      '--url',
      `http://127.0.0.1:${node.port}`,
    ]);
    if (!stdout.includes(id)) return undefined;
    assert.equal(code, 0, `${stdout}\n${stderr}\n${node.stderr}`);
    return true;
  });
  const url = `ws://127.0.0.1:${node.port}`;
  await indexed(`${name}_of_node`, id, ['--url', url]);
  await indexed(`${name}_of_stream`, id, ['--url', url, '--from', address]);
  await holdsAll(`${name}_of_node`, hostile);
  await holdsAll(`${name}_of_stream`, hostile);
  assert.deepEqual(await readTables(postgres, `${name}_of_stream`), await readTables(postgres, `${name}_of_node`));
  await node.stop();
}
