import type { HeadRecord } from '../../state/head_record.ts';

/** The part of the head record that says what is final. */
export type FinalityRecord = Pick<HeadRecord, 'irreversible_number' | 'irreversible_certificate'>;

/** A block that is final now, and the certificate of votes that proves it; the certificate is empty where there is none. */
export interface FinalBlock {
  readonly number: number;
  readonly certificate: Uint8Array;
}

const NO_CERTIFICATE = new Uint8Array(0);

/** A final block that needs no proof: confirmations of witnesses name it, or this node can't undo it. */
export function uncertified(number: number): FinalBlock {
  return { number, certificate: NO_CERTIFICATE };
}

/** Before the first block is final. */
export function noFinality(): FinalityRecord {
  return makeFinalityRecord(uncertified(0));
}

/** The finality record of a chain whose blocks are final up to this one. */
export function makeFinalityRecord({ number, certificate }: FinalBlock): FinalityRecord {
  return { irreversible_number: number, irreversible_certificate: certificate };
}

/** The later one of what was final and what a feed names now: what a node has told does not fall. */
export function raised(
  { irreversible_number, irreversible_certificate }: FinalityRecord,
  block: FinalBlock,
): FinalityRecord {
  return block.number > irreversible_number
    ? makeFinalityRecord(block)
    : { irreversible_number, irreversible_certificate };
}
