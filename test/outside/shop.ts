// A shop as a stranger writes it who knows the guide "Follow the chain" alone: a WebSocket and JSON, nothing of ours.
import { setTimeout as pause } from 'node:timers/promises';
import { WebSocket } from 'ws';

/** The shop's files: written together, so that a payment and its position never differ. */
export interface Books {
  readonly payments: readonly { readonly block: number; readonly memo: string }[];
  readonly position?: string | undefined;
}

interface Notice {
  readonly id?: number;
  readonly error?: { readonly data?: { readonly name?: string }; readonly message: string };
  readonly result?: { readonly position: string };
  readonly params?: readonly [number, readonly Item[]];
}

interface Item {
  readonly type: string;
  readonly position: string;
  readonly block?: { readonly number: number };
  readonly operation?: {
    readonly block: number;
    readonly op: readonly [string, { readonly to: string; readonly memo: string }];
  };
}

const AGAIN_MS = 50;

/** Watches what is paid to an account, whatever becomes of node and connection. */
export class Shop {
  books: Books;
  /** The permanent failure, if there is one. */
  failure: string | undefined;
  readonly #account: string;
  readonly #url: string;
  readonly #level: string;
  #socket: WebSocket | undefined;
  #isOpen = true;

  constructor(url: string, account: string, level: 'head' | 'irreversible', books: Books = { payments: [] }) {
    this.#url = url;
    this.#account = account;
    this.#level = level;
    this.books = books;
    this.#connect();
  }

  /** The program ends, in the middle of whatever it was doing. */
  crash(): void {
    this.#isOpen = false;
    this.#socket?.terminate();
  }

  #connect(): void {
    if (!this.#isOpen) return;
    const socket = new WebSocket(this.#url);
    this.#socket = socket;
    socket.on('open', () => this.#subscribe(socket));
    socket.on('message', (data: Buffer) => {
      if (socket === this.#socket && this.#isOpen) this.#hear(socket, data.toString());
    });
    socket.on('error', () => undefined);
    socket.on('close', () => void pause(AGAIN_MS).then(() => this.#connect()));
  }

  #subscribe(socket: WebSocket): void {
    const { position } = this.books;
    const from = position === undefined ? { start_block: 1 } : { resume: position };
    const params = { return_id: 1, accounts: [this.#account], kinds: ['transfer'], level: this.#level, ...from };
    socket.send(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'subscribe_api.subscribe_operations', params }));
  }

  #hear(socket: WebSocket, text: string): void {
    const { error, params }: Notice = JSON.parse(text);
    // The node has not come so far: later it has.
    if (error?.data?.name === 'position_in_future') return void pause(AGAIN_MS).then(() => socket.close());
    if (error !== undefined) this.failure = error.message;
    for (const item of params?.[1] ?? []) this.#book(item);
  }

  #book({ type, position, block, operation }: Item): void {
    const { payments } = this.books;
    if (type === 'undone') {
      const last = block?.number ?? 0;
      this.books = { position, payments: payments.filter((payment) => payment.block <= last) };
    } else if (type === 'operation' && operation?.op[1].to === this.#account) {
      this.books = { position, payments: [...payments, { block: operation.block, memo: operation.op[1].memo }] };
    } else this.books = { payments, position };
  }
}
