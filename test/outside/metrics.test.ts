import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { after, test } from 'node:test';
import { WebSocket } from 'ws';
import { freePort } from './free_port.ts';
import { textMember, type Json } from './json.ts';
import { signed, makeTransaction, transfer } from './signer.ts';
import { Site } from './site.ts';
import { waitUntil } from './wait_until.ts';
import { inLongForm, inShortForm } from '../builders/forms.ts';

const site = new Site();
/** A key of a chain that nobody has: a private net needs one. */
const KEY = 'PHR8et3VRtGJTqBF91MhbUWX3YmLqqt7vhGpSV3sFi4yYY52zLdTP';

after(() => site.clear());

/** Scrapes the metrics, by name and labels. */
async function scrape(url: string): Promise<ReadonlyMap<string, number>> {
  const text = await (await fetch(url)).text();
  const lines = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  return new Map(
    lines.map((line) => [line.slice(0, line.lastIndexOf(' ')), Number(line.slice(line.lastIndexOf(' ') + 1))]),
  );
}

test('figures tell how late blocks are and how long verifiers are busy', inShortForm, async () => {
  const program = await site.dev('--metrics-port', '0');
  const url =
    /metrics +(\S+)/.exec(program.stdout)?.[1] ?? assert.fail('the program has printed where its figures are');
  const trx = await signed(program, await makeTransaction(program, [transfer('alice', 'bob', '1.000000')]), 'alice');
  await program.result('network_broadcast_api.broadcast_transaction_synchronous', { trx });
  const figures = await waitUntil('two blocks', async () => {
    const seen = await scrape(url);
    return (seen.get('pharos_block_lateness_seconds_count') ?? 0) >= 2 ? seen : undefined;
  });
  const figure = (name: string): number => figures.get(name) ?? assert.fail(`${name} is shown`);
  assert.ok(figure('pharos_block_lateness_seconds_count') <= figure('pharos_head_block_number'));
  assert.ok(
    figure('pharos_block_start_lateness_seconds_sum') <= figure('pharos_block_lateness_seconds_sum'),
    'making a block takes time',
  );
  assert.equal(
    figure('pharos_block_lateness_seconds_bucket{le="+Inf"}'),
    figure('pharos_block_lateness_seconds_count'),
  );
  assert.ok(figure('pharos_block_committed_timestamp_seconds') > 0);
  assert.ok(figure('pharos_verifier_batch_seconds_count') >= 1);
  assert.ok(
    figure('pharos_writer_rows') > 10,
    'the accounts of the transfer and what each block looks at are in memory',
  );
  assert.ok(figure('pharos_store_size_bytes') > 1000 && figure('pharos_store_free_bytes') > 0);
  assert.ok(figure('pharos_participation_ratio') > 0 && figure('pharos_participation_ratio') <= 1);
  assert.ok(
    [...figures.keys()].some((name) =>
      /^pharos_build_info\{version="\d.*",revision="[0-9a-f]{40}",node="v\d/.test(name),
    ),
  );
  assert.deepEqual([figure('pharos_rpc_in_flight'), figure('pharos_pending_transactions')], [0, 0]);
  assert.ok(figure('pharos_verifier_batch_seconds_sum') > 0);
  await program.stop();
});

test('blocks that are ordered are not late', inLongForm, async () => {
  const program = site.start(['dev', '--data-dir', site.path('ordered'), '--port', '0', '--metrics-port', '0']);
  await program.ready();
  const url =
    /metrics +(\S+)/.exec(program.stdout)?.[1] ?? assert.fail('the program has printed where its figures are');
  await program.result('debug_api.produce_blocks', { count: 500 });
  const figures = await scrape(url);
  assert.ok((figures.get('pharos_head_block_number') ?? 0) >= 500);
  assert.ok((figures.get('pharos_block_lateness_seconds_count') ?? Infinity) < 400);
  await program.stop();
});

test(
  'a witness without its key, and a key without its witness, are said once and shown as figures',
  inLongForm,
  async () => {
    const pair = async (seed: string): Promise<Json> => JSON.parse((await site.run(['keys', '--seed', seed])).stdout);
    const [right, wrong] = [await pair('right'), await pair('wrong')];
    const net = [
      'run',
      '--initminer-mining-pubkey',
      textMember(right, 'pub_key'),
      '--webserver-http-endpoint',
      '127.0.0.1:0',
    ];
    const producing = [
      '--witness',
      'initminer',
      '--private-key',
      textMember(wrong, 'wif_priv_key'),
      '--enable-stale-production',
      'true',
    ];
    const port = await freePort();
    const program = site.start([
      ...net,
      ...producing,
      '--data-dir',
      site.path('net'),
      '--metrics-endpoint',
      `127.0.0.1:${port}`,
    ]);
    await program.ready();
    const url = `http://127.0.0.1:${port}/metrics`;
    const missed = 'pharos_slots_missed_total{witness="initminer"}';
    const figures = await waitUntil('a missed slot', async () => {
      const seen = await scrape(url);
      return (seen.get(missed) ?? 0) >= 2 ? seen : undefined;
    });
    assert.equal(figures.get('pharos_witness_obstacle{witness="initminer",obstacle="wrong_key"}'), 1);
    assert.equal(figures.get('pharos_unused_signing_keys'), 1);
    assert.equal(figures.get('pharos_clock_offset_seconds'), 0);
    const said = (text: RegExp): number => program.stderr.match(text)?.length ?? 0;
    assert.equal(
      said(new RegExp(`makes no blocks: it signs with ${textMember(right, 'pub_key')}`, 'g')),
      1,
      program.stderr,
    );
    assert.equal(
      said(new RegExp(`no configured witness signs with the private-key of ${textMember(wrong, 'pub_key')}`, 'g')),
      1,
    );
    assert.ok(said(/has missed its slot of [^"]*: wrong_key/g) >= 2);
    assert.equal(JSON.stringify(program.stderr).includes(textMember(wrong, 'wif_priv_key')), false);
    assert.match((await program.http('GET', '/health', {})).body, /"clock_offset_seconds":0/);
    await program.stop();
  },
);

for (const server of ['as it comes', 'node'])
  test(`connections of clients are shown by what they are used for, until they end: ${server}`, async () => {
    const [publicPort, metricsPort] = [await freePort(), await freePort()];
    const ports = [
      '--webserver-http-endpoint',
      `127.0.0.1:${publicPort}`,
      '--metrics-endpoint',
      `127.0.0.1:${metricsPort}`,
    ];
    const flags = ['--data-dir', site.path(`connected ${server}`), '--initminer-mining-pubkey', KEY, ...ports];
    const program = site.start(['run', ...flags, ...(server === 'node' ? ['--webserver-http-server', server] : [])]);
    await program.ready();
    const shown = async (http: number, webSockets: number): Promise<boolean> =>
      await waitUntil(`${http} HTTP connections and ${webSockets} WebSockets`, async () => {
        const figures = await scrape(`http://127.0.0.1:${metricsPort}/metrics`);
        const counts = ['http', 'websocket'].map((kind) => figures.get(`pharos_connections{kind="${kind}"}`));
        return (counts[0] === http && counts[1] === webSockets) || undefined;
      });
    const silent = Array.from({ length: 3 }, () => connect(publicPort, '127.0.0.1'));
    const sockets = Array.from({ length: 2 }, () => new WebSocket(`ws://127.0.0.1:${publicPort}`));
    await shown(3, 2);
    silent[0]?.destroy();
    for (const socket of sockets) socket.close();
    await shown(2, 0);
    for (const connection of silent) connection.destroy();
    await shown(0, 0);
    await program.stop();
  });
