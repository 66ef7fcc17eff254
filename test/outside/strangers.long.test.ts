import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { after, test } from 'node:test';
import { connect as connectTls } from 'node:tls';
import { pastChain } from '../builders/past_chain.ts';
import { listMember, numberMember, textMember, type Json } from './json.ts';
import { agree, inStep, nodeId, peerPort, producing, run } from './network_nodes.ts';
import type { Program } from './program.ts';
import { Site } from './site.ts';
import { waitUntil } from './wait_until.ts';

const site = new Site();

after(() => site.clear());

const [STRANGERS, AT_ONCE] = [10_000, 250];

/** A stranger of one of several kinds, until it has been dropped or has waited for long enough. */
async function stranger(port: number, kind: number): Promise<void> {
  await new Promise<void>((resolve) => {
    const socket = connect({ host: '127.0.0.1', port });
    socket.on('error', () => resolve());
    socket.on('close', () => resolve());
    socket.on('connect', () => {
      if (kind % 3 === 0) socket.write(Buffer.alloc(4096, kind));
      if (kind % 3 === 1) socket.write('GET / HTTP/1.1\r\n\r\n');
      // The others say nothing.
      setTimeout(() => socket.destroy(), 2000).unref();
    });
  });
}

async function fetchPeers(program: Program): Promise<readonly Json[]> {
  return listMember(await program.result('network_node_api.get_connected_peers'), 'peers');
}

test('ten thousand strangers cost no peer its place and no block its way', async () => {
  const past = await pastChain(site.path('past'), 100);
  const maker = await run(site, past, 'past/chain', ...producing(past), '--p2p-endpoint', '127.0.0.1:0');
  const port = Number(peerPort(maker));
  const second = await run(site, past, 'second', '--p2p-seed-node', `127.0.0.1:${port}`);
  await inStep(second, 1);
  const before = await agree([maker, second], 100);
  let came = 0;
  const waves = Array.from({ length: AT_ONCE }, async () => {
    while (came < STRANGERS) await stranger(port, came++);
  });
  await Promise.all(waves);
  await agree([maker, second], before.number);
  const [peer, ...others] = await fetchPeers(maker);
  assert.deepEqual([textMember(peer ?? null, 'node_id'), others], [nodeId(second), []]);
  const [still] = await fetchPeers(second);
  assert.ok(numberMember(still ?? null, 'connected_seconds') >= 1, 'it is the same link');
  assert.ok(!maker.stderr.includes('a peer is gone'));
});

test('who shows no certificate, speaks an older TLS or another protocol is dropped; a node that is not allowed never says a word', async () => {
  const past = await pastChain(site.path('short'), 2);
  const allowed = 'ab'.repeat(32);
  const node = await run(site, past, 'guarded', '--p2p-endpoint', '127.0.0.1:0', '--p2p-allowed-node', allowed);
  const port = Number(peerPort(node));
  const wrong = [
    { ALPNProtocols: ['pharos/1'] },
    { ALPNProtocols: ['h2'] },
    { ALPNProtocols: ['pharos/1'], maxVersion: 'TLSv1.2' },
    { ALPNProtocols: ['pharos/1'], ecdhCurve: 'P-256' },
  ] as const;
  for (const settings of wrong) {
    const heard: number[] = [];
    await new Promise<void>((resolve) => {
      const socket = connectTls({ host: '127.0.0.1', port, rejectUnauthorized: false, ...settings });
      socket.on('data', (bytes: Uint8Array) => heard.push(bytes.length));
      socket.on('error', () => undefined);
      socket.on('close', () => resolve());
    });
    assert.deepEqual(heard, [], JSON.stringify(settings));
  }
  const uninvited = await run(site, past, 'uninvited', '--p2p-seed-node', `127.0.0.1:${port}`);
  await waitUntil('an attempt to be over', async () => {
    const { body } = await uninvited.http('GET', '/readyz', {});
    const said: Json = JSON.parse(body);
    return textMember(said, 'network') === 'alone' ? true : undefined;
  });
  assert.deepEqual(await fetchPeers(node), []);

  // Whoever named a seed is told once that it is not to be had, and why.
  const nobody = await run(site, past, 'nobody', '--p2p-seed-node', '127.0.0.1:9');
  await waitUntil('the warning', () =>
    /cannot join seed node 127\.0\.0\.1:9: .*ECONNREFUSED/.test(nobody.stderr) ? true : undefined,
  );
  assert.ok(/cannot join seed node/.test(uninvited.stderr), uninvited.stderr);
  // Its chain is so young that its head is fresh all the same.
  const { status, body } = await nobody.http('GET', '/readyz', {});
  assert.equal(status, 503);
  assert.match(body, /"status":"behind".*"network":"alone"/);
});
