import { compareViews, type Certificate } from '../../blocks/finality/certificate.ts';
import type { VoteSubject } from '../../blocks/finality/vote.ts';
import { getBlockNumber, type BlockId } from '../../values/hash.ts';
import type { BlockPlace } from './finality_chain.ts';

/** A certificate with the time at which the node learned of it, by its own clock. */
export interface HeldCertificate {
  readonly certificate: Certificate;
  readonly sinceMs: number;
}

/** A block that is judged: it follows a known one. */
export interface JudgedBlock extends BlockPlace {
  readonly previous: BlockId;
}

/** True if a block is another one or descends from it; false when either is unknown. */
export type Descends = (block: BlockId, from: BlockId) => boolean;

/**
 * Of either kind. The fork choice decides by the highest; the others matter while it is left out, and to open a lock.
 */
const MOST_HELD = 64;

/** The certificates that a node holds above what is final, the highest first. */
export class HeldCertificates implements Iterable<HeldCertificate> {
  #held: HeldCertificate[] = [];

  [Symbol.iterator](): Iterator<HeldCertificate> {
    return this.#held[Symbol.iterator]();
  }

  /** The certificate of the same kind and view for the same block: other voters may have signed it. */
  like({ subject }: Certificate): Certificate | undefined {
    return this.#held.find(({ certificate: { subject: other } }) => isLike(subject, other))?.certificate;
  }

  /** A certificate of the same view for another block: more than a third of the voters lie. */
  contradicting({ subject }: Certificate): Certificate | undefined {
    return this.#held.find(
      ({ certificate: { subject: other } }) => compareViews(subject, other) === 0 && subject.block !== other.block,
    )?.certificate;
  }

  /** Adds a verified certificate; returns whether its view is higher than that of all others. */
  add(certificate: Certificate, nowMs: number): boolean {
    const isHighest = this.#held.every((other) => compareViews(other.certificate.subject, certificate.subject) < 0);
    this.#held.push({ certificate, sinceMs: nowMs });
    this.#held.sort((one, other) => compareViews(other.certificate.subject, one.certificate.subject));
    const { kind } = certificate.subject;
    const [, ...beyond] = this.#held.filter((held) => held.certificate.subject.kind === kind).slice(MOST_HELD - 1);
    this.#held = this.#held.filter((held) => !beyond.includes(held));
    return isHighest;
  }

  /** Drops certificates of blocks below the final one. */
  forget(final: number): void {
    this.#held = this.#held.filter(({ certificate: { subject } }) => getBlockNumber(subject.block) >= final);
  }
}

function isLike(one: VoteSubject, other: VoteSubject): boolean {
  return one.kind === other.kind && compareViews(one, other) === 0 && one.block === other.block;
}

/**
 * Returns whether a certificate counts for a voter that judges the block of a slot. It counts when the voter held it
 * for a third of the interval before the slot began, or when it is for that block or an ancestor. Otherwise liars could
 * show a hidden certificate just in time, slot after slot.
 */
export function countsForVoter(
  { certificate, sinceMs }: HeldCertificate,
  judged: JudgedBlock,
  intervalMs: number,
  descends: Descends,
): boolean {
  const { block } = certificate.subject;
  const isInTime = sinceMs <= judged.slot * intervalMs - Math.trunc(intervalMs / 3);
  return isInTime || block === judged.id || descends(judged.previous, block);
}
