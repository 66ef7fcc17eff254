import { Fault } from '../../base/fault.ts';
import type { Port } from '../../base/port.ts';
import type { ChainFollower, ChainMessage } from '../feed/chain_feed.ts';
import type { Following, FromWriter, SlotTimes, ToWriter } from './messages.ts';
import { receivedRefusal } from './verdicts.ts';

/** What the front does with what the writer says. */
export interface WriterListener {
  verdicts(bytes: Uint8Array): void;
  /** The node has made a block for a slot. */
  produced(slot: SlotTimes): void;
  /** The writer has stopped by itself: nothing more will be written. */
  failed(fault: Fault): void;
}

/** What the writer says when it is open. */
export type Ready = Extract<FromWriter, { kind: 'ready' }>;

interface Question {
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: unknown) => void;
}

/** Questions that may wait for the writer: it answers between two transactions, so more means that it is stuck. */
const MAX_QUESTIONS = 10_000;

/** The front's line to the writer. */
export class WriterClient {
  readonly #port: Port<FromWriter, ToWriter>;
  readonly #questions = new Map<number, Question>();
  readonly #listener: WriterListener;
  readonly #end: () => Promise<void>;
  readonly #followers: ChainFollower[] = [];
  #lastTicket = 0;
  #ready: { readonly resolve: (ready: Ready) => void; readonly reject: (error: unknown) => void } | undefined;
  readonly #opened: Promise<Ready>;
  #stopped: (() => void) | undefined;
  #hasFailed = false;

  /** `end` ends the writer's thread, when it has stopped. */
  constructor(port: Port<FromWriter, ToWriter>, listener: WriterListener, end: () => Promise<void> = () => Promise.resolve()) {
    this.#port = port;
    this.#listener = listener;
    this.#end = end;
    this.#opened = new Promise((resolve, reject) => {
      this.#ready = { resolve, reject };
    });
    // Whoever waits for it hears of it; so does the listener.
    this.#opened.catch(() => undefined);
    port.listen((message) => this.#take(message));
  }

  /** Resolves when the chain is open; rejects with the Fault that kept it closed. */
  async opened(): Promise<Ready> {
    return await this.#opened;
  }

  /** Gives the writer a line from a verifier. */
  connect(port: Port<Uint8Array, never>): void {
    this.#port.post({ kind: 'verifier', port });
  }

  /** A part in this thread hears of what is written from now on. */
  follow(follower: ChainFollower): void {
    this.#followers.push(follower);
  }

  /** A part in whichever thread does, over a line of its own and at its own pace. */
  connectFollower(following: Omit<Following, 'kind'>): void;
  connectFollower(following: Following): void {
    this.#port.post({ ...following, kind: 'follow' });
  }

  /** Asks something that the writer answers from the pending state, or hands it a block. */
  async ask(question: AskWriter): Promise<unknown> {
    if (this.#questions.size >= MAX_QUESTIONS) throw new Fault('runtime', 'the writer does not answer');
    const ticket = ++this.#lastTicket;
    return await new Promise((resolve, reject) => {
      this.#questions.set(ticket, { resolve, reject });
      this.#port.post({ ...question, ticket });
    });
  }

  /** Lets the writer finish what it is doing; one that has failed is not waited for. */
  async stop(): Promise<void> {
    if (!this.#hasFailed) {
      const stopped = new Promise<void>((resolve) => {
        this.#stopped = resolve;
      });
      this.#port.post({ kind: 'stop' });
      await stopped;
    }
    await this.#end();
  }

  /** The writer will say nothing more. The first failure says why; what it brings about says nothing more. */
  fail(fault: Fault): void {
    if (this.#hasFailed) return;
    this.#hasFailed = true;
    this.#ready?.reject(fault);
    this.#stopped?.();
    for (const { reject } of this.#questions.values()) reject(fault);
    this.#questions.clear();
    this.#listener.failed(fault);
  }

  #take(message: FromWriter): void {
    switch (message.kind) {
      case 'ready':
        return this.#ready?.resolve(message);
      case 'verdicts':
        return this.#listener.verdicts(message.bytes);
      case 'chain':
        return this.#tellFollowers(message.message);
      case 'produced':
        return this.#listener.produced(message.slot);
      case 'answer':
        return this.#answer(message);
      case 'stopped':
        return this.#stopped?.();
      case 'failed':
        return this.fail(new Fault(message.code === 'assertion' ? 'runtime' : message.code, message.message));
    }
  }

  #tellFollowers(message: ChainMessage): void {
    for (const follower of this.#followers) {
      if (message.kind === 'update') follower.takeUpdate(message);
      else follower.takeGap(message);
    }
    this.#port.post({ kind: 'taken' });
  }

  #answer({ ticket, refusal, value }: Extract<FromWriter, { kind: 'answer' }>): void {
    const question = this.#questions.get(ticket);
    this.#questions.delete(ticket);
    if (refusal === undefined) question?.resolve(value);
    else question?.reject(receivedRefusal(refusal));
  }
}

/** A question without its ticket. */
export type AskWriter =
  | Omit<Extract<ToWriter, { kind: 'header' }>, 'ticket'>
  | Omit<Extract<ToWriter, { kind: 'blocks' }>, 'ticket'>
  | Omit<Extract<ToWriter, { kind: 'pending_accounts' }>, 'ticket'>
  | Omit<Extract<ToWriter, { kind: 'figures' }>, 'ticket'>
  | Omit<Extract<ToWriter, { kind: 'debug' }>, 'ticket'>;
