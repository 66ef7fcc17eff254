/** How votes stand that make blocks irreversible, as the node's page `/health` tells it. */
export interface Finality {
  /** The last block that enough witnesses have built on. */
  readonly confirmed: number;
  /** Undefined as long as the node has not seen a whole slot. */
  readonly votes: Votes | undefined;
}

/** The voters of the epoch, and what came of their votes. */
export interface Votes {
  readonly epoch: number;
  readonly voters: number;
  readonly quorum: number;
  readonly missing: number;
  /** The first of those that have not voted for ten slots. */
  readonly missingNames: readonly string[];
  /** The block of the newest certificate, and its votes; undefined before the first. */
  readonly certificate: { readonly block: number; readonly votes: number } | undefined;
  /** Since when no block has become irreversible; undefined unless that is too long. */
  readonly stalledSince: string | undefined;
}

/** Reads the node's answer; undefined where confirmations make blocks irreversible, and for what is no such answer. */
export function finalityIn(json: unknown): Finality | undefined {
  if (!isObject(json)) return undefined;
  const { confirmed_block_number: confirmed, finality } = json;
  return typeof confirmed === 'number' ? { confirmed, votes: votesIn(finality) } : undefined;
}

function votesIn(json: unknown): Votes | undefined {
  if (!isObject(json)) return undefined;
  const { epoch, voters, quorum, missing, missing_names: names, stalled_since: since } = json;
  const { certificate_block_number: block, certificate_votes: votes } = json;
  if (![epoch, voters, quorum, missing].every((number) => typeof number === 'number')) return undefined;
  return {
    ...{ epoch: Number(epoch), voters: Number(voters), quorum: Number(quorum), missing: Number(missing) },
    missingNames: Array.isArray(names) ? names.filter((name) => typeof name === 'string') : [],
    certificate: typeof block === 'number' && typeof votes === 'number' ? { block, votes } : undefined,
    stalledSince: typeof since === 'string' ? since : undefined,
  };
}

/** What is known of a block: whether anything can undo it. */
export function standingText(number: number, irreversible: number, confirmed: number | undefined): string {
  if (number <= irreversible) return 'irreversible: nothing can undo it';
  return confirmed !== undefined && number <= confirmed
    ? 'confirmed by witnesses that have built on it, and not irreversible: votes are missing'
    : 'reversible: another branch may still replace it';
}

function isObject(value: unknown): value is { readonly [member: string]: unknown } {
  return typeof value === 'object' && value !== null;
}
