import assert from 'node:assert/strict';
import { once } from 'node:events';
import { after, test } from 'node:test';

import { pastChain } from '../builders/past_chain.ts';
import { plainStranger, strangerWithTls, wrongTls, type PeerPort, type Stranger } from '../builders/stranger.ts';
import { formSize } from '../builders/forms.ts';
import { freePort } from './free_port.ts';
import { listMember, numberMember, textMember } from './json.ts';
import { agree, inStep, nodeId, peerPort, producing, run } from './network_nodes.ts';
import type { Program } from './program.ts';
import { Site } from './site.ts';
import { waitUntil, within } from './wait_until.ts';

// Whoever knocks at a node's port for peers: what that costs the node and those who are its peers. What TLS refuses by
// itself is told apart in test/p2p. All strangers come from addresses of loopback, which have no limit each: only what
// holds for all is left.

const site = new Site();
const PAST_BLOCKS = 20;
/** The least number of strangers. */
const STRANGERS = formSize('PHAROS_STRANGERS', { short: 100, long: 400 });
const WAVE = 100;
/** Enough for the slowest start of a node. */
const MOST_MORE = 50_000;
/** The node's limits: handshakes of strangers a second, with a second's reserve. */
const HANDSHAKES_PER_SECOND = 25;
/** Ten thousand links would take three times as much. */
const MOST_MEMORY_BYTES = 200 * 1024 * 1024;
const [OTHER_CHAIN, OTHER_PROTOCOL, FULL, SILENT] = [1, 2, 3, 7];
const strangers: Stranger[] = [];

after(async () => {
  for (const { socket } of strangers) socket.destroy();
  await site.clear();
});

function knock(stranger: Stranger): Stranger {
  strangers.push(stranger);
  return stranger;
}

/** Which addresses the network of a node says that it is connected with, and for how many seconds, by id. */
async function fetchPeers(program: Program): Promise<ReadonlyMap<string, number>> {
  const peers = listMember(await program.result('network_node_api.get_connected_peers'), 'peers');
  return new Map(peers.map((peer) => [textMember(peer, 'node_id'), numberMember(peer, 'connected_seconds')]));
}

async function figure(port: number, name: string): Promise<number> {
  const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
  const line = text.split('\n').find((one) => one.startsWith(`${name} `)) ?? assert.fail(`${name} is shown`);
  return Number(line.slice(name.length));
}

/** Ways to knock; each is turned away. */
function hostileWays(session: Buffer): readonly ((at: PeerPort, number: number) => Stranger)[] {
  const plain =
    (greet: (stranger: Stranger) => void) =>
    (at: PeerPort): Stranger => {
      const stranger = plainStranger(at);
      greet(stranger);
      return stranger;
    };
  const withTls =
    (greet: (stranger: Stranger) => void) =>
    (at: PeerPort, number: number): Stranger => {
      const stranger = strangerWithTls(at, number % 10);
      stranger.socket.once('secureConnect', () => greet(stranger));
      return stranger;
    };
  return [
    plain(() => undefined),
    plain(({ socket }) => void socket.write('GET / HTTP/1.1\r\n\r\n'.repeat(200))),
    plain((stranger) => stranger.drip(Buffer.of(0x16, 3, 1, 0, 200, 1, 0, 0))),
    ...Object.values(wrongTls).map((differently) => (at: PeerPort) => strangerWithTls(at, 0, differently)),
    (at) => strangerWithTls(at, 0, { session }),
    withTls(() => undefined),
    withTls((stranger) => stranger.drip(Buffer.of(200, 0, 0, 0, 0, 0, 1, 0))),
    withTls((stranger) => stranger.greet({ chain_id: 'ee'.repeat(32) })),
    withTls((stranger) => stranger.greet({ protocol: 2 })),
  ];
}

test('strangers of every kind are turned away at a bounded price; peers stay, and one that is known gets in between them', async (t) => {
  const past = await pastChain(site.path('past'), PAST_BLOCKS);
  const metricsPort = await freePort();
  const honestPort = await freePort();
  const maker = await run(
    site,
    past,
    'past/chain',
    ...producing(past),
    ...['--p2p-endpoint', '127.0.0.1:0'], // whoever is at 127.0.0.1 is known
    // The maker has chosen the honest node: the clock of a stranger confirms no slot so long behind the head.
    ...['--p2p-seed-node', `127.0.0.1:${honestPort}`, '--metrics-endpoint', `127.0.0.1:${metricsPort}`],
  );
  const port = Number(peerPort(maker));
  const seed = ['--p2p-seed-node', `127.0.0.1:${port}`];
  const honest = await run(site, past, 'honest', ...seed, '--p2p-endpoint', `127.0.0.1:${honestPort}`);
  await inStep(honest, 1);
  const before = (await fetchPeers(maker)).get(nodeId(honest)) ?? assert.fail('the honest peer is there');
  const memory = await figure(metricsPort, 'process_resident_memory_bytes');
  const cpuSeconds = await figure(metricsPort, 'process_cpu_seconds_total');

  const first = knock(strangerWithTls({ port, from: '127.9.1.1' }, 1));
  const [session] = (await within('a ticket', once(first.socket, 'session'))) as [Buffer];
  const ways = hostileWays(session);
  const startMs = performance.now();
  const late = site.start([
    'run',
    '--genesis-json',
    past.genesisFile,
    '--data-dir',
    site.path('late'),
    '--webserver-http-endpoint',
    '127.0.0.1:0',
    ...seed,
  ]);
  let arrived = 1;
  let isLateIn = false;
  for (let begun = 0; begun < STRANGERS || !isLateIn; begun += WAVE) {
    assert.ok(begun < STRANGERS + MOST_MORE, 'who is known gets in');
    const wave = Array.from({ length: WAVE }, (_, index) => {
      const number = begun + index;
      const at = { port, from: `127.9.${number % 200}.${1 + (number % 250)}` };
      return knock((ways[number % ways.length] ?? assert.fail())(at, number));
    });
    arrived += (await within('a wave of strangers', Promise.all(wave.map((one) => one.arrived)))).filter(
      Boolean,
    ).length;
    isLateIn ||= (await fetchPeers(maker)).size === 2;
  }
  const seconds = (performance.now() - startMs) / 1000;
  const mostHandshakes = HANDSHAKES_PER_SECOND * (seconds + 1) + 1;
  await waitUntil(`${arrived} strangers of whom at most ${mostHandshakes} begin a handshake`, async () => {
    const refused = await figure(metricsPort, 'pharos_peer_handshakes_refused_total');
    return arrived - refused <= mostHandshakes ? true : undefined;
  });
  await waitUntil('all strangers to be turned away', () => strangers.every(({ isEnded }) => isEnded) || undefined);
  assert.ok(
    strangers.some(({ hasShaken }) => hasShaken),
    'some got as far as a handshake',
  );
  // Whoever shakes hands and says nothing is told that when its time is over: with many strangers some have so much.
  const told = new Set(strangers.flatMap(({ reason }) => reason ?? [])).add(SILENT);
  assert.deepEqual(told, new Set([SILENT, OTHER_CHAIN, OTHER_PROTOCOL]), 'who is of another network is told so');
  const grown = (await figure(metricsPort, 'process_resident_memory_bytes')) - memory;
  const spentMs = ((await figure(metricsPort, 'process_cpu_seconds_total')) - cpuSeconds) * 1000;
  const shaken = strangers.filter(({ hasShaken }) => hasShaken).length;
  t.diagnostic(
    `${strangers.length} strangers in ${seconds.toFixed(0)} s, ${shaken} handshakes: ${(spentMs / strangers.length).toFixed(2)} CPU-ms each, ${Math.round(grown / 1024 / 1024)} MiB`,
  );
  assert.ok(grown < MOST_MEMORY_BYTES);

  const { number } = await maker.health();
  await agree([maker, honest, late], number);
  const peers = await fetchPeers(maker);
  assert.deepEqual([...peers.keys()].toSorted(), [honest, late].map(nodeId).toSorted());
  assert.ok((peers.get(nodeId(honest)) ?? 0) > before, 'the link is still the same');
});

test('strangers who say all that a peer says fill no more than there is, and take no place of a peer', async () => {
  const past = await pastChain(site.path('full'), PAST_BLOCKS);
  const most = 12;
  const maker = await run(
    site,
    past,
    'full/chain',
    ...producing(past),
    ...['--p2p-endpoint', '127.0.0.1:0', '--p2p-max-connections', String(most)],
  );
  const port = Number(peerPort(maker));
  const honest = await run(site, past, 'early', '--p2p-seed-node', `127.0.0.1:${port}`);
  await inStep(honest, 1);
  const many: Stranger[] = [];
  for (let number = 100; number < 140; number++) {
    const stranger = knock(strangerWithTls({ port, from: '127.9.1.1' }, number));
    stranger.greet();
    many.push(stranger);
    await waitUntil('a stranger who is in or out', async () =>
      stranger.isEnded || (await fetchPeers(maker)).size >= Math.min(most, number - 98) ? true : undefined,
    );
  }
  await waitUntil(
    'those to go who have no place',
    () => many.filter(({ isEnded }) => isEnded).length >= many.length - most + 1 || undefined,
  );
  assert.deepEqual(new Set(many.flatMap(({ reason }) => reason ?? [])), new Set([FULL]));
  const late = await run(site, past, 'later', '--p2p-seed-node', `127.0.0.1:${port}`);
  await inStep(late, 1);
  const peers = await fetchPeers(maker);
  assert.equal(peers.size, most);
  assert.ok(peers.has(nodeId(honest)) && peers.has(nodeId(late)));
});
