import { transactionProof } from '../../blocks/finality/finality_proof.ts';
import { coded } from '../../jsonrpc/envelope/params.ts';
import { transactionProofPieces, transactionProofRefusals } from '../transaction_proof_pieces.ts';
import { hash160 } from '../../values/hash.ts';
import { method } from '../method.ts';
import { sampleTransactionId } from '../sample_transaction.ts';
import { PROOF_WEIGHT, trustedEpoch } from '../proof_params.ts';

/** A proof that a transaction is in a final block. */
export const getTransactionProof = method({
  name: 'block_api.get_transaction_proof',
  doc: 'A proof, for a client with a checkpoint, that a transaction is in a final block. It has the packed transaction, its branch to the merkle root in the header of its block, and the proof of the block as get_finality_proof gives it. `branch` is base64 of 33 bytes for each node beside the way: 1 if it stands first, else 0, then its hash. The top is hashed once more. Nothing proves that a transaction is in no block.',
  params: { transaction_id: coded(hash160), trusted_epoch: trustedEpoch },
  result: coded(transactionProof),
  example: { params: { transaction_id: sampleTransactionId, trusted_epoch: 0 } },
  stability: 'experimental',
  refuses: transactionProofRefusals,
  weight: PROOF_WEIGHT,
  thread: 'read',
  handler: ({ transaction_id, trusted_epoch }, call) => transactionProofPieces(call, transaction_id, trusted_epoch),
});
