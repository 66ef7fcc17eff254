/** A chain whose last block is older stands still, or the clock is ahead of it. */
const NEW_HEAD_SECONDS = 60;

/**
 * Explains an old head: one answer about clock and chain, because neither can be told from the other here. Undefined
 * for a new one.
 */
export function oldHead(ageSeconds: number): string | undefined {
  if (ageSeconds <= NEW_HEAD_SECONDS) return undefined;
  return `${ageSeconds} seconds old by this machine's clock: either no block has come since, or the clock is ahead`;
}
