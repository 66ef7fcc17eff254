import type { Certificate } from './certificate.ts';
import { isMoreThanThird, type Voters } from './voters.ts';

/** The voters of an epoch and a certificate by them: that of its last block, unless another one is named. */
export interface EndedEpoch {
  readonly voters: Voters;
  readonly certificate: Certificate;
}

/**
 * True where more than a third of the trusted voters have signed a later epoch's certificate. An honest one is among
 * them, so its voters can be trusted.
 */
export function followsByThird({ voters, certificate }: EndedEpoch, trusted: Pick<Voters, 'keys'>): boolean {
  const signed = new Set(certificate.signatures.map(({ voter }) => voters.keys[voter]));
  return isMoreThanThird(trusted.keys.filter((key) => signed.has(key)).length, trusted);
}
