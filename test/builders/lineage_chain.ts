import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';

import { readBlock } from '../../src/blocks/block.ts';
import { verifyBlock } from '../../src/blocks/verify.ts';
import type { VerifiedBlock } from '../../src/blocks/block.ts';
import { makeOrigin } from '../../src/chain/chain_origin.ts';
import type { EncodingOptions } from '../../src/codec/encoding_options.ts';
import { chainParameters, type ChainParameters } from '../../src/state/parameters.ts';
import { profiles } from '../../src/values/profile.ts';
import { parsePublicKey } from '../../src/values/public_key.ts';
import { recordingPath } from './recordings.ts';

const profile = profiles['lineage'];
assert(profile !== undefined);

/** The lineage's way of writing JSON. */
export const lineageEncoding: EncodingOptions = { ...profile, dialect: 'legacy', operationForm: 'pair' };

/** A key of the recorded network. */
export function lineageKey(text: string): string {
  const key = parsePublicKey(text, 'SPH');
  assert(key !== undefined);
  return key;
}

/** The recorded network, whose node used another signing key than its genesis has. */
export function lineageParameters(): ChainParameters {
  assert(profile !== undefined);
  const { genesis, chainId } = makeOrigin(readFileSync(recordingPath('genesis.json')), profile);
  return chainParameters(
    profile,
    genesis,
    chainId,
    lineageKey('SPH6LLegbAgLAy28EHrffBVuANFWcFgmqRMW13wBmTExqFE9SCkg4'),
  );
}

/** The packed blocks of the recorded network, from block 1 on. */
export function recordedBlocks(): Uint8Array[] {
  const log = gunzipSync(readFileSync(recordingPath('block_log.gz')));
  const blocks: Uint8Array[] = [];
  for (let end = log.length; end > 0;) {
    const start = Number(log.readBigUInt64LE(end - 8));
    blocks.push(log.subarray(start, end - 8));
    end = start;
  }
  return blocks.reverse();
}

/** A recorded block with its signers. */
export function verifiedBlock(packed: Uint8Array, chainId: string): VerifiedBlock {
  return verifyBlock(chainId, readBlock(packed));
}
