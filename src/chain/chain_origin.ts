import { ByteWriter } from '../codec/bytes.ts';
import { readJson } from '../codec/json_reader.ts';
import type { EncodingOptions } from '../codec/encoding_options.ts';
import { sha256Hex } from '../crypto/hashes.ts';
import { genesisFile, packedGenesis, type Genesis } from '../state/genesis_file.ts';
import { readGenesis } from '../state/read_genesis.ts';
import type { Digest } from '../values/hash.ts';
import type { Profile } from '../values/profile.ts';
import type { PublicKey } from '../values/public_key.ts';

/** A genesis and the id of the chain that starts with it. */
export interface ChainOrigin {
  readonly genesis: Genesis;
  readonly chainId: Digest;
}

/**
 * Reads a genesis file; the chain id is the sha256 of its exact bytes, including white space. Refuses a genesis that no
 * chain could run with. Every thread needs it, so it is kept apart from genesis.ts, which imports what writes the first
 * state.
 */
export function makeOrigin(text: Uint8Array, profile: Profile): ChainOrigin {
  return { genesis: readGenesis(readJson(text), profile), chainId: sha256Hex(text) };
}

const PRIVATE_NET_TIME = 1_514_793_600; // 2018-01-01T08:00:00

/**
 * The genesis of a private net that is started with a key alone; the chain id is the sha256 of the packed form (
 * wire_format.md#genesis-and-chain-id).
 */
export function privateNetOrigin(profile: Profile, key: PublicKey): ChainOrigin {
  const encoding: EncodingOptions = { ...profile, dialect: 'legacy', operationForm: 'pair' };
  const own = {
    initial_public_key: key,
    initial_signing_key: key,
    initial_balace: 0n,
    genesis_time: PRIVATE_NET_TIME,
    is_private_net: true,
  };
  const genesis = { ...genesisFile.initial(encoding), ...own };
  const packed = new ByteWriter();
  packedGenesis.write(packed, genesis);
  return { genesis, chainId: sha256Hex(packed.view()) };
}
