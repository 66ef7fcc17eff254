import { MessagePort, parentPort, type Worker } from 'node:worker_threads';
import { assert, present } from '../base/assert.ts';
import type { Port } from '../base/port.ts';

/**
 * A message port to another thread. A message may carry such a port as its member `port`: that end is transferred to
 * the other thread.
 */
export class ThreadPort<In, Out> implements Port<In, Out> {
  readonly #end: MessagePort | Worker;

  constructor(end: MessagePort | Worker) {
    this.#end = end;
  }

  post(message: Out, transfer: readonly ArrayBuffer[] = []): void {
    const travelling = findPort(message);
    if (!(travelling instanceof ThreadPort)) return this.#end.postMessage(message, transfer);
    const end = travelling.#end;
    assert(end instanceof MessagePort, 'a line that can be handed over');
    this.#end.postMessage({ ...message, port: end }, [end]);
  }

  listen(take: (message: In) => void): void {
    this.#end.on('message', (message: In) => take(withThreadPort(message)));
  }

  /** Closes a message port; a worker is ended by the thread that started it. */
  close(): void {
    if (this.#end instanceof MessagePort) this.#end.close();
  }
}

/** The received message, with its port made usable in this thread. */
function withThreadPort<Message>(message: Message): Message {
  const end = findPort(message);
  return end instanceof MessagePort ? { ...message, port: new ThreadPort(end) } : message;
}

function findPort(message: unknown): unknown {
  return typeof message === 'object' && message !== null && 'port' in message ? message.port : undefined;
}

/** In a worker: the port to the thread that started it. */
export function starterPort<In, Out>(): ThreadPort<In, Out> {
  return new ThreadPort(present(parentPort ?? undefined, 'the port of a worker'));
}
