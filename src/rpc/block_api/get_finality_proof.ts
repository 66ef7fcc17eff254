import { finalityProof } from '../../blocks/finality/finality_proof.ts';
import { coded } from '../../jsonrpc/envelope/params.ts';
import { makeFinalityProof, finalityProofRefusals } from '../../queries/finality/finality_proofs.ts';
import { MOST_STEPS } from '../../blocks/finality/trust.ts';
import { method } from '../method.ts';
import { PROOF_WEIGHT, provenBlock, trustedEpoch } from '../proof_params.ts';

/** A proof that a block is final. */
export const getFinalityProof = method({
  name: 'block_api.get_finality_proof',
  doc: `A proof, for a client with a checkpoint, that a block is final. It has the block's signed header, its path to the root that a certificate of commits states, the certificate and the keys of its voters. \`steps\` are the certificates between the trusted epoch and that one: as few as are needed, at most ${MOST_STEPS}. All are base64 of packed bytes: 32 for each node of the path, 33 for each key; certificates as peers send them, each signature with the header byte 31. \`trusted\` describes the voters of the trusted epoch where the first certificate is of another epoch: \`kept\` has a bit for each key of that certificate's voters, and \`others\` the other keys. Where the newest certificate follows from the trusted epoch, the proof has that one; else the first one on the way that proves the block. To keep a client's trust young, ask for the proof of the last final block.`,
  params: { block_num: provenBlock, trusted_epoch: trustedEpoch },
  result: coded(finalityProof),
  example: { params: { block_num: 1, trusted_epoch: 0 } },
  stability: 'experimental',
  refuses: finalityProofRefusals,
  weight: PROOF_WEIGHT,
  thread: 'read',
  handler: ({ block_num, trusted_epoch }, call) => makeFinalityProof(call, block_num, trusted_epoch),
});
