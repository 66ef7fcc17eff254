import { Refusal, refusals } from '../../base/refusal.ts';
import { ByteReader } from '../../codec/bytes.ts';
import type { Codec } from '../../codec/codec.ts';
import { sha256Hex } from '../../crypto/hashes.ts';
import { getBlockNumber, type BlockId, type TransactionId } from '../../values/hash.ts';
import { headerNumber, packedBlockId, signedBlockHeader, type SignedBlockHeader } from '../header.ts';
import { rootOfBranch } from '../merkle.ts';
import { signedTransaction, transactionId, type SignedTransaction } from '../transaction.ts';
import { isInRange } from './block_range.ts';
import type { FinalityProof, TransactionProof } from './finality_proof.ts';
import { withProof, type Trust, type TrustChecks } from './trust.ts';

const refuse = refusals({
  proof_of_other_block: 'the proof is of block {number}, and block {wanted} was asked for',
  block_not_certified: 'the path of the proof does not lead from block {number} to what the voters have signed',
  proof_of_other_transaction: 'the proof is of transaction {id}, and {wanted} was asked for',
  not_a_transaction: 'what the proof calls a transaction is none: {why}',
  transaction_not_in_block: 'the branch of the proof does not lead from transaction {id} to block {number}',
});

/** A block that is proven to be final. */
export interface ProvenBlock {
  readonly number: number;
  readonly id: BlockId;
  readonly header: SignedBlockHeader;
  /** The bytes of the signed header. */
  readonly packed: Uint8Array;
  /** The trust that its proof leads to. */
  readonly trust: Trust;
}

/** A transaction that is proven to be in a final block. */
export interface ProvenTransaction {
  readonly id: TransactionId;
  readonly transaction: SignedTransaction;
  /** Its bytes, as the block holds them. */
  readonly packed: Uint8Array;
  readonly block: ProvenBlock;
}

/** The block of that number, if the proof proves it to somebody with this trust; refused otherwise. Hashes come before signatures. */
export function provenBlock(trust: Trust, wanted: number, proof: FinalityProof, checks: TrustChecks): ProvenBlock {
  const { block, root } = proof.certificate.subject;
  const header = readWhole(signedBlockHeader, proof.header);
  const number = headerNumber(header);
  if (number !== wanted) refuse.proof_of_other_block({ number, wanted });
  if (!isInRange(root, number, getBlockNumber(block), sha256Hex(proof.header), proof.path))
    refuse.block_not_certified({ number });
  const id = packedBlockId(number, proof.header);
  return { number, id, header, packed: proof.header, trust: withProof(trust, proof, checks) };
}

/** The transaction with that id, if the proof proves it to somebody with this trust; refused otherwise. */
export function provenTransaction(
  trust: Trust,
  wanted: TransactionId,
  { transaction: packed, branch, finality }: TransactionProof,
  checks: TrustChecks,
): ProvenTransaction {
  const transaction = readLeaf(packed);
  const id = transactionId(transaction);
  if (id !== wanted) refuse.proof_of_other_transaction({ id, wanted });
  const header = readWhole(signedBlockHeader, finality.header);
  const number = headerNumber(header);
  if (branch.length > HIGHEST || rootOfBranch(sha256Hex(packed), branch) !== header.transaction_merkle_root)
    refuse.transaction_not_in_block({ id, number });
  return { id, transaction, packed, block: provenBlock(trust, number, finality, checks) };
}

/** No block has more than 2³² transactions. */
const HIGHEST = 32;
/** Two hashes, one behind the other: a node of the tree of transactions. */
const NODE_BYTES = 64;

/** The tree hashes leaves and nodes alike, so what could be a node is no transaction. */
function readLeaf(packed: Uint8Array): SignedTransaction {
  if (packed.length === NODE_BYTES) refuse.not_a_transaction({ why: `it has ${NODE_BYTES} bytes, as two hashes have` });
  const transaction = readTransaction(packed);
  return transaction.signatures.length > 0 ? transaction : refuse.not_a_transaction({ why: 'it has no signature' });
}

function readTransaction(packed: Uint8Array): SignedTransaction {
  try {
    return readWhole(signedTransaction, packed);
  } catch (error) {
    if (error instanceof Refusal) return refuse.not_a_transaction({ why: error.message });
    throw error;
  }
}

function readWhole<T>(codec: Codec<T>, bytes: Uint8Array): T {
  const input = new ByteReader(bytes);
  const value = codec.read(input);
  input.expectEnd();
  return value;
}
