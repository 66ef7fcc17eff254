import type { Log } from '../base/log.ts';
import type { Certificate } from '../blocks/finality/certificate.ts';
import type { CertificateContradiction, Contradiction, VoteContradiction } from '../blocks/finality/contradiction.ts';
import type { Voters } from '../blocks/finality/voters.ts';
import type { EvidenceFile } from '../data_folder/evidence_file.ts';
import type { NamedBlock } from '../settings/writer_settings.ts';
import { explain } from '../system/exit_codes.ts';
import { publicKeyText } from '../values/public_key.ts';
import { timeText } from '../values/time.ts';

/** One for each key and epoch: a third of the voters of a usual round, each in four epochs. */
const MOST_VOTES = 64;
/** A node stops at the first. */
const MOST_CERTIFICATES = 4;
const MOST_SAID = 3;

export interface EvidenceParts {
  /** Undefined where nothing is on a disk. */
  readonly file: Pick<EvidenceFile, 'read' | 'write'> | undefined;
  readonly keyPrefix: string;
  readonly log: Pick<Log, 'warning'>;
}

/** Contradictions that this node has seen, the newest of each kind, over restarts. */
export class Evidence {
  readonly #parts: EvidenceParts;
  readonly #path: string;
  #votes: readonly VoteContradiction[] = [];
  #certificates: readonly CertificateContradiction[] = [];

  constructor(parts: EvidenceParts) {
    this.#parts = parts;
    const kept = parts.file?.read();
    this.#path = kept?.path ?? '';
    if (kept?.damage !== undefined) parts.log.warning(kept.damage, 'evidence_file_damaged', {});
    for (const each of kept?.found ?? []) this.#add(each);
  }

  /** The seen contradictions, the oldest first of each kind. */
  get all(): readonly Contradiction[] {
    return [...this.#certificates, ...this.#votes];
  }

  /** Keeps votes that contradict each other, unless others of the key in the epoch are kept. */
  takeVotes(contradiction: VoteContradiction): void {
    const epoch = evidenceEpoch(contradiction);
    if (this.#votes.some((each) => each.key === contradiction.key && evidenceEpoch(each) === epoch)) return;
    this.#add(contradiction);
    this.#parts.log.warning(votesSentence(contradiction, this.#parts.keyPrefix), 'votes_contradict', {});
    this.#write();
  }

  /** Keeps certificates that contradict each other, unless they are kept. */
  takeCertificates(contradiction: CertificateContradiction): void {
    const named = certificatesText(contradiction);
    if (this.#certificates.some((each) => certificatesText(each) === named)) return;
    this.#add(contradiction);
    this.#write();
  }

  /** Problems for an operator: while evidence is kept, the chain's final blocks may be doubtful. */
  get problems(): readonly string[] {
    return this.#certificates.map(
      (each) =>
        `${certificatesSentence(each)}; ${this.#bothText(each)}seen ${timeText(each.seen)}; agree with the other operators which branch is right, then remove ${this.#path} and start the node again`,
    );
  }

  /** Warnings of voters that lie or run a key twice, within what the network can bear. */
  get warnings(): readonly string[] {
    const { keyPrefix } = this.#parts;
    const newest = this.#votes.slice(-MOST_SAID).map((each) => votesSentence(each, keyPrefix));
    const more = this.#votes.length - newest.length;
    return more === 0 ? newest : [...newest, `${more} older contradictions of votes are in ${this.#path}`];
  }

  /** Names the voters that have signed all of them: they lie, or sign at two machines. */
  #bothText({ certificates }: CertificateContradiction): string {
    const [first, ...others] = certificates.map(({ signers }) => signers);
    const both = (first ?? []).filter((key) => others.every((signers) => signers.includes(key)));
    if (both.length === 0 || others.length === 0) return '';
    const named = both.slice(0, MOST_SAID).map((key) => publicKeyText(key, this.#parts.keyPrefix));
    const more = both.length > MOST_SAID ? ` and ${both.length - MOST_SAID} more` : '';
    return `signed more than one of them: ${named.join(', ')}${more}; `;
  }

  #add(each: Contradiction): void {
    if ('votes' in each) this.#votes = [...this.#votes, each].slice(-MOST_VOTES);
    else this.#certificates = [...this.#certificates, each].slice(-MOST_CERTIFICATES);
  }

  /** A full disk must not keep a voter from its votes. */
  #write(): void {
    try {
      this.#parts.file?.write(this.all);
    } catch (error) {
      this.#parts.log.warning(
        `evidence against voters is not kept beyond a restart: ${explain(error)}`,
        'evidence_unwritable',
        {},
      );
    }
  }
}

/** The certificates of a contradiction with the keys that have signed them, as far as their voters are known. */
export function findSignedVote(
  certificates: readonly Certificate[],
  votersOf: (epoch: number) => Voters | undefined,
): CertificateContradiction['certificates'] {
  return certificates.map((certificate) => {
    const { subject, signatures } = certificate;
    const voters = votersOf(subject.epoch);
    const keys = voters?.digest === subject.voters ? voters.keys : [];
    return { certificate, signers: signatures.flatMap(({ voter }) => keys[voter] ?? []) };
  });
}

/** Explains certificates that contradict each other. */
export function certificatesSentence(contradiction: Pick<CertificateContradiction, 'certificates'>): string {
  return `certificates contradict each other, so a third of the voters lie or their keys serve two networks: ${certificatesText(contradiction)}`;
}

/** Explains a certificate of an epoch that people have ended by naming another block. */
export function checkpointSentence({ number, id }: NamedBlock, certificate: Certificate): string {
  return `finality-checkpoint names block ${number} ${id} as final, and a certificate contradicts it: ${certificateText(certificate)}; other nodes hold that block as final, so ask their operators which branch goes on: to follow theirs, remove finality-checkpoint and begin in another folder`;
}

/** Explains a certificate that contradicts blocks which this node can't undo, though it has no certificate of them. */
export function unprovedSentence({ number, id }: NamedBlock, certificate: Certificate): string {
  return `block ${number} ${id} can't be undone here, because finality-checkpoint named it, or it was imported or is of a snapshot, and a certificate contradicts it: ${certificateText(certificate)}; ask other operators which branch goes on: to follow that of the certificate, begin in another folder`;
}

function certificatesText({ certificates }: Pick<CertificateContradiction, 'certificates'>): string {
  return certificates.map(({ certificate }) => certificateText(certificate)).join(' and ');
}

function certificateText({ subject: { kind, block, view, epoch } }: Certificate): string {
  return `${kind}s of block ${block} in view ${view} of epoch ${epoch}`;
}

function votesSentence({ seen, key, witness, votes }: VoteContradiction, keyPrefix: string): string {
  const { epoch = 0, view = 0 } = votes[0]?.subject ?? {};
  const name = witness === '' ? publicKeyText(key, keyPrefix) : `${witness} (${publicKeyText(key, keyPrefix)})`;
  return `voter ${name} has signed two votes that contradict each other in view ${view} of epoch ${epoch}, seen ${timeText(seen)}: its key serves two machines, or it lies`;
}

function evidenceEpoch({ votes }: VoteContradiction): number {
  return votes[0]?.subject.epoch ?? 0;
}
