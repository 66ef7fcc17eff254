import { Worker, type MessagePort } from 'node:worker_threads';
import { Fault } from '../../base/fault.ts';
import { receivedRefusal } from './verdicts.ts';
import type { BlockNotice, FromWriter, ToWriter, WriterSettings } from './messages.ts';

/** What the front does with what the writer says. */
export interface WriterListener {
  verdicts(bytes: Uint8Array): void;
  blockCommitted(notice: BlockNotice): void;
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

/** The front's line to the writer thread. */
export class WriterLine {
  readonly #worker: Worker;
  readonly #questions = new Map<number, Question>();
  readonly #listener: WriterListener;
  #lastTicket = 0;
  #ready: { readonly resolve: (ready: Ready) => void; readonly reject: (error: unknown) => void } | undefined;
  #stopped: (() => void) | undefined;
  #hasFailed = false;

  constructor(settings: WriterSettings, listener: WriterListener) {
    this.#listener = listener;
    this.#worker = new Worker(new URL('./writer.js', import.meta.url), { workerData: settings });
    this.#worker.on('message', (message: FromWriter) => this.#take(message));
    this.#worker.on('exit', () => this.#fail(new Fault('runtime', 'the writer has ended')));
    this.#worker.on('error', (error) => this.#fail(new Fault('runtime', `the writer has failed: ${error.stack ?? error.message}`, error)));
  }

  /** Resolves when the chain is open; rejects with the Fault that kept it closed. */
  async opened(): Promise<Ready> {
    return await new Promise((resolve, reject) => {
      this.#ready = { resolve, reject };
    });
  }

  /** Gives the writer a line from a verifier. */
  connect(port: MessagePort): void {
    const message: ToWriter = { kind: 'verifier', port };
    this.#worker.postMessage(message, [port]);
  }

  /** Asks something that the writer answers from the pending state, or hands it a block. */
  async ask(question: AskWriter): Promise<unknown> {
    if (this.#questions.size >= MAX_QUESTIONS) throw new Fault('runtime', 'the writer does not answer');
    const ticket = ++this.#lastTicket;
    return await new Promise((resolve, reject) => {
      this.#questions.set(ticket, { resolve, reject });
      this.#worker.postMessage({ ...question, ticket } satisfies ToWriter);
    });
  }

  /** Lets the writer finish what it is doing; one that has failed is not waited for. */
  async stop(): Promise<void> {
    if (!this.#hasFailed) {
      const stopped = new Promise<void>((resolve) => {
        this.#stopped = resolve;
      });
      this.#worker.postMessage({ kind: 'stop' } satisfies ToWriter);
      await stopped;
    }
    await this.#worker.terminate();
  }

  #take(message: FromWriter): void {
    switch (message.kind) {
      case 'ready':
        return this.#ready?.resolve(message);
      case 'verdicts':
        return this.#listener.verdicts(message.bytes);
      case 'block_committed':
        return this.#listener.blockCommitted(message);
      case 'answer':
        return this.#answer(message);
      case 'stopped':
        return this.#stopped?.();
      case 'failed':
        return this.#fail(new Fault(message.code === 'assertion' ? 'runtime' : message.code, message.message));
    }
  }

  #answer({ ticket, refusal, value }: Extract<FromWriter, { kind: 'answer' }>): void {
    const question = this.#questions.get(ticket);
    this.#questions.delete(ticket);
    if (refusal === undefined) question?.resolve(value);
    else question?.reject(receivedRefusal(refusal));
  }

  /** The first failure says why; what it brings about says nothing more. */
  #fail(fault: Fault): void {
    if (this.#hasFailed) return;
    this.#hasFailed = true;
    this.#ready?.reject(fault);
    this.#stopped?.();
    for (const { reject } of this.#questions.values()) reject(fault);
    this.#questions.clear();
    this.#listener.failed(fault);
  }
}

/** A question without its ticket. */
export type AskWriter =
  | Omit<Extract<ToWriter, { kind: 'blocks' }>, 'ticket'>
  | Omit<Extract<ToWriter, { kind: 'pending_accounts' }>, 'ticket'>
  | Omit<Extract<ToWriter, { kind: 'figures' }>, 'ticket'>
  | Omit<Extract<ToWriter, { kind: 'debug' }>, 'ticket'>;
