import assert from 'node:assert/strict';
import { createServer, type Server } from 'node:http';
import { readFileSync, writeFileSync } from 'node:fs';
import { after, before, test } from 'node:test';
import { connect, type Client } from '../../src/client/index.ts';
import { encodeWif } from '../../src/crypto/wif.ts';
import { devGenesisText, devSecret } from '../../src/dev_chain/dev_genesis.ts';
import { profileNamed } from '../../src/settings/chain_settings.ts';
import type { Program } from '../outside/program.ts';
import { Site } from '../outside/site.ts';
import { waitUntil } from '../outside/wait_until.ts';
import { checkTracesRequest } from './otlp_json.ts';

// A node that sends traces to a collector of the test's own, which listens as one by OTLP over HTTP does.

interface ReceivedSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly kind: number;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly attributes: readonly { readonly key: string; readonly value: object }[];
  readonly status: { readonly code?: number; readonly message?: string };
}

interface TracesRequest {
  readonly resourceSpans: readonly {
    readonly resource: { readonly attributes: readonly { readonly key: string; readonly value: object }[] };
    readonly scopeSpans: readonly { readonly spans: readonly ReceivedSpan[] }[];
  }[];
}

const guide = readFileSync(new URL('../../../src/pages/guides/traces.md', import.meta.url), 'utf8');
const [, settings = ''] = /^```ini\n([^]*?)^```$/m.exec(guide) ?? [];
const [, lossLine = ''] = /^```log\n(.*) …\n```$/m.exec(guide) ?? [];

const site = new Site();
const received: TracesRequest[] = [];
const key = encodeWif(devSecret('alice'));
let collector: Server;
let program: Program;
let node: Client;

before(async () => {
  collector = createServer((request, response) => {
    let body = '';
    request.setEncoding('utf8').on('data', (text: string) => (body += text));
    request.on('end', () => {
      assert.deepEqual([request.method, request.url], ['POST', '/v1/traces']);
      assert.equal(request.headers['content-type'], 'application/json');
      const sent: TracesRequest = JSON.parse(body);
      checkTracesRequest(sent);
      received.push(sent);
      response.setHeader('content-type', 'application/json').end('{"partialSuccess":{}}');
    });
  });
  await new Promise<void>((resolve) => collector.listen(0, '127.0.0.1', resolve));
  const address = collector.address();
  const port = typeof address === 'object' && address !== null ? address.port : assert.fail('no port');
  const genesis: object = JSON.parse(devGenesisText(profileNamed('default'), Math.trunc(Date.now() / 1000) - 60));
  const file = site.path('genesis.json');
  writeFileSync(file, JSON.stringify({ ...genesis, block_interval: 1 }));
  const config = site.path('traces.ini');
  writeFileSync(config, settings.replace('127.0.0.1:4318', `127.0.0.1:${port}`));
  program = site.start([
    ...['run', '--genesis-json', file, '--data-dir', site.path('data'), '--webserver-http-endpoint', '127.0.0.1:0'],
    ...['--witness', 'initminer', '--private-key', encodeWif(devSecret('initminer')), '--enable-stale-production'],
    ...['--required-participation', '0', '--accept-low-participation'],
    ...['--config', config, '--trace-every', '1'],
  ]);
  await program.ready();
  node = await connect(`http://127.0.0.1:${program.port}`);
});

after(async () => {
  node.close();
  await site.clear();
  collector.close();
});

function spans(): readonly ReceivedSpan[] {
  return received.flatMap(({ resourceSpans }) =>
    resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap((scope) => scope.spans)),
  );
}

/** Waits for the next trace, and takes it away. */
async function nextTrace(): Promise<readonly ReceivedSpan[]> {
  const found = await waitUntil('a trace', () => {
    const root = spans().find(({ parentSpanId }) => parentSpanId === undefined);
    return root && spans().filter(({ traceId }) => traceId === root.traceId);
  });
  received.length = 0;
  return found;
}

/** The parts of a trace in the order of their beginnings, each behind the name of its parent. */
function tree(trace: readonly ReceivedSpan[]): readonly string[] {
  const names = new Map(trace.map(({ spanId, name }) => [spanId, name]));
  assert.equal(names.size, trace.length, 'each span has an id of its own');
  return trace
    .filter(({ parentSpanId }) => parentSpanId !== undefined)
    .map(({ parentSpanId = '', name }) => `${names.get(parentSpanId) ?? assert.fail(name)} > ${name}`)
    .toSorted();
}

function lengthMs({ startTimeUnixNano: start, endTimeUnixNano: end }: ReceivedSpan): number {
  return Number(BigInt(end) - BigInt(start)) / 1e6;
}

const METHOD = /broadcast/;

test('a broadcast that waits for finality is one tree: front, verifier, writer, block and final below the request', async () => {
  const transaction = await node.sign(
    await node.build([['transfer', { from: 'alice', to: 'bob', amount: '1 COIN', memo: '' }]]),
    [key],
  );
  const { block_num } = await node.broadcast(transaction, { waitFor: 'final' });
  const trace = await nextTrace();
  const [root = assert.fail('no root'), ...more] = trace.filter(({ parentSpanId }) => parentSpanId === undefined);
  assert.deepEqual(more, []);
  assert.match(root.name, METHOD);
  assert.equal(root.kind, 2);
  const below = (name: string): string => `${root.name} > ${name}`;
  assert.deepEqual(
    tree(trace),
    [
      ...['front', 'verifier', 'writer', 'block', 'final'].map(below),
      'verifier > verifier busy',
      'writer > writer busy',
    ].toSorted(),
  );
  for (const { traceId, spanId } of trace) assert.match(`${traceId} ${spanId}`, /^[0-9a-f]{32} [0-9a-f]{16}$/);
  // The parts follow each other, so their lengths add up: what takes longest is the answer to "why was this slow".
  const parts = ['front', 'verifier', 'writer', 'block', 'final'].map(
    (name) => trace.find((span) => span.name === name) ?? assert.fail(name),
  );
  for (const [at, part] of parts.entries()) {
    const next = parts[at + 1];
    assert.equal(part.endTimeUnixNano, next?.startTimeUnixNano ?? root.endTimeUnixNano, part.name);
  }
  assert.equal(parts[0]?.startTimeUnixNano, root.startTimeUnixNano);
  const inBlock = root.attributes.find(({ key: name }) => name === 'pharos.block');
  assert.deepEqual(inBlock?.value, { intValue: String(block_num) });
  const sum = parts.map(lengthMs).reduce((a, b) => a + b, 0);
  assert.ok(Math.abs(sum - lengthMs(root)) < 1, `${sum} ms of ${lengthMs(root)}`);
});

test('a refused broadcast ends in the part that refused it, with the name of the error', async () => {
  const tooMuch = await node.sign(
    await node.build([['transfer', { from: 'alice', to: 'bob', amount: '999999999 COIN', memo: '' }]]),
    [key],
  );
  await assert.rejects(async () => await node.broadcast(tooMuch), /insufficient|balance/i);
  const byWriter = await nextTrace();
  const failed = (trace: readonly ReceivedSpan[]): readonly string[] =>
    trace.filter(({ status }) => status.code === 2).map(({ name }) => name);
  assert.deepEqual(
    failed(byWriter).filter((name) => !METHOD.test(name)),
    ['writer'],
  );

  await assert.rejects(async () => await node.broadcast({ ...tooMuch, signatures: ['00'] }));
  const byVerifier = await nextTrace();
  assert.deepEqual(
    failed(byVerifier).filter((name) => !METHOD.test(name)),
    ['verifier'],
  );
  assert.ok(!byVerifier.some(({ name }) => name === 'writer'));
});

test('the collector learns which node and version it is', async () => {
  await node.send([['transfer', { from: 'alice', to: 'bob', amount: '1 COIN', memo: '' }]], [key]);
  await waitUntil('a request', () => received.length > 0 || undefined);
  const names = received[0]?.resourceSpans[0]?.resource.attributes.map(({ key: name }) => name);
  assert.deepEqual(names, ['service.name', 'service.version', 'service.instance.id']);
});

test('a collector that is away costs the node nothing but a warning, and the rest is sent at the end', async () => {
  await new Promise((resolve) => {
    collector.close(resolve);
    collector.closeAllConnections();
  });
  await node.send([['transfer', { from: 'alice', to: 'bob', amount: '2 COIN', memo: '' }]], [key]);
  await waitUntil('the warning', () => /"event":"traces_lost"/.test(program.stderr) || undefined);
  assert.ok(lossLine !== '' && program.stderr.includes(lossLine), program.stderr);
  assert.equal(await program.stop(), 0);
});
