import { refusals } from '../../base/refusal.ts';
import type { ByteReader, ByteWriter } from '../../codec/bytes.ts';
import type { Codec, PlainOf } from '../../codec/codec.ts';
import { vector } from '../../codec/collections.ts';
import { struct } from '../../codec/struct.ts';
import { signature, type Digest, type Signature } from '../../values/hash.ts';
import type { PublicKey } from '../../values/public_key.ts';
import { voteDigest, voteSubject, votersSignature, type VotersSignature, type VoteSubject } from './vote.ts';
import { quorumSize, type Voters } from './voters.ts';

const refuse = refusals({
  certificate_of_other_voters: 'the certificate is signed by other voters than those of epoch {epoch} on this branch',
  certificate_names_no_voter:
    'the certificate names voter {voter}, and epoch {epoch} has {voters} voters, counted from 0',
  certificate_lacks_votes:
    'the certificate has {signed} votes, and {quorum} of the {voters} voters of epoch {epoch} are needed',
  certificate_is_forged: 'the certificate holds a signature that voter {voter} of epoch {epoch} has not made',
});

/** A quorum of votes that state the same: of prepares it allows commits, of commits it makes the block final. */
export interface Certificate {
  readonly subject: VoteSubject;
  /** In ascending order of voters, each once. */
  readonly signatures: readonly VotersSignature[];
}

/** Verifies a signature of a digest by a key. */
export type VerifySignature = (digest: Uint8Array, signature: Signature, key: PublicKey) => boolean;

const jsonForm = struct({ subject: voteSubject, signatures: vector(votersSignature) });

/**
 * A certificate as it is stored and sent: what is signed, a bitmap of the voters, then a signature for each of its
 * bits.
 */
export const certificate: Codec<Certificate, PlainOf<typeof jsonForm>> = {
  write(out, { subject, signatures }) {
    voteSubject.write(out, subject);
    writeBitmap(
      out,
      signatures.map(({ voter }) => voter),
    );
    for (const each of signatures) signature.write(out, each.signature);
  },
  read(input) {
    const subject = voteSubject.read(input);
    const signatures = readBitmap(input).map((voter) => ({ voter, signature: signature.read(input) }));
    return { subject, signatures };
  },
  toJson: (value, encoding) => jsonForm.toJson(value, encoding),
  fromJson: (json, encoding) => jsonForm.fromJson(json, encoding),
  initial: (encoding) => jsonForm.initial(encoding),
  describe: (encoding) => jsonForm.describe(encoding),
};

/** A vote names its voter by a byte. */
const MOST_BITMAP_BYTES = 32;

/** One byte that counts the bytes that follow; voter 0 is the lowest bit of the first. The last byte is not zero. */
function writeBitmap(out: ByteWriter, voters: readonly number[]): void {
  const last = voters.at(-1);
  const bytes = new Uint8Array(last === undefined ? 0 : (last >> 3) + 1);
  for (const voter of voters) bytes[voter >> 3] = (bytes[voter >> 3] ?? 0) | (1 << (voter & 7));
  out.u8(bytes.length);
  out.bytes(bytes);
}

function readBitmap(input: ByteReader): number[] {
  const bytes = input.bytes(input.u8());
  if (bytes.length > MOST_BITMAP_BYTES)
    input.refuse(`a bitmap of voters has ${bytes.length} bytes, more than ${MOST_BITMAP_BYTES}`);
  if (bytes.at(-1) === 0) input.refuse('a bitmap of voters ends with a zero byte');
  const voters: number[] = [];
  bytes.forEach((byte, at) => {
    for (let bit = 0; bit < 8; bit++) if ((byte & (1 << bit)) !== 0) voters.push(8 * at + bit);
  });
  return voters;
}

/** Refuses a certificate that is not signed by a quorum of these voters. The cheap checks come first. */
export function requireCertificate(
  chain: Digest,
  { subject, signatures }: Certificate,
  voters: Voters,
  verify: VerifySignature,
): void {
  const { epoch, keys } = voters;
  if (subject.epoch !== epoch || subject.voters !== voters.digest)
    refuse.certificate_of_other_voters({ epoch: subject.epoch });
  const last = signatures.at(-1)?.voter ?? 0;
  if (last >= keys.length) refuse.certificate_names_no_voter({ voter: last, epoch, voters: keys.length });
  const quorum = quorumSize(voters);
  if (signatures.length < quorum)
    refuse.certificate_lacks_votes({ signed: signatures.length, quorum, voters: keys.length, epoch });
  const digest = voteDigest(chain, subject);
  for (const { voter, signature: signed } of signatures)
    if (!verify(digest, signed, keys[voter] ?? '')) refuse.certificate_is_forged({ voter, epoch });
}

/** Orders what certificates and votes are for: the later epoch, then the later view, is higher. */
export function compareViews(
  one: Pick<VoteSubject, 'epoch' | 'view'>,
  other: Pick<VoteSubject, 'epoch' | 'view'>,
): number {
  return one.epoch - other.epoch || one.view - other.view;
}
