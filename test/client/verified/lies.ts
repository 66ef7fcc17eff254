import { present } from '../../../src/base/assert.ts';
import { signedBlockHeader } from '../../../src/blocks/header.ts';
import { epochBoundary } from '../../../src/blocks/finality/epochs.ts';
import type { FinalityProof, TransactionProof } from '../../../src/blocks/finality/finality_proof.ts';
import { signedTransaction } from '../../../src/blocks/transaction.ts';
import type { VoteSubject } from '../../../src/blocks/finality/vote.ts';
import { ByteReader } from '../../../src/codec/bytes.ts';
import type { Json } from '../../../src/codec/json.ts';
import type { Signature } from '../../../src/values/hash.ts';
import type { PublicKey } from '../../../src/values/public_key.ts';
import {
  CertifiedChain,
  EPOCH_BLOCKS,
  INTERVAL,
  keyOfName,
  numbered,
  packedAs,
  signSubject,
} from './certified_chain.ts';

/** The subject of a proof. */
export interface Wanted {
  readonly number: number;
  readonly trusted: number;
}

/** The chains that a lying node knows. */
export interface Worlds {
  readonly honest: CertifiedChain;
  /** Of liars with 17, or 18, of the keys of the epoch of the checkpoint. */
  readonly stolen17: CertifiedChain;
  readonly stolen18: CertifiedChain;
  /** With the same voters and blocks, and another id. */
  readonly foreign: CertifiedChain;
  /** Begun 40 days ago, and its last blocks are of today. */
  readonly old: CertifiedChain;
  /** That one's, by liars with 18 of the keys of 40 days ago. */
  readonly oldStolen: CertifiedChain;
}

/** A node that lies in one way. */
export interface Lie {
  readonly name: string;
  /** The name of the refusal; undefined where a client can't be deceived, but has nothing to refuse. */
  readonly refused: string | undefined;
  /** The chain that it shows, the honest one unless said. */
  readonly world?: keyof Worlds;
  /** The chain whose checkpoint the client has; that of the world that is shown unless said. */
  readonly checkpointOf?: keyof Worlds;
  /** The epoch of the client's checkpoint, `TRUSTED` unless said. */
  readonly trusted?: number;
  /** The number of the newest final block, as the node tells it. */
  readonly final?: number;
  readonly proof?: (proof: FinalityProof, worlds: Worlds, wanted: Wanted) => FinalityProof;
  readonly transaction?: (proof: TransactionProof, worlds: Worlds) => TransactionProof;
  /** Changes the members of an answer as they are sent. */
  readonly json?: (method: string, members: Members) => Json;
}

/** The members of an answer. */
export interface Members {
  readonly [member: string]: Json;
}

/** The epoch whose checkpoint clients have. */
export const TRUSTED = 8;
const EPOCHS = 20;
const DAY_SLOTS = 86_400 / INTERVAL;
const VOTERS = 51;
/** A final block of some minutes ago. */
export const WITHHELD = 60;

/** Three voters leave with each epoch, and three come. */
const honestVoters = (epoch: number): string[] => numbered(3 * epoch, VOTERS);

/** From the epoch behind the trusted one on there are so many of the trusted voters, and liars. */
function stolenVoters(count: number): (epoch: number) => string[] {
  return (epoch) =>
    epoch <= TRUSTED
      ? honestVoters(epoch)
      : [...honestVoters(TRUSTED).slice(0, count), ...numbered(0, VOTERS - count, 'mallory')];
}

/** Chains whose newest block was made a few seconds ago. */
export function makeWorlds(nowSeconds: number): Worlds {
  const newest = nowSeconds - (nowSeconds % INTERVAL) - INTERVAL;
  const lasts = (EPOCHS * EPOCH_BLOCKS - 1) * INTERVAL;
  const parts = { begun: newest - lasts, epochs: EPOCHS, voters: honestVoters };
  const beforeGap = (TRUSTED + 1) * EPOCH_BLOCKS;
  const slots = (number: number): number => number - 1 + (number > beforeGap ? 40 * DAY_SLOTS : 0);
  const old = { ...parts, begun: newest - lasts - 40 * 86_400, slots };
  return {
    honest: new CertifiedChain(parts),
    stolen17: new CertifiedChain({ ...parts, voters: stolenVoters(17), memo: 'stolen' }),
    stolen18: new CertifiedChain({ ...parts, voters: stolenVoters(18), memo: 'stolen' }),
    foreign: new CertifiedChain({ ...parts, chain: 'f0'.repeat(32) }),
    old: new CertifiedChain({
      ...old,
      voters: (epoch) => (epoch <= TRUSTED ? honestVoters(epoch) : honestVoters(TRUSTED)),
    }),
    oldStolen: new CertifiedChain({ ...old, voters: stolenVoters(18), memo: 'stolen' }),
  };
}

/** An attack with these stolen keys, which show a chain of their own. */
function stolen(name: string, refused: string, world: 'stolen17' | 'stolen18' | 'oldStolen'): Lie {
  return {
    ...{ name, refused, world },
    proof(_, worlds, { number }) {
      const chain = worlds[world];
      return chain.makeProof(number, TRUSTED, [chain.shown(chain.newest, chain.getVoters(TRUSTED).keys)]);
    },
  };
}

/** A lie that is believed unless a second node contradicts it. */
export const stolenInTime = stolen('18 stolen keys of 51 within 30 days', 'nodes_differ', 'stolen18');

/** The proof with another certificate. */
const withCertificate = (
  proof: FinalityProof,
  change: (certificate: FinalityProof['certificate']) => FinalityProof['certificate'],
): FinalityProof => ({ ...proof, certificate: change(proof.certificate) });

/** The same voters sign something else. */
function signedAnew({ honest }: Worlds, proof: FinalityProof, change: Partial<VoteSubject>): FinalityProof {
  return withCertificate(proof, ({ subject, signatures }) =>
    signSubject(
      honest.chain,
      { ...subject, ...change },
      { keys: proof.voters },
      signatures.map(({ voter }) => voter),
    ),
  );
}

const swapped = (keys: readonly PublicKey[]): PublicKey[] => [keys[1] ?? '', keys[0] ?? '', ...keys.slice(2)];
const flipped = (hex: string): string => `${hex.startsWith('0') ? '1' : '0'}${hex.slice(1)}`;
const otherSignature = (signature: Signature): Signature => `${signature.slice(0, 40)}${flipped(signature.slice(40))}`;

/** Of every kind. */
export const lies: readonly Lie[] = [
  {
    name: 'a forged signature',
    refused: 'certificate_is_forged',
    proof: (proof) =>
      withCertificate(proof, ({ subject, signatures }) => ({
        subject,
        signatures: signatures.map((each, at) =>
          at === 7 ? { ...each, signature: otherSignature(each.signature) } : each,
        ),
      })),
  },
  {
    name: 'a signature of nobody who votes',
    refused: 'certificate_is_forged',
    proof(proof, { honest }) {
      const keys = proof.voters.with(
        present(proof.certificate.signatures[3], 'a signature').voter,
        keyOfName('mallory 1'),
      );
      const { subject, signatures } = proof.certificate;
      const signers = signatures.map(({ voter }) => voter);
      return { ...proof, certificate: signSubject(honest.chain, subject, { keys }, signers) };
    },
  },
  {
    name: 'one signature less than a quorum',
    refused: 'certificate_lacks_votes',
    trusted: EPOCHS - 2,
    proof: (proof) =>
      withCertificate(proof, ({ subject, signatures }) => ({ subject, signatures: signatures.slice(1) })),
  },
  { name: 'a foreign chain', refused: 'trusted_voters_differ', world: 'foreign', checkpointOf: 'honest' },
  {
    name: 'a foreign chain that is said to be this one',
    refused: 'certificate_of_other_voters',
    world: 'foreign',
    checkpointOf: 'honest',
    json: (method, members) => (method === 'get_finality' ? { ...members, chain_id: 'c4'.repeat(32) } : members),
  },
  {
    name: 'a replayed proof of another block',
    refused: 'proof_of_other_block',
    proof: (_, { honest }, { number, trusted }) => honest.proof(number - 1, trusted),
  },
  {
    name: 'a replayed proof of another transaction',
    refused: 'proof_of_other_transaction',
    transaction: (_, { honest }) =>
      present(honest.transactionProof(honest.block(3).transactions[0]?.id ?? '', TRUSTED), 'a proof'),
  },
  {
    name: 'a certificate of the future',
    refused: 'certificate_from_future',
    proof: (proof, worlds) => signedAnew(worlds, proof, { view: proof.certificate.subject.view + 100 }),
  },
  {
    name: 'prepares for commits',
    refused: 'certificate_of_prepares',
    proof: (proof, worlds) => signedAnew(worlds, proof, { kind: 'prepare' }),
  },
  {
    name: 'a key twice',
    refused: 'voters_out_of_order',
    trusted: EPOCHS - 1,
    proof: (proof) => ({ ...proof, voters: [proof.voters[0] ?? '', ...proof.voters.slice(0, -1)] }),
  },
  {
    name: 'swapped voters',
    refused: 'voters_out_of_order',
    trusted: EPOCHS - 1,
    proof: (proof) => ({ ...proof, voters: swapped(proof.voters) }),
  },
  {
    name: 'another voter',
    refused: 'certificate_of_other_voters',
    proof(proof) {
      const kept = present(proof.trusted, 'trusted voters').kept;
      const at = proof.voters.findIndex((_, index) => ((kept[index >> 3] ?? 0) & (1 << (index & 7))) === 0);
      const key = present(proof.voters[at], 'a voter who is not trusted');
      return { ...proof, voters: proof.voters.with(at, `${key.slice(0, -1)}${key.endsWith('0') ? '1' : '0'}`) };
    },
  },
  {
    name: 'an old epoch',
    refused: 'certificate_of_old_epoch',
    final: TRUSTED * EPOCH_BLOCKS,
    proof: (_, { honest }, { number }) => honest.makeProof(number, TRUSTED, [honest.shown(number)]),
  },
  stolen('17 stolen keys of 51', 'voters_not_trusted', 'stolen17'),
  stolen('18 stolen keys of 51 after 30 days', 'trust_too_old', 'oldStolen'),
  {
    name: 'a forged path',
    refused: 'block_not_certified',
    proof: (proof) => ({ ...proof, path: proof.path.map((hash, at) => (at === 0 ? flipped(hash) : hash)) }),
  },
  {
    name: 'a path that is too short',
    refused: 'block_not_certified',
    proof: (proof) => ({ ...proof, path: proof.path.slice(1) }),
  },
  {
    name: 'a wrong header',
    refused: 'block_not_certified',
    proof(proof) {
      const header = signedBlockHeader.read(new ByteReader(proof.header));
      return { ...proof, header: packedAs(signedBlockHeader, { ...header, timestamp: header.timestamp + INTERVAL }) };
    },
  },
  {
    name: 'a forged branch',
    refused: 'transaction_not_in_block',
    transaction: (proof) => ({
      ...proof,
      branch: proof.branch.map((step, at) => (at === 0 ? { ...step, hash: flipped(step.hash) } : step)),
    }),
  },
  {
    name: 'other signatures of the transaction',
    refused: 'transaction_not_in_block',
    transaction(proof) {
      const read = signedTransaction.read(new ByteReader(proof.transaction));
      const signatures = ['1f'.padEnd(130, '5')];
      return { ...proof, transaction: packedAs(signedTransaction, { ...read, signatures }) };
    },
  },
  {
    name: 'a node of the tree for a transaction',
    refused: 'not_a_transaction',
    transaction: (proof) => ({ ...proof, transaction: new Uint8Array(64).fill(7), branch: proof.branch.slice(1) }),
  },
  {
    name: 'a transaction that nobody has signed',
    refused: 'not_a_transaction',
    transaction(proof) {
      const read = signedTransaction.read(new ByteReader(proof.transaction));
      return { ...proof, transaction: packedAs(signedTransaction, { ...read, signatures: [] }) };
    },
  },
  {
    name: 'bytes for a transaction',
    refused: 'not_a_transaction',
    transaction: (proof) => ({ ...proof, transaction: new Uint8Array(100).fill(255) }),
  },
  {
    name: 'next voters whom the last block has not named',
    refused: 'voters_not_named',
    world: 'stolen18',
    final: (TRUSTED + 1) * EPOCH_BLOCKS + 1,
    proof: (_, { honest, stolen18 }, { number }) =>
      stolen18.makeProof(number, TRUSTED, [
        honest.shown(number - 1),
        stolen18.shown(number, honest.getVoters(TRUSTED).keys),
      ]),
  },
  {
    name: 'other next voters than were signed',
    refused: 'certificate_is_forged',
    proof(proof, { honest }) {
      const ended = honest.certificate(epochBoundary(TRUSTED, EPOCH_BLOCKS));
      const subject = { ...ended.subject, next_voters: flipped(ended.subject.next_voters) };
      const step = { certificate: { ...ended, subject }, voters: honest.getVoters(TRUSTED).keys };
      return { ...proof, trusted: undefined, steps: [step] };
    },
  },
  {
    name: 'a step twice',
    refused: 'steps_out_of_order',
    proof(proof, { honest }) {
      const certificate = honest.certificate(epochBoundary(TRUSTED, EPOCH_BLOCKS));
      const step = { certificate, voters: honest.getVoters(TRUSTED).keys };
      return { ...proof, trusted: undefined, steps: [step, step] };
    },
  },
  {
    name: 'more steps than are taken',
    refused: 'too_many_steps',
    proof(proof, { honest }) {
      const steps = Array.from({ length: 9 }, (_, at) => ({
        certificate: honest.certificate(epochBoundary(TRUSTED + at, EPOCH_BLOCKS)),
        voters: honest.getVoters(TRUSTED + at).keys,
      }));
      return { ...proof, trusted: undefined, steps };
    },
  },
  {
    name: 'more voters than there can be',
    refused: 'too_many_voters',
    trusted: EPOCHS - 1,
    proof: (proof) => ({ ...proof, voters: Array.from({ length: 300 }, () => proof.voters[0] ?? '') }),
  },
  {
    name: 'a branch without end',
    refused: 'transaction_not_in_block',
    transaction: (proof) => ({
      ...proof,
      branch: Array.from({ length: 1000 }, () => proof.branch[0]).flatMap((each) => each ?? []),
    }),
  },
  {
    name: 'other trusted voters',
    refused: 'trusted_voters_differ',
    proof: (proof) => ({
      ...proof,
      trusted: proof.trusted && { ...proof.trusted, others: proof.trusted.others.slice(1) },
    }),
  },
  {
    name: 'the trusted voters twice',
    refused: 'trusted_voters_differ',
    trusted: EPOCHS - 1,
    proof: (proof) => ({ ...proof, trusted: { kept: new Uint8Array(7).fill(255, 0, 6).fill(7, 6), others: [] } }),
  },
  {
    name: 'epochs of another length',
    refused: 'checkpoint_between_epochs',
    json: (method, members) => (method === 'get_finality' ? { ...members, epoch_blocks: EPOCH_BLOCKS + 1 } : members),
  },
  {
    name: 'nothing of the chain',
    refused: 'finality_unreadable',
    json: (method, members) => (method === 'get_finality' ? { ...members, chain_id: 'c4' } : members),
  },
  {
    name: 'another base64 of the same bytes',
    refused: 'proof_unreadable',
    json: inProof('path', (text) => `${text}=`),
  },
  { name: 'a member that is none', refused: 'proof_unreadable', json: (_, members) => ({ ...members, more: 1 }) },
  {
    name: 'a certificate with bytes behind it',
    refused: 'proof_unreadable',
    json: inProof('certificate', (text) =>
      Buffer.concat([Buffer.from(text, 'base64'), Buffer.of(0)]).toString('base64'),
    ),
  },
  {
    name: 'another header byte of a signature',
    refused: 'proof_unreadable',
    json: inProof('certificate', (text) => {
      const bytes = Buffer.from(text, 'base64');
      bytes[157 + 1 + (bytes[157] ?? 0)] = 32;
      return bytes.toString('base64');
    }),
  },
  {
    name: 'withheld news',
    refused: undefined,
    final: WITHHELD,
    proof: (_, { honest }, { number }) => honest.makeProof(number, TRUSTED, [honest.shown(number)]),
  },
];

/** Changes a text of a proof, of a block or a transaction. */
function inProof(member: string, change: (text: string) => string): NonNullable<Lie['json']> {
  const changed = (members: Members): Members => {
    const { finality, [member]: value } = members;
    if (typeof value === 'string') return { ...members, [member]: change(value) };
    return isMembers(finality) ? { ...members, finality: changed(finality) } : members;
  };
  return (_, members) => changed(members);
}

function isMembers(json: Json | undefined): json is Members {
  return typeof json === 'object' && json !== null && !Array.isArray(json);
}
