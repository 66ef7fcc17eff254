import { systemClock, type Clock } from '../../src/base/clock.ts';
import { nodeCertificate } from '../../src/crypto/node_certificate.ts';
import { AddressBook } from '../../src/p2p/peers/address_book.ts';
import type { Target } from '../../src/wire/addresses.ts';
import { Bans } from '../../src/p2p/peers/bans.ts';
import { latestTime } from '../../src/p2p/sync/latest_time.ts';
import { Network, type NetworkParts } from '../../src/p2p/network.ts';
import type { NetworkSettings } from '../../src/p2p/peers/network_settings.ts';
import { TlsLinks } from '../../src/wire/link/tls_link.ts';
import type { ChainParameters } from '../../src/state/parameters.ts';
import { MemoryStore } from '../../src/storage/memory.ts';
import { ChainLine } from './chain_line.ts';
import { RandomSource } from './random_source.ts';
import { networkSettings } from './network_settings.ts';

export interface TlsNodeOptions {
  /** Makes its key and its dice. */
  readonly number: number;
  readonly parameters: ChainParameters;
  readonly seeds?: readonly Target[];
  /** Of the network; links go by the machine's. */
  readonly clock?: Clock;
  /** True when the chain moves its own time. */
  readonly isFree?: boolean;
  readonly store?: MemoryStore;
  readonly settings?: Partial<NetworkSettings>;
  /** State that outlasts a run. */
  readonly kept?: Partial<Pick<NetworkParts, 'anchors' | 'followed'>>;
}

/** A node of real parts in this thread: chain, network and sockets. */
export class TlsNode {
  readonly id: string;
  readonly store: MemoryStore;
  readonly line: ChainLine;
  readonly network: Network;
  readonly links: TlsLinks;
  readonly said: string[] = [];
  #wake: () => void = () => undefined;
  #isStopped = false;

  constructor({
    number,
    parameters,
    seeds = [],
    clock = systemClock,
    isFree = true,
    store = new MemoryStore(),
    settings,
    kept,
  }: TlsNodeOptions) {
    const identity = nodeCertificate(new Uint8Array(32).fill(number));
    this.id = identity.id;
    this.store = store;
    this.links = new TlsLinks({ identity, clock: systemClock });
    this.line = new ChainLine({
      store,
      parameters,
      isFree,
      // Another node may go on with the store.
      later: (_, run) => setImmediate(() => this.#isStopped || run()),
      news: (news) => {
        this.network.chainChanged(news);
        this.#wake();
      },
    });
    const note = (text: string): void => void this.said.push(text);
    const environment = {
      clock,
      latestMs: latestTime(clock),
      randomSource: new RandomSource(number),
      log: { debug: () => undefined, notice: note, warning: note, error: note },
      view: this.line,
      intake: this.line,
      dial: this.links.dial.bind(this.links),
      failed: note,
    };
    this.network = new Network(environment, {
      settings: networkSettings({ ownId: identity.id, seeds, ...settings }),
      ...{ book: new AddressBook(true), bans: new Bans(), anchors: [], checkpoint: 0, syncRate: 2 ** 26, ...kept },
    });
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
    this.#isStopped = true;
    this.network.stop();
    await this.links.close();
  }
}
