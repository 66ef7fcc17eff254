/** An operation of a transaction that waits for a block. */
export interface WaitingOperation {
  readonly trx_id: string;
  readonly expiration: string;
}

/** So many are shown, the newest of all that wait: a busy node has thousands. */
export const MOST_WAITING = 100;

/** With one more that waits, the newest first. */
export function withWaiting<W extends WaitingOperation>(waiting: readonly W[], one: W): readonly W[] {
  return [one, ...waiting].slice(0, MOST_WAITING);
}

/** Without what a block has, what was dropped, and what expired at the chain's time. */
export function stillWaiting<W extends WaitingOperation>(
  waiting: readonly W[],
  gone: ReadonlySet<string>,
  time: string,
): readonly W[] {
  return waiting.filter(({ trx_id: id, expiration }) => !gone.has(id) && expiration > time);
}
