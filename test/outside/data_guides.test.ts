import assert from 'node:assert/strict';
import { copyFileSync, existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { after, before, test } from 'node:test';
import { pastChain, type PastChain } from '../builders/past_chain.ts';
import { guideNamed } from '../pages/guides/guide.ts';
import { numberMember, textMember, type Json } from './json.ts';
import { agree, nodeId, peerPort, producing, run } from './network_nodes.ts';
import type { Program } from './program.ts';
import { Site } from './site.ts';
import { waitUntil } from './wait_until.ts';

// The guides to pruning and snapshots, typed as they stand there, in the folder of a chain that has blocks.

const BLOCKS = 150;
const SLOT_SECONDS = 1;
const LOCAL = ['--webserver-http-endpoint', '127.0.0.1:0'];

const site = new Site();
let past: PastChain;

before(async () => {
  past = await pastChain(site.path('data'), BLOCKS, undefined, SLOT_SECONDS);
  mkdirSync(site.path('backup'));
  copyFileSync(past.genesisFile, site.path('genesis.json'));
});

after(() => site.clear());

/** The words of a line behind `pharos`, with these in place of the guide's own. */
function splitWords(line: string, own: Readonly<Record<string, string>> = {}): string[] {
  const [program, ...words] = (line.split(' #')[0] ?? '').trim().split(/ +/);
  assert.equal(program, 'pharos', line);
  return words.map((word) => own[word] ?? (word === 'data/node' ? past.dataFolder : word));
}

async function typed(line: string, own: Readonly<Record<string, string>> = {}): Promise<string> {
  const { code, stdout, stderr } = await site.run(splitWords(line, own));
  assert.equal(code, 0, `${line}\n${stdout}${stderr}`);
  return stdout;
}

async function started(line: string, own: Readonly<Record<string, string>>, more: readonly string[]): Promise<Program> {
  const program = site.start([...splitWords(line, own), ...LOCAL, ...more]);
  await program.ready();
  return program;
}

async function finalBlock(program: Program): Promise<number> {
  return numberMember(JSON.parse((await program.http('GET', '/health', {})).body), 'irreversible_block_number');
}

/** The newest block of a folder that an import has made. */
async function newestBlock(folder: string): Promise<number> {
  const { stdout } = await site.run(['verify', '--data-dir', folder]);
  return Number(/, (\d+) blocks, state hash/.exec(stdout)?.[1] ?? assert.fail(stdout));
}

test('blocks are exported from a stopped node and from a running one, and imported again', async () => {
  const [first = '', later = '', bring = '', bringLater = '', ...more] = guideNamed('pruning').commands;
  assert.deepEqual(more, []);
  await typed(first);
  await typed(bring);
  const exported = await newestBlock(site.path('data/restored'));
  const node = await run(site, past, 'data/chain', ...producing(past));
  await waitUntil('a later final block', async () => (await finalBlock(node)) > exported || undefined);
  await typed(later, { 'http://127.0.0.1:9193': `http://127.0.0.1:${node.port}`, '5001': String(exported + 1) });
  assert.equal(await node.stop(), 0);
  await typed(bringLater);
  assert.ok((await newestBlock(site.path('data/restored'))) > exported);
});

test('a snapshot is made, loaded, signed, taken at the first start, and written by a node that runs', async () => {
  const [create = '', inspect = '', load = '', runLoaded = '', ...others] = guideNamed('snapshots').commands;
  const [sign = '', loadSigned = '', runSigned = '', runFirst = '', runWriting = '', ask = '', ...more] = others;
  assert.deepEqual(more, []);
  await typed(create);
  assert.match(await typed(inspect), /^state hash [0-9a-f]{64}$/m);
  await typed(load);
  assert.equal(await (await started(runLoaded, {}, [])).stop(), 0);

  const key: Json = JSON.parse((await site.run(['keys', '--key-file', 'snapshots.key'])).stdout);
  await typed(sign);
  const writer = await run(site, past, 'data/chain', ...producing(past), '--p2p-endpoint', '127.0.0.1:0');
  const own = {
    KEY: textMember(key, 'pub_key'),
    'ID@HOST:PORT': `${nodeId(writer)}@127.0.0.1:${peerPort(writer)}`,
    'https://node.example/state.avro': site.path('state.avro'),
  };
  await typed(loadSigned, own);
  const signed = await started(runSigned, own, ['--p2p-endpoint', '127.0.0.1:0']);
  const first = await started(runFirst, own, ['--p2p-endpoint', '127.0.0.1:0']);
  await agree([writer, signed, first], BLOCKS);
  for (const program of [signed, first, writer]) assert.equal(await program.stop(), 0);

  writeFileSync(site.path('node.ini'), `genesis-json = genesis.json\ndata-dir = ${past.dataFolder}\n`);
  const writing = await started(runWriting, { '28800': '2' }, producing(past));
  const folder = `${past.dataFolder}.snapshots`;
  const isWritten = (): boolean =>
    existsSync(folder) && readdirSync(folder).some((name) => /^snapshot-\d+\.avro$/.test(name));
  await waitUntil('a file of the node', () => isWritten() || undefined);
  const asked = splitWords(ask, {
    'http://127.0.0.1:9193': `http://127.0.0.1:${writing.port}`,
    'state.avro': 'asked.avro',
  });
  await waitUntil('a file that was asked for', async () => {
    const { code, stdout, stderr } = await site.run(asked);
    if (code === 0) return true;
    // The node writes one each two blocks itself, and says so if it is at it.
    assert.match(stderr, /a snapshot is being written already: ask again/, `${ask}\n${stdout}${stderr}`);
    return undefined;
  });
  assert.ok(existsSync(site.path('asked.avro')));
  assert.equal(await writing.stop(), 0);
});
