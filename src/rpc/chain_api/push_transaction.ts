import { signedTransaction } from '../../blocks/transaction.ts';
import { speaksLineage } from '../../codec/encoding_options.ts';
import { longTexts } from '../../operations/index.ts';
import { method } from '../method.ts';
import { coded } from '../../jsonrpc/envelope/params.ts';
import { awaitOutcome, pushOutcome } from './push_outcome.ts';
import { sampleTransaction } from '../sample_transaction.ts';

const { ref_block_num, ref_block_prefix, expiration, operations, extensions, signatures } = signedTransaction.fields;

/** Applies a transaction on this node only. */
export const pushTransaction = method({
  name: 'chain_api.push_transaction',
  doc: 'Takes a transaction, whose members are the params, into the pending state and tells whether that worked; nothing is sent to the network.',
  params: {
    ref_block_num: coded(ref_block_num),
    ref_block_prefix: coded(ref_block_prefix),
    expiration: coded(expiration),
    operations: coded(operations),
    extensions: coded(extensions, { default: [] }),
    signatures: coded(signatures, { default: [] }),
  },
  result: pushOutcome,
  example: { params: sampleTransaction },
  stability: 'experimental',
  refuses: longTexts,
  thread: 'writer',
  changes: true,
  handler: (transaction, services) =>
    awaitOutcome(services.intake.pushTransaction(transaction), speaksLineage(services.encoding)),
});
