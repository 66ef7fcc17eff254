/** A connection that can be sent notices. */
export interface Subscriber {
  /** The one that its subscriptions are counted for. */
  readonly address: string;
  /** Queues one frame of text; false when the connection is closed or too far behind, which closes it. */
  push(text: string | Uint8Array): boolean;
  /** Bytes that were pushed and have not been sent yet. */
  unsentBytes(): number;
  /** Returns whether the connection is open: nothing more is processed for a closed one. */
  isOpen(): boolean;
  /** Closes the connection with this reason. */
  drop(reason: string): void;
  /** Runs once, when the connection is gone. */
  onClose(run: () => void): void;
}
