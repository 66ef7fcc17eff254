import { Fault } from '../../base/fault.ts';
import type { Port } from '../../base/port.ts';
import type { SignedAlive } from '../../blocks/alive.ts';
import { Refusal } from '../../base/refusal.ts';
import type { BlockOutcome } from '../../p2p/chain_access.ts';
import type { ChainMessage } from '../feed/chain_feed.ts';
import type { AcceptedMessage } from '../feed/transaction_feed.ts';
import { PendingQuestions } from '../threads/pending_questions.ts';
import type { FromNetwork, NetworkOrder, NetworkState, NetworkView, ToNetwork } from './network_messages.ts';
import type { PeerBlocksIntake } from './peer_blocks_intake.ts';
import type { PeerTransactionsIntake } from './peer_transactions_intake.ts';
import { sentVerdicts } from './sent_verdicts.ts';

/** What the front does for the network. */
export interface NetworkClientParts {
  readonly blocks: Pick<PeerBlocksIntake, 'submit' | 'judge' | 'prove' | 'submitProved'>;
  readonly transactions: Pick<PeerTransactionsIntake, 'submit'>;
  /** Has the writer count an `alive`: whether it is of a witness. */
  readonly takeAlive: (alive: SignedAlive) => Promise<boolean>;
  /** The network has failed, or its own chain has: the node must be stopped. */
  readonly failed: (fault: Fault) => void;
  /** How the node stands to others, each second. */
  readonly told: (state: NetworkState) => void;
  /** A peer has sent a switch of a signing key. */
  readonly standbySwitch: (from: string, packed: Uint8Array) => void;
  /** Ends the network's thread once it has stopped. */
  readonly end: () => Promise<void>;
}

/** The network once it listens. */
export type NetworkReady = Extract<FromNetwork, { kind: 'ready' }>;

/** Verifiers or writer could not do their work, and report that themselves when it is for good. The block is fetched again. */
const UNDECIDED: BlockOutcome = { kind: 'unlinkable' };

/** The most orders that may wait: local ones alone, each carried out between two messages, so more means that the network is stuck. */
const MAX_ORDERS = 1000;

/** The front's connection to the network. */
export class NetworkClient {
  readonly #port: Port<FromNetwork, ToNetwork>;
  readonly #parts: NetworkClientParts;
  readonly #opened: Promise<NetworkReady>;
  #ready: { readonly resolve: (ready: NetworkReady) => void; readonly reject: (error: unknown) => void } | undefined;
  #stopped: (() => void) | undefined;
  #isOver = false;
  readonly #orders = new PendingQuestions<NetworkView>(MAX_ORDERS, 'the network does not answer');

  constructor(port: Port<FromNetwork, ToNetwork>, parts: NetworkClientParts) {
    this.#port = port;
    this.#parts = parts;
    this.#opened = new Promise((resolve, reject) => {
      this.#ready = { resolve, reject };
    });
    // The failure is reported to callers of `opened` and to `failed`.
    this.#opened.catch(() => undefined);
    port.listen((message) => this.#take(message));
  }

  /** Resolves when the network listens; rejects with the Fault that prevented that. */
  async opened(): Promise<NetworkReady> {
    return await this.#opened;
  }

  /** Has the network carry out what its operator wants, and answers what there is then. */
  async order(order: NetworkOrder): Promise<NetworkView> {
    return await this.#orders.ask((number) => this.#port.post({ kind: 'order', number, order }));
  }

  /** A witness of this node has signed that it is there: peers are told. */
  tellAlive(alive: SignedAlive): void {
    if (!this.#isOver) this.#port.post({ kind: 'own_alive', alive });
  }

  /** Hands over the ends of the feeds of blocks and of accepted transactions. */
  follow(chain: Port<ChainMessage, unknown>, accepted: Port<AcceptedMessage, unknown>): void {
    this.#port.post({ kind: 'chain', port: chain });
    this.#port.post({ kind: 'accepted', port: accepted });
  }

  /** Hands a switch to the standby with that id, now or when it is there. */
  handSwitch(node: string, packed: Uint8Array): void {
    this.#port.post({ kind: 'standby_switch', node, packed });
  }

  /** Says goodbye to all peers; nothing reads the store for the network afterwards. */
  async stop(): Promise<void> {
    if (!this.#isOver) {
      this.#isOver = true;
      const stopped = new Promise<void>((resolve) => {
        this.#stopped = resolve;
      });
      this.#port.post({ kind: 'stop' });
      await stopped;
      this.#orders.failAll(new Fault('runtime', 'the network has stopped'));
    }
    await this.#parts.end();
  }

  /** The network will send nothing more. */
  fail(fault: Fault): void {
    this.#stopped?.();
    if (this.#isOver) return;
    this.#isOver = true;
    this.#ready?.reject(fault);
    this.#orders.failAll(fault);
    this.#parts.failed(fault);
  }

  #take(message: FromNetwork): void {
    switch (message.kind) {
      case 'ready':
        return this.#ready?.resolve(message);
      case 'blocks':
        return void this.#takeBlocks(message.number, () => this.#parts.blocks.submit(message.blocks, message.place));
      case 'proved_block':
        return void this.#takeBlocks(message.number, () => this.#parts.blocks.submitProved(message.verified, message.from));
      case 'header':
        return void this.#takeHeader(message);
      case 'prove':
        return void this.#prove(message);
      case 'transactions':
        return void this.#takeTransactions(message);
      case 'alive':
        return void this.#takeAlive(message);
      case 'state':
        return this.#parts.told(message.state);
      case 'standby_switch':
        return this.#parts.standbySwitch(message.from, message.packed);
      case 'shown':
        return this.#orders.answer(message.number, message.view);
      case 'stopped':
        return this.#stopped?.();
      case 'failed':
        return this.fail(new Fault(message.code === 'assertion' ? 'runtime' : message.code, message.message));
    }
  }

  async #takeBlocks(number: number, submit: () => Promise<readonly BlockOutcome[]>): Promise<void> {
    this.#port.post({ kind: 'block_outcomes', number, outcomes: await submit().catch(() => [UNDECIDED]) });
  }

  async #takeHeader({ number, block }: Extract<FromNetwork, { kind: 'header' }>): Promise<void> {
    this.#port.post({ kind: 'header_judgement', number, judgement: await this.#parts.blocks.judge(block).catch(() => UNDECIDED) });
  }

  async #takeAlive({ number, alive }: Extract<FromNetwork, { kind: 'alive' }>): Promise<void> {
    this.#port.post({ kind: 'alive_verdict', number, isOfWitness: await this.#parts.takeAlive(alive).catch(() => false) });
  }

  async #prove({ number, transactions }: Extract<FromNetwork, { kind: 'prove' }>): Promise<void> {
    try {
      this.#port.post({ kind: 'proven', number, verified: await this.#parts.blocks.prove(transactions) });
    } catch (error) {
      this.#port.post({ kind: 'proven', number, refusal: error instanceof Refusal ? error.message : undefined });
    }
  }

  async #takeTransactions({ number, sent }: Extract<FromNetwork, { kind: 'transactions' }>): Promise<void> {
    const verdicts = sentVerdicts(await this.#parts.transactions.submit(sent));
    this.#port.post({ kind: 'transaction_verdicts', number, verdicts }, [verdicts.bits.buffer]);
  }
}
