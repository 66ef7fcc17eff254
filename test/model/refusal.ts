/**
 * A transaction, block or genesis that the rules forbid. `reason` is the text of the lineage, or a name where it has
 * none.
 */
export class ModelRefusal extends Error {
  readonly reason: string;

  constructor(reason: string) {
    super(reason);
    this.reason = reason;
  }
}

export function refuse(reason: string): never {
  throw new ModelRefusal(reason);
}

export function require(isMet: boolean, reason: string): void {
  if (!isMet) refuse(reason);
}

/** A mandatory look-up (chain_rules.md#conventions): what is missing is an unknown key. */
export function known<T>(row: T | undefined): T {
  return row ?? refuse('unknown key');
}

/** Returns the reason of a refusal; undefined for none. */
export function catchReason(run: () => void): string | undefined {
  try {
    run();
    return undefined;
  } catch (error) {
    if (error instanceof ModelRefusal) return error.reason;
    throw error;
  }
}
