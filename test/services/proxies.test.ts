import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { Agent, request } from 'node:https';
import { join } from 'node:path';
import { before, test } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { WebSocket } from 'ws';
import { waitFor } from '../outside/wait_for.ts';
import { isLong, project, start, succeed, temporaryFolder, type Running } from './commands.ts';
import { freePort, makeCertificate, proxies, startProxy } from './proxies.ts';

// The samples of scripts/operate with the real programs, TLS before and two nodes behind each.

const CLIENTS = 50;
/** A client's longest silence; the short form is over in less than a minute. */
const LONGEST_GAP_MS = isLong ? 70_000 : 15_000;
const DURATION_MS = isLong ? 240_000 : 17_000;

const folder = temporaryFolder();
const call = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'alexandria_api.get_dynamic_global_properties', params: {} });

before(async () => {
  await makeCertificate(folder);
});

test('both samples say what a node behind them has to be told', () => {
  for (const { sample } of proxies) {
    const text = readFileSync(join(project, 'scripts/operate', sample), 'utf8');
    for (const line of [
      'private-key-methods = never',
      'trusted-proxy = ',
      'admin-endpoint = 127.0.0.1:',
      'allowed-host = ',
      'webserver-http-server = node',
    ])
      assert.ok(text.includes(`#   ${line}`), `${sample}: ${line}`);
  }
});

for (const proxy of proxies)
  test(`behind ${proxy.name} no request fails whatever the gaps, 413 and WebSockets pass, and a node may restart`, async () => {
    const [port, one, two] = [await freePort(), await freePort(), await freePort()];
    const keys = await makeKeys();
    const nodes = [one, two].map((each) => new Node(each, keys));
    await Promise.all(nodes.map((node) => node.ready()));
    const running = await startProxy(proxy, folder, port, [one, two]);
    const failures: string[] = [];
    const clients = Array.from({ length: CLIENTS }, (_, k) => askWithGaps(port, k, failures, () => failures.length > 10));
    await soundAnswers(port);
    await Promise.all(clients);
    assert.deepEqual(failures, []);
    await nodes[0]?.restart();
    for (let k = 0; k < 20; k++) assert.equal((await post(port, call)).status, 200);
    running.interrupt();
    await Promise.all(nodes.map((node) => node.stop()));
  });

/** A node as the samples want it; private nets, each with a chain of its own. */
class Node {
  readonly #port: number;
  readonly #data = temporaryFolder();
  #running: Running;

  readonly #keys: Keys;

  constructor(port: number, keys: Keys) {
    this.#port = port;
    this.#keys = keys;
    this.#running = this.#start();
  }

  #start(): Running {
    const flags = {
      'initminer-mining-pubkey': this.#keys.pub_key,
      witness: 'initminer',
      'private-key': this.#keys.wif_priv_key,
      'enable-stale-production': 'true',
      'data-dir': join(this.#data, 'chain'),
      'webserver-http-endpoint': `127.0.0.1:${this.#port}`,
      'webserver-http-server': 'node',
      'trusted-proxy': '127.0.0.1',
      'private-key-methods': 'never',
      'max-calls-per-second': '100000',
    };
    const args = Object.entries(flags).flatMap(([name, value]) => [`--${name}`, value]);
    return start(process.execPath, [join(project, 'scripts/pharos.js'), 'run', ...args], { folder: this.#data });
  }

  async ready(): Promise<void> {
    // The first block makes it ready: before that, its head is the genesis of long ago.
    await waitFor('a node to be ready', async () => {
      const answer = await fetch(`http://127.0.0.1:${this.#port}/readyz`).catch(() => undefined);
      return answer?.status === 200 || undefined;
    });
  }

  async stop(): Promise<void> {
    this.#running.interrupt();
    await this.#running.finished;
  }

  async restart(): Promise<void> {
    await this.stop();
    this.#running = this.#start();
    await this.ready();
  }
}

interface Keys {
  readonly pub_key: string;
  readonly wif_priv_key: string;
}

async function makeKeys(): Promise<Keys> {
  const keys: Keys = JSON.parse(
    await succeed(process.execPath, [join(project, 'scripts/pharos.js'), 'keys', '--seed', 'proxies'], { folder }),
  );
  return keys;
}

/** One client with a connection of its own, which it keeps; its gaps go up to the longest, most of them near the limits of servers. */
async function askWithGaps(port: number, number: number, failures: string[], isOver: () => boolean): Promise<void> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1, rejectUnauthorized: false });
  const endMs = performance.now() + DURATION_MS;
  for (let turn = 0; performance.now() < endMs && !isOver(); turn++) {
    const answer = await post(port, call, agent).catch((error: unknown) => String(error));
    if (typeof answer === 'string' || answer.status !== 200 || !answer.text.includes('head_block_number'))
      failures.push(`client ${number}, turn ${turn}: ${typeof answer === 'string' ? answer : `${answer.status} ${answer.text}`}`);
    await setTimeout(1000 + ((number * 7919 + turn * 104_729) % (LONGEST_GAP_MS - 1000)));
  }
  agent.destroy();
}

interface Answer {
  readonly status: number;
  readonly text: string;
}

function post(port: number, body: string, agent: Agent | false = false): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const options = { host: 'localhost', port, method: 'POST', path: '/', agent, rejectUnauthorized: false };
    const sent = request({ ...options, headers: { 'content-length': Buffer.byteLength(body) } }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
      response.on('end', () => resolve({ status: response.statusCode ?? 0, text }));
    });
    sent.on('error', reject);
    sent.end(body);
  });
}

/** What a client must be able to rely on through any proxy. */
async function soundAnswers(port: number): Promise<void> {
  const large = await post(port, 'x'.repeat(1_500_000));
  assert.equal(large.status, 413);
  assert.match(large.text, /a body has at most 1048576 bytes/);
  const socket = new WebSocket(`wss://localhost:${port}`, { rejectUnauthorized: false });
  const heard = new Promise<string>((resolve) => socket.on('message', (data: Buffer) => resolve(data.toString())));
  await once(socket, 'open');
  socket.send(call);
  assert.match(await heard, /head_block_number/);
  socket.close();
}
