import { Fault } from '../../base/fault.ts';
import type { Port } from '../../base/port.ts';
import type { SignedHeartbeat } from '../../blocks/alive.ts';
import { Refusal } from '../../base/refusal.ts';
import type { FinalityUpdate } from '../../p2p/finality/finality_relay.ts';
import type { BlockOutcome } from '../../p2p/environment/chain_access.ts';
import type { ChainMessage } from '../../feed/chain_feed.ts';
import type { AcceptedMessage } from '../../feed/transaction_feed.ts';
import { RequestSender } from '../../system/request_sender.ts';
import type { HeardVotes } from '../threads/messages.ts';
import type { Answered, Question, WaitingAnswerers } from '../../system/questions.ts';
import type {
  FromNetwork,
  NetworkOrder,
  NetworkOrders,
  NetworkQuestions,
  NetworkState,
  NetworkView,
  SentVerification,
  ToNetwork,
} from './network_messages.ts';
import type { PeerBlocksIntake } from './peer_blocks_intake.ts';
import type { PeerTransactionsIntake } from './peer_transactions_intake.ts';

/** The front's side of the network. */
export interface NetworkClientParts {
  readonly blocks: Pick<PeerBlocksIntake, 'submit' | 'judge' | 'verifyPacked' | 'submitVerified'>;
  readonly transactions: Pick<PeerTransactionsIntake, 'submit'>;
  /** Has the writer count an `alive`: whether it is of a witness. */
  readonly takeAlive: (alive: SignedHeartbeat) => Promise<boolean>;
  /** The network has failed, or its own chain has: the node must be stopped. */
  readonly failed: (fault: Fault) => void;
  /** Takes the node's standing among others, each second. */
  readonly told: (state: NetworkState) => void;
  /** A peer has sent a switch of a signing key. */
  readonly standbySwitch: (from: string, packed: Uint8Array) => void;
  /** Peers have sent votes or certificates. */
  readonly heardVotes: (heard: HeardVotes) => void;
  /** Ends the network's thread once it has stopped. */
  readonly end: () => Promise<void>;
}

/** The network once it listens. */
export type NetworkReady = Extract<FromNetwork, { kind: 'ready' }>;

/**
 * Verifiers or writer could not do their work, and report that themselves when it is for good. The block is fetched
 * again.
 */
const UNDECIDED: BlockOutcome = { kind: 'unlinkable' };

/**
 * The most orders that may wait: local ones alone, each carried out between two messages, so more means that the
 * network is stuck.
 */
const MAX_ORDERS = 1000;

/** The front's connection to the network. */
export class NetworkClient {
  readonly #port: Port<FromNetwork, ToNetwork>;
  readonly #parts: NetworkClientParts;
  readonly #opened: Promise<NetworkReady>;
  #ready: { readonly resolve: (ready: NetworkReady) => void; readonly reject: (error: unknown) => void } | undefined;
  #stopped: (() => void) | undefined;
  #isOver = false;
  readonly #orders = new RequestSender<NetworkOrders>(MAX_ORDERS, 'the network does not answer');
  readonly #answerers: WaitingAnswerers<NetworkQuestions>;

  constructor(port: Port<FromNetwork, ToNetwork>, parts: NetworkClientParts) {
    this.#port = port;
    this.#parts = parts;
    const { blocks, transactions, takeAlive } = parts;
    this.#answerers = {
      blocks: (question) => blocks.submit(question.blocks, question.place).catch(() => [UNDECIDED]),
      verified_block: ({ verified, from }) => blocks.submitVerified(verified, from).catch(() => [UNDECIDED]),
      header: ({ block }) => blocks.judge(block).catch(() => UNDECIDED),
      verify_transactions: (question) => this.#verify(question.transactions),
      transactions: async ({ sent }, transfer) => {
        const outcomes = await transactions.submit(sent);
        for (const { buffer } of outcomes) transfer.push(buffer);
        return outcomes;
      },
      alive: ({ alive }) => takeAlive(alive).catch(() => false),
    };
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
    return await this.#orders.ask({ kind: 'order', order }, (asked) => this.#port.post(asked));
  }

  /** A witness of this node has signed that it is there: peers are told. */
  tellAlive(alive: SignedHeartbeat): void {
    if (!this.#isOver) this.#port.post({ kind: 'own_alive', alive });
  }

  /** The chain has votes and certificates for peers. */
  tellFinality(news: readonly FinalityUpdate[]): void {
    if (!this.#isOver) this.#port.post({ kind: 'finality', updates: news });
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
      case 'ask':
        return void this.#answer(message.ticket, message.question);
      case 'state':
        return this.#parts.told(message.state);
      case 'heard_votes':
        return this.#parts.heardVotes(message);
      case 'standby_switch':
        return this.#parts.standbySwitch(message.from, message.packed);
      case 'answer':
        return this.#orders.answer(message);
      case 'stopped':
        return this.#stopped?.();
      case 'failed':
        return this.fail(new Fault(message.code === 'assertion' ? 'runtime' : message.code, message.message));
    }
  }

  async #answer<Kind extends keyof NetworkQuestions>(
    ticket: number,
    question: Question<NetworkQuestions, Kind>,
  ): Promise<void> {
    const { kind: to } = question;
    const transfer: ArrayBuffer[] = [];
    const message: Answered<NetworkQuestions, Kind> = {
      kind: 'answer',
      to,
      ticket,
      value: await this.#answerers[to](question, transfer),
    };
    this.#port.post(message, transfer);
  }

  async #verify(transactions: Uint8Array): Promise<SentVerification> {
    try {
      return { verified: await this.#parts.blocks.verifyPacked(transactions) };
    } catch (error) {
      return { refusal: error instanceof Refusal ? error.message : undefined };
    }
  }
}
