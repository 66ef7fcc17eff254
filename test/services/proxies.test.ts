import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { at, listMember, optionalMember, textMember, type Json } from '../outside/json.ts';
import { requireObject, testSecret, sign } from '../outside/signer.ts';
import { isLong, project, succeed, temporaryFolder, type Running } from './commands.ts';
import { freePort } from '../outside/free_port.ts';
import { makeCertificate, proxies, startProxy } from './proxies.ts';
import { makeCall, ProxiedClient, type ProxiedSocket } from './proxied_client.ts';
import { CALLS_PER_SECOND, ProxiedNode, type NodeKeys, type ServerName } from './proxied_node.ts';

// The samples of scripts/operate with the real programs, TLS before and two nodes behind each, on both HTTP servers.

const CLIENTS = 50;
/** A client's longest silence; the short form is over in less than a minute. */
const LONGEST_GAP_MS = isLong ? 70_000 : 15_000;
const DURATION_MS = isLong ? 240_000 : 24_000;
/** When a node is stopped and killed: each time it has come back before the next. */
const [STOP_AT_MS, KILL_AT_MS] = [DURATION_MS / 8, DURATION_MS / 2];
/**
 * Servers, and the proxies of the samples, keep an idle connection for these times: gaps of about that length are the
 * dangerous ones.
 */
const KEPT_MS = [1000, 4000, 5000, 8000, 10_000, 15_000, 30_000, 60_000, 70_000].filter((ms) => ms <= LONGEST_GAP_MS);
const SEED = 'proxies';
const HOT = 'alexandria_api.get_dynamic_global_properties';

/** A proxy with its two nodes, as clients see it. */
interface Door {
  readonly name: string;
  readonly port: number;
}

const certificate = temporaryFolder();
const doors: Door[] = [];
const running: Running[] = [];
/** Of each server the node that is stopped and killed, and the one that stays. */
const unsteady: ProxiedNode[] = [];
const steady: ProxiedNode[] = [];

before(async () => {
  await makeCertificate(certificate);
  const keys = await makeKeys();
  await Promise.all((['node', 'uws'] as const).map((server) => openDoors(server, keys)));
});

after(async () => {
  for (const proxy of running) proxy.interrupt();
  await Promise.all([...unsteady, ...steady].map((node) => node.stop()));
});

async function openDoors(server: ServerName, keys: NodeKeys): Promise<void> {
  const ports = await Promise.all(Array.from({ length: 6 }, freePort));
  const [one = 0, two = 0, oneAdmin = 0, twoAdmin = 0, ...own] = ports;
  const first = new ProxiedNode({ port: one, adminPort: oneAdmin, server, keys, privateKeyMethods: 'never' });
  const second = new ProxiedNode({ port: two, adminPort: twoAdmin, server, keys, privateKeyMethods: 'local' });
  unsteady.push(first);
  steady.push(second);
  await Promise.all([first.ready(), second.ready()]);
  for (const [k, proxy] of proxies.entries()) {
    const port = own[k] ?? 0;
    running.push(await startProxy(proxy, server, port, [one, two], certificate));
    doors.push({ name: `${proxy.name} before ${server}`, port });
  }
}

async function makeKeys(): Promise<NodeKeys> {
  const args = [join(project, 'scripts/pharos.js'), 'keys', '--seed', SEED];
  const keys: NodeKeys = JSON.parse(await succeed(process.execPath, args, { folder: certificate }));
  return keys;
}

/** The same at every door; a failure says where. */
async function atEveryDoor(what: (door: Door) => Promise<void>): Promise<void> {
  assert.equal(doors.length, 4);
  await Promise.all(
    doors.map(async (door) => {
      try {
        await what(door);
      } catch (error) {
        throw new Error(door.name, { cause: error });
      }
    }),
  );
}

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

test('a body beyond the limit is refused with a text that arrives', () =>
  atEveryDoor(async ({ port }) => {
    const client = new ProxiedClient(port, '127.0.2.1');
    const { status, text } = await client.send({ body: 'x'.repeat(1_500_000) });
    assert.equal(status, 413);
    assert.match(text, /a body has at most 1048576 bytes/);
    client.close();
  }));

test('nobody behind a proxy gets a private key taken, whatever he says he is', () =>
  atEveryDoor(async ({ port }) => {
    const client = new ProxiedClient(port, '127.0.0.1');
    const { wif_priv_key: private_key } = await makeKeys();
    // Often enough to come to both nodes: of which one says never and the other local.
    for (const headers of [
      {},
      { 'x-forwarded-for': '127.0.0.1' },
      { forwarded: 'for=127.0.0.1' },
      { 'x-forwarded-for': '' },
    ])
      for (let k = 0; k < 3; k++) {
        const other = new ProxiedClient(port, '127.0.0.1');
        const answers = await Promise.all(
          [client, other].map((each) => each.call('alexandria_api.get_public_key', { private_key }, headers)),
        );
        for (const answer of answers)
          assert.match(textMember(answer, 'error.data.name'), /^(private_keys_not_allowed|method_not_found)$/);
        other.close();
      }
    client.close();
  }));

test('limits count a proxy’s clients by their own addresses, and no header of theirs changes that', () =>
  atEveryDoor(async ({ port }) => {
    const [greedy, modest] = [new ProxiedClient(port, '127.0.2.2'), new ProxiedClient(port, '127.0.2.3')];
    const hundred = JSON.stringify(Array.from({ length: 100 }, (_, id) => ({ jsonrpc: '2.0', id, method: HOT })));
    let refused = 0;
    for (let k = 0; k < 8; k++) {
      const spoofed = { 'x-forwarded-for': `10.1.2.${k}`, forwarded: `for=10.1.2.${k}` };
      const { text } = await greedy.send({ body: hundred, headers: spoofed });

      refused += text.split('"batch_rate_exceeded"').length - 1;
      assert.equal(optionalMember(await modest.call(HOT), 'error'), undefined);
    }
    // Each of the two nodes serves what two seconds may ask for, and what may be asked for meanwhile.
    assert.ok(refused > 4 * CALLS_PER_SECOND, `${refused} of 800 refused`);
    for (const client of [greedy, modest]) client.close();
  }));

test('fifty clients lose no request whatever their gaps, and a node that stops or is killed costs the calls under way only', async (t) => {
  const outages: Span[] = [];
  const load = new Load(outages);
  const sockets = await Promise.all(doors.map((door) => subscribers(door)));
  const clients = doors.flatMap(({ name, port }) => [
    load.watchReadiness(name, new ProxiedClient(port, '127.0.3.1')),
    ...Array.from({ length: CLIENTS }, (_, k) =>
      load.askWithGaps(`${name}, client ${k}`, new ProxiedClient(port, `127.0.1.${k + 1}`, k % 5 > 0), k),
    ),
  ]);
  const faults = unsteady.map(async (node) => {
    await setTimeout(STOP_AT_MS);
    await during(outages, () => node.stop());
    await node.startAgain();
    await setTimeout(Math.max(0, load.startedMs + KILL_AT_MS - performance.now()));
    await during(outages, () => node.kill());
    await node.startAgain();
  });
  await Promise.all([...faults, ...clients]);
  assert.equal(outages.length, 4);
  assert.deepEqual(load.failures.slice(0, 10), []);
  t.diagnostic(
    `${load.answered} calls answered; ${load.excused.length} were under way when a node ended: ${load.excused.join('; ')}`,
  );
  assert.ok(load.answered > doors.length * CLIENTS, `${load.answered} answers`);
  // Those of a node that didn't end have been silent all the while; the others can be opened anew.
  await Promise.all(
    sockets.map(async (own, k) => {
      const left = own.filter((socket) => socket.isOpen);
      assert.ok(left.length > 0, doors[k]?.name);
      await Promise.all(left.map((socket) => hearOwnDocument(socket)));
      for (const socket of own) socket.close();
    }),
  );
});

interface Span {
  readonly startMs: number;
  endMs: number;
}

/** Notes when that happens; while it does, it has no end. */
async function during(spans: Span[], work: () => Promise<void>): Promise<void> {
  const span = { startMs: performance.now(), endMs: Infinity };
  spans.push(span);
  await work();
  span.endMs = performance.now();
}

/** Clients that ask for some time, and what came of it. */
class Load {
  readonly startedMs = performance.now();
  readonly failures: string[] = [];
  /** Failures of calls that were under way while a node ended. */
  readonly excused: string[] = [];
  readonly #outages: readonly Span[];
  answered = 0;

  constructor(outages: readonly Span[]) {
    this.#outages = outages;
  }

  get #isOver(): boolean {
    return performance.now() > this.startedMs + DURATION_MS || this.failures.length > 10;
  }

  /**
   * Asks and is silent in turns. Half of the gaps are about as long as somebody keeps connections, the others are any.
   */
  async askWithGaps(name: string, client: ProxiedClient, number: number): Promise<void> {
    for (let turn = 0; !this.#isOver; turn++) {
      await this.#ask(`${name}, turn ${turn}`, async () => {
        const { status, text } = await client.send({ body: makeCall(HOT) });
        assert.ok(status === 200 && text.includes('head_block_number'), `${status} ${text}`);
      });
      const any = (number * 7919 + turn * 104_729) % LONGEST_GAP_MS;
      const kept = KEPT_MS[any % KEPT_MS.length] ?? 0;
      await this.#silence(turn % 2 === 0 ? Math.max(1000, any) : kept - 100 + (any % 120));
    }
    client.close();
  }

  /** Checks that clients learn of ready nodes, and that the others are not asked. */
  async watchReadiness(name: string, client: ProxiedClient): Promise<void> {
    while (!this.#isOver) {
      await this.#ask(`${name}, /readyz`, async () =>
        assert.equal((await client.send({ path: '/readyz' })).status, 200),
      );
      await this.#silence(100);
    }
    client.close();
  }

  /** No longer than there is time. */
  async #silence(gapMs: number): Promise<void> {
    await setTimeout(Math.min(gapMs, Math.max(0, this.startedMs + DURATION_MS - performance.now())));
  }

  async #ask(what: string, work: () => Promise<void>): Promise<void> {
    const startMs = performance.now();
    try {
      await work();
      this.answered++;
    } catch (error) {
      const failure = `${what}, after ${Math.round(startMs - this.startedMs)} ms: ${String(error)}`;
      const endMs = performance.now();
      const wasUnderWay = this.#outages.some((outage) => outage.startMs <= endMs && startMs <= outage.endMs);
      (wasUnderWay ? this.excused : this.failures).push(failure);
    }
  }
}

/** Sockets that have subscribed to what initminer sends; more than one, as one may be of the node that ends. */
async function subscribers({ port }: Door): Promise<readonly ProxiedSocket[]> {
  return await Promise.all(
    Array.from({ length: 6 }, async (_, k) => {
      const socket = await new ProxiedClient(port, `127.0.4.${k + 1}`).socket();
      const params = { return_id: 7, app_id: 9, account_name: 'initminer', search_type: 'by_sender', start: 1 };
      assert.equal(at(await callOver(socket, 'custom_object_subscription', params), 'subscription'), 7);
      return socket;
    }),
  );
}

/** Sends a document over the socket, signed here, and hears of it by its subscription. */
async function hearOwnDocument(socket: ProxiedSocket): Promise<void> {
  const data = JSON.stringify({ by: Math.random() });
  const made = await callOver(socket, 'make_custom_json_operation', {
    app_id: 9,
    from: 'initminer',
    to: ['initminer'],
    json: data,
  });
  const { simple_tx: tx = null } = requireObject(
    await callOver(socket, 'create_simple_transaction', { op: at(made, 'op') }),
  );
  const digest = textMember(await callOver(socket, 'get_transaction_digest', { tx }), 'tx_digest');
  const signed = { ...requireObject(tx), signatures: [sign(Buffer.from(digest, 'hex'), testSecret(SEED))] };
  await callOver(socket, 'broadcast_transaction', { tx: signed });
  const ofUs = (frame: Json): boolean =>
    optionalMember(frame, 'method') === 'notice' && JSON.stringify(frame).includes(JSON.stringify(data));
  const notice = await socket.next('a notice', ofUs);
  assert.equal(listMember(notice, 'params')[0], 7);
}

async function callOver(socket: ProxiedSocket, method: string, params: Json): Promise<Json> {
  socket.send(makeCall(`alexandria_api.${method}`, params));
  const answer = await socket.next(`the answer of ${method}`, (frame) => optionalMember(frame, 'id') === 1);
  assert.equal(optionalMember(answer, 'error'), undefined, JSON.stringify(answer));
  return at(answer, 'result');
}
