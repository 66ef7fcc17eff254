import type { Subscriber } from '../../src/jsonrpc/limits/subscriber.ts';

/** A connection that hears notices; a test says how much of them waits to be read. */
export abstract class ConnectedSubscriber implements Subscriber {
  address = '192.0.2.1';
  unsent = 0;
  dropped: string | undefined;
  readonly #closed: (() => void)[] = [];

  abstract push(text: string | Uint8Array): boolean;

  isOpen(): boolean {
    return true;
  }

  unsentBytes(): number {
    return this.unsent;
  }

  drop(reason: string): void {
    this.dropped = reason;
    this.close();
  }

  onClose(run: () => void): void {
    this.#closed.push(run);
  }

  close(): void {
    for (const run of this.#closed) run();
  }
}
