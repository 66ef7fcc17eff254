import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, test } from 'node:test';
import { NodeSilent } from '../../src/client/answer.ts';
import { Node } from '../../src/wallet/node.ts';
import { HandClock } from '../builders/hand_clock.ts';
import { waitUntil } from '../outside/wait_until.ts';

const METHOD = 'alexandria_api.broadcast_transaction';
const EXPIRATION = 4_000_000_000; // 2096; the clock of this machine is at 1970
const SOME_TIME_MS = 40_000;

/** A node that answers broadcasts when it is told to, and the time on the chain as long as it is there. */
class SlowNode {
  readonly #server: Server;
  readonly #broadcasts: ServerResponse[] = [];
  time = '2096-01-01T00:00:00';
  isThere = true;
  asked = 0;

  constructor() {
    this.#server = createServer((request, response) => {
      let body = '';
      request.on('data', (chunk: Buffer) => (body += chunk.toString()));
      request.on('end', () => {
        const { method } = JSON.parse(body) as { method: string };
        if (method === METHOD) {
          this.#broadcasts.push(response);
          return;
        }
        this.asked++;
        if (this.isThere) answered(response, { properties: { time: this.time } });
        else request.socket.destroy();
      });
    });
  }

  async open(): Promise<string> {
    this.#server.listen(0, '127.0.0.1');
    await once(this.#server, 'listening');
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async hasBroadcast(): Promise<void> {
    await waitUntil('a broadcast', () => this.#broadcasts.length > 0 || undefined);
  }

  answerBroadcast(): void {
    for (const response of this.#broadcasts) answered(response, { tx: { block_num: 7 } });
  }

  close(): void {
    this.#server.close();
    this.#server.closeAllConnections();
  }
}

function answered(response: ServerResponse, result: object): void {
  response.writeHead(200, { 'Content-Type': 'application/json' });
  response.end(JSON.stringify({ jsonrpc: '2.0', id: 1, result }));
}

const slow: SlowNode[] = [];
after(() => slow.forEach((node) => node.close()));

/** A transaction that was sent to a node, and has not been answered. */
async function sent(): Promise<{
  readonly node: SlowNode;
  readonly clock: HandClock;
  readonly outcome: Promise<unknown>;
  close(): void;
}> {
  const [node, clock] = [new SlowNode(), new HandClock(0)];
  slow.push(node);
  const wallet = new Node(await node.open(), clock);
  const outcome = wallet.broadcast({}, EXPIRATION).catch((error: unknown) => error);
  await node.hasBroadcast();
  return { node, clock, outcome, close: () => wallet.close() };
}

/** Lets time pass until the node has been asked once more. */
async function untilAsked({ node, clock }: { readonly node: SlowNode; readonly clock: HandClock }): Promise<void> {
  const before = node.asked;
  clock.pass(SOME_TIME_MS);
  await waitUntil('a question', () => node.asked > before || undefined);
  for (let tick = 0; tick < 20; tick++) await new Promise(setImmediate);
}

test('a wallet waits for a broadcast as long as the node says that the chain is before its expiration, whatever the clock of this machine says', async () => {
  const sending = await sent();
  for (let round = 0; round < 5; round++) {
    await untilAsked(sending);
    await waitUntil('the next look', () => sending.clock.longestMs > 0 || undefined);
  }
  sending.node.answerBroadcast();
  assert.deepEqual(await sending.outcome, { block_num: 7 });
  sending.close();
});

test('a node that answers nothing any more ends the waiting, and the transaction may be in a block', async () => {
  const sending = await sent();
  sending.node.isThere = false;
  sending.clock.pass(SOME_TIME_MS);
  const error = await sending.outcome;
  assert.ok(error instanceof NodeSilent && error.wasSent, String(error));
  sending.close();
});

test('a chain that is past the expiration, and a broadcast still not answered, end the waiting', async () => {
  const sending = await sent();
  sending.node.time = '2096-10-02T07:06:41';
  await untilAsked(sending);
  await waitUntil('the next look', () => sending.clock.longestMs > 0 || undefined);
  sending.clock.pass(SOME_TIME_MS);
  const error = await sending.outcome;
  assert.ok(error instanceof NodeSilent && error.wasSent, String(error));
  assert.match(error.message, /the chain is past 2096-10-02T07:06:40/);
  sending.close();
});
