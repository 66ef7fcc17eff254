import { refusals } from '../base/refusal.ts';
import { transactionProof, type FinalityProof } from '../blocks/finality/finality_proof.ts';
import { MerkleBranch } from '../blocks/merkle.ts';
import { writeJson } from '../codec/json_writer.ts';
import { sha256Hex } from '../crypto/hashes.ts';
import { makeFinalityProof, finalityProofRefusals, requireFinality } from '../queries/finality/finality_proofs.ts';
import { refusePruned } from '../queries/pruned.ts';
import { blockRow, oldestBlock, findPart, partTransaction } from '../state/stored_blocks.ts';
import type { BlockPart } from '../state/tables/block_part.ts';
import { transactionLocations } from '../state/tables/transaction_location.ts';
import type { TransactionId } from '../values/hash.ts';
import { Pieces } from './chunks.ts';
import type { Call } from './services.ts';

const refuse = refusals({
  transaction_not_found:
    'no block of this chain holds a transaction with the id {id}, and nothing proves that; transaction_status_api.find_transaction tells what this node knows of it',
});

/** The refusals of `transactionProofPieces`. */
export const transactionProofRefusals = { ...finalityProofRefusals, ...refuse.texts };

type Parts = Pick<Call, 'rows' | 'parameters' | 'finality' | 'encoding'>;

/** A transaction in a final block, which stays what it is. */
interface PlacedTransaction {
  readonly block: number;
  readonly index: number;
  /** The first transactions of the block's parts. */
  readonly parts: readonly number[];
}

/** The proof of a transaction; its block is read a part at a time. */
export function transactionProofPieces(call: Parts, id: TransactionId, trustedEpoch: number): Pieces {
  requireFinality(call);
  const place = findPlace(call, id);
  // Refuses what can't be proven before the block is read.
  const finality = makeFinalityProof(call, place.block, trustedEpoch);
  return new Pieces(proofPieces(call, place, finality));
}

function findPlace({ rows }: Parts, id: TransactionId): PlacedTransaction {
  const place = rows.get(transactionLocations, id);
  if (place === undefined) return refuseUnknown(rows, id);
  const row = blockRow(rows, place.block) ?? refusePruned(rows, `block ${place.block}`);
  return { block: place.block, index: place.index, parts: [0, ...row.further_parts] };
}

function refuseUnknown(rows: Call['rows'], id: TransactionId): never {
  if (oldestBlock(rows) === 1) return refuse.transaction_not_found({ id });
  return refusePruned(rows, `transaction ${id} is in no block that is kept; if there is one, it`);
}

function* proofPieces(
  { rows, encoding }: Parts,
  { block, index, parts }: PlacedTransaction,
  finality: FinalityProof,
): Generator<string, undefined> {
  const branch = new MerkleBranch();
  let transaction = new Uint8Array(0);
  for (const first of parts) {
    const part = readPart(rows, block, first);
    for (const at of part.ends.keys()) {
      const packed = partTransaction(part, first + at);
      branch.add(sha256Hex(packed), first + at === index);
      if (first + at === index) transaction = new Uint8Array(packed);
    }
    yield '';
  }
  yield writeJson(transactionProof.toJson({ transaction, branch: branch.finish(), finality }, encoding));
  return undefined;
}

/** A final block may be pruned while it is read. */
function readPart(rows: Call['rows'], block: number, first: number): BlockPart {
  return rows.consistentRead(() => {
    const row = blockRow(rows, block);
    return (row && findPart(rows, row, first)) ?? refusePruned(rows, `block ${block}`);
  });
}
