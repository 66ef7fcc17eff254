import { isObject } from './node_page.ts';

/** The votes that make blocks irreversible, from the node's page `/health`. */
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
export function readFinality(json: unknown): Finality | undefined {
  if (!isObject(json)) return undefined;
  const { confirmed_block_number: confirmed, finality } = json;
  return typeof confirmed === 'number' ? { confirmed, votes: readVotes(finality) } : undefined;
}

function readVotes(json: unknown): Votes | undefined {
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

/** A certificate by which a block is final. */
export interface BlockCertificate {
  /** The block that the votes are for. */
  readonly block: number;
  readonly votes: number;
  readonly voters: number;
  /** The time of the slot in which they were cast. */
  readonly time: string;
  /** True if the certificate made the block final; false if it is a later one that covers the block. */
  readonly madeFinal: boolean;
  /** True if the certificate is of the block's own round. */
  readonly isOfRound: boolean;
}

/** Reads the node's answer; undefined where the node has no certificate that covers the block. */
export function readBlockCertificate(json: unknown): BlockCertificate | undefined {
  if (!isObject(json) || !isObject(json.certificate)) return undefined;
  const { block_num: block, votes, voters, time } = json.certificate;
  if (typeof block !== 'number' || typeof votes !== 'number' || typeof voters !== 'number') return undefined;
  if (typeof time !== 'string') return undefined;
  const madeFinal = json.relation === 'made_final';
  return { block, votes, voters, time, madeFinal, isOfRound: json.relation !== 'later_round' };
}

/** Tells whether anything can undo a block. */
export function standingText(number: number, irreversible: number, confirmed: number | undefined): string {
  if (number <= irreversible) return 'irreversible: nothing can undo it';
  return confirmed !== undefined && number <= confirmed
    ? 'confirmed by witnesses that have built on it, and not irreversible: votes are missing'
    : 'reversible: another branch may still replace it';
}

/** Blocks up to this one became irreversible at this time; '' for those that were irreversible before. */
export interface FinalSince {
  readonly block: number;
  readonly time: string;
}

/** Returns the time at which a block became irreversible; undefined if the page has not seen it. */
export function finalTime(number: number, finalities: readonly FinalSince[]): string | undefined {
  const time = finalities.find(({ block }) => block >= number)?.time;
  return time === '' ? undefined : time;
}
