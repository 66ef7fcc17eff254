import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { after, before, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { FileServer } from '../builders/file_server.ts';
import { pastChain, type PastChain } from '../builders/past_chain.ts';
import { textMember, type Json } from './json.ts';
import { agree, inStep, nodeId, peerPort, producing, run } from './network_nodes.ts';
import { Site } from './site.ts';

const BLOCKS = 60;

const site = new Site();
const file = site.path('state.avro');
let server: FileServer;
let past: PastChain;
let key: string;
let bytes: Buffer;

before(async () => {
  server = await FileServer.open();
  past = await pastChain(site.path('past'), BLOCKS);
  const said: Json = JSON.parse((await site.run(['keys', '--key-file', site.path('sign.key')])).stdout);
  key = textMember(said, 'pub_key');
  const create = [
    'snapshot',
    'create',
    '--data-dir',
    site.path('past', 'chain'),
    '--out',
    file,
    '--sign-with',
    site.path('sign.key'),
  ];
  const { code, stderr } = await site.run(create);
  assert.equal(code, 0, stderr);
  bytes = readFileSync(file);
  server.files.set('/state.avro', { bytes, etag: '"one"', cutAfter: Math.trunc(bytes.length / 3) });
  server.files.set('/state.avro.sig', { bytes: readFileSync(`${file}.sig`) });
});

after(async () => {
  server.close();
  await site.clear();
});

const sum = (): string => createHash('sha256').update(bytes).digest('hex');

test('a fresh node begins with a snapshot from an address or a file, follows the chain from there, and needs neither file nor genesis again', async () => {
  const maker = await run(site, past, 'past/chain', ...producing(past), '--p2p-endpoint', '127.0.0.1:0');
  const trusted = [
    '--p2p-trusted-node',
    `${nodeId(maker)}@127.0.0.1:${peerPort(maker)}`,
    '--webserver-http-endpoint',
    '127.0.0.1:0',
  ];
  const sources: readonly (readonly string[])[] = [
    [server.url('/state.avro'), '--snapshot-sha256', sum()],
    [server.url('/state.avro'), '--snapshot-signed-by', key],
    [file, '--snapshot-own'],
    [pathToFileURL(file).href, '--snapshot-signed-by', key],
  ];
  for (const [index, source] of sources.entries()) {
    const start = ['run', '--data-dir', site.path('fresh', String(index)), ...trusted];
    const fresh = site.start([...start, '--snapshot', ...source]);
    await fresh.ready();
    await agree([maker, fresh], BLOCKS);
    await inStep(fresh, 1);
    const first = await fresh.refusal('block_api.get_block', { block_num: 1 });
    assert.match(JSON.stringify(first), /pruned/);
    assert.equal(await fresh.stop(), 0);
    // The setting may stay: there is a chain now.
    server.files.set('/gone.avro', { bytes, status: 404 });
    const again = site.start([...start, '--snapshot', server.url('/gone.avro')]);
    await again.ready();
    await agree([maker, again], BLOCKS);
    assert.equal(await again.stop(), 0);
  }
  // Nothing of the downloads is left.
  assert.deepEqual(
    readdirSync(site.path('fresh')).filter((name) => name.includes('snapshot')),
    [],
  );
  assert.equal(await maker.stop(), 0);
});

test('what is damaged, foreign, of another chain or not there starts no node and leaves nothing behind', async () => {
  const damaged = Buffer.from(bytes);
  damaged[bytes.length - 100] = (damaged[bytes.length - 100] ?? 0) ^ 1;
  server.files.set('/damaged.avro', { bytes: damaged, etag: '"two"' });
  server.files.set('/cut.avro', { bytes: bytes.subarray(0, bytes.length / 2), etag: '"three"' });
  server.files.set('/unsigned.avro', { bytes, etag: '"four"' });
  const other = await pastChain(site.path('other'), 2);
  const cases: readonly (readonly [readonly string[], number, RegExp])[] = [
    [[server.url('/damaged.avro'), '--snapshot-own'], 3, /is damaged/],
    [[server.url('/damaged.avro'), '--snapshot-sha256', sum()], 2, /not the one that was given/],
    [[server.url('/cut.avro'), '--snapshot-own'], 3, /it is cut off|can not be unpacked|does not end/],
    [[server.url('/state.avro')], 2, /whose file is .*snapshot-own.*snapshot-sha256.*snapshot-signed-by/],
    [[server.url('/unsigned.avro'), '--snapshot-signed-by', key], 2, /there is no signature http.*unsigned\.avro\.sig/],
    [[server.url('/nowhere.avro'), '--snapshot-own'], 2, /the server answers 404/],
    [
      [server.url('/state.avro'), '--snapshot-own', '--genesis-json', other.genesisFile],
      2,
      /and chain [0-9a-f]{64} is wanted/,
    ],
    [[server.url('/state.avro'), '--snapshot-own', '--profile', 'lineage'], 2, /say profile = default/],
    [[site.path('none.avro'), '--snapshot-own'], 2, /there is no file/],
    [['file://elsewhere/none.avro', '--snapshot-own'], 2, /no address of a file/],
  ];
  for (const [source, code, text] of cases) {
    const answer = await site.run([
      'run',
      '--data-dir',
      site.path('empty', 'chain'),
      '--webserver-http-endpoint',
      '127.0.0.1:0',
      '--snapshot',
      ...source,
    ]);
    assert.deepEqual([answer.code, text.test(answer.stderr)], [code, true], `${source.join(' ')}: ${answer.stderr}`);
    const left = readdirSync(site.folder).includes('empty') ? readdirSync(site.path('empty')) : [];
    assert.deepEqual(left, [], source.join(' '));
  }
});
