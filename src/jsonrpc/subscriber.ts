/** A connection that can be sent notices. */
export interface Subscriber {
  /** Queues one frame of text; false when the connection is closed or too far behind, which closes it. */
  push(text: string): boolean;
  /** What was pushed and has not left yet. */
  unsentBytes(): number;
  /** Closes the connection and says why. */
  drop(reason: string): void;
  /** Runs once, when the connection is gone. */
  onClose(run: () => void): void;
}
