import { Type } from '../../jsonrpc/envelope/typebox.ts';
import { speaksLineage } from '../../codec/encoding_options.ts';
import { givenBlock } from '../../queries/blocks.ts';
import { longTexts } from '../../operations/index.ts';
import { method } from '../method.ts';
import { coded, withDefault } from '../../jsonrpc/envelope/params.ts';
import { sampleBlock } from '../sample_transaction.ts';
import { awaitOutcome, pushOutcome } from './push_outcome.ts';

/** Applies a block on this node only. */
export const pushBlock = method({
  name: 'chain_api.push_block',
  doc: 'Applies a block with every check and tells whether that worked; nothing is sent to the network.',
  params: { block: coded(givenBlock), currently_syncing: withDefault(Type.Boolean(), false) },
  result: pushOutcome,
  example: { params: { block: sampleBlock, currently_syncing: false } },
  stability: 'experimental',
  refuses: longTexts,
  // As long as a body may be.
  paramsBytes: Infinity,
  thread: 'verifier',
  changes: true,
  handler: ({ block }, services) => awaitOutcome(services.verifiers.pushBlock(block), speaksLineage(services.encoding)),
});
