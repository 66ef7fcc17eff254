import assert from 'node:assert/strict';
import { afterEach, test } from 'node:test';

import { systemClock } from '../../src/base/clock.ts';
import { nodeCertificate } from '../../src/crypto/node_certificate.ts';
import { AddressBook } from '../../src/p2p/address_book.ts';
import { Bans } from '../../src/p2p/bans.ts';
import { latestTime } from '../../src/p2p/latest_time.ts';
import { Network } from '../../src/p2p/network.ts';
import type { Target } from '../../src/p2p/addresses.ts';
import { TlsLinks } from '../../src/p2p/tls_link.ts';
import { MemoryStore } from '../../src/storage/memory.ts';
import { produce, testParameters, transactionOn, transferJson } from '../builders/chain.ts';
import { bundled, ChainLine } from '../builders/chain_line.ts';
import { Dice } from '../builders/dice.ts';
import { networkSettings } from '../builders/network_settings.ts';
import { silentLog } from '../builders/still_chain.ts';

const parameters = testParameters();
const nodes: Node[] = [];

afterEach(async () => {
  for (const node of nodes.splice(0)) await node.stop();
});

/** A node of real parts in this thread: chain, network and sockets. */
class Node {
  readonly line: ChainLine;
  readonly network: Network;
  readonly links: TlsLinks;
  #wake: () => void = () => undefined;

  constructor(number: number, seeds: readonly Target[] = [], own = parameters) {
    const identity = nodeCertificate(new Uint8Array(32).fill(number));
    this.links = new TlsLinks({ identity, clock: systemClock });
    this.line = new ChainLine({
      store: new MemoryStore(),
      parameters: own,
      isFree: true,
      later: (_, run) => setImmediate(run),
      news: (news) => {
        this.network.news(news);
        this.#wake();
      },
    });
    const outside = {
      clock: systemClock,
      latestMs: latestTime(systemClock),
      dice: new Dice(number),
      log: silentLog,
      view: this.line,
      intake: this.line,
      dial: this.links.dial.bind(this.links),
      failed: () => undefined,
    };
    const settings = networkSettings({ ownId: identity.id, seeds });
    const parts = { settings, book: new AddressBook(true), bans: new Bans(), anchors: [], checkpoint: 0, syncRate: 2 ** 26 };
    this.network = new Network(outside, parts);
    nodes.push(this);
  }

  async listen(): Promise<Target> {
    const port = await this.links.listen('127.0.0.1', 0, {
      admit: (host, drop) => {
        const place = this.network.admit(host, drop);
        if (place === undefined) return undefined;
        return { connected: (pipe) => this.network.accept(pipe, place), ended: () => this.network.gate.end(place) };
      },
    });
    this.network.start();
    return { host: '127.0.0.1', port };
  }

  /** Waits until something is true, which is looked at behind each block and now and then. */
  async until(isTrue: () => boolean): Promise<void> {
    while (!isTrue()) {
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, 50);
        this.#wake = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    }
  }

  async stop(): Promise<void> {
    this.network.stop();
    await this.links.close();
  }
}

test('a node finds another one over TLS, gets its blocks by ranges, follows it, and a transaction posted at one is in a block of the other', async () => {
  const maker = new Node(1);
  for (let number = 0; number < 2500; number++) produce(maker.line.chain);
  const seed = await maker.listen();
  const follower = new Node(2, [seed]);
  await follower.listen();
  await follower.until(() => follower.line.head.number === 2500);
  assert.equal(follower.line.chain.head.stateHash, maker.line.chain.head.stateHash);
  await follower.until(() => follower.network.state === 'live' && maker.network.state === 'live');

  const transfer = transactionOn(follower.line.chain, parameters, [transferJson('alice', 'bob', 7)], ['alice']);
  follower.line.chain.accept(transfer);
  follower.network.accepted([bundled(transfer)]);
  await maker.until(() => maker.line.chain.pendingTransactions.length === 1);
  produce(maker.line.chain);
  await follower.until(() => follower.line.head.number === 2501);
  assert.deepEqual(
    follower.line.chain.block(2501)?.transactions.map(({ id }) => id),
    [transfer.id],
  );
  assert.equal(follower.line.chain.pendingTransactions.length, 0);
});

test('a node of another chain is told so and is no peer', async () => {
  const maker = new Node(3);
  const seed = await maker.listen();
  const stranger = new Node(4, [seed], testParameters({ genesis_time: '2026-11-20T00:00:00' }));
  await stranger.listen();
  await maker.until(() => maker.network.gate.unfinished === 0 && maker.network.connections.count === 0);
  assert.equal(maker.network.state, 'alone');
  assert.equal(stranger.network.state, 'alone');
});
