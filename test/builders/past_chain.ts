import type { Chain } from '../../src/chain/chain.ts';
import { encodeWif } from '../../src/crypto/wif.ts';
import { profileNamed } from '../../src/settings/chain_settings.ts';
import { devGenesisText, devSecret } from '../../src/dev_chain/dev_genesis.ts';
import type { ChainParameters } from '../../src/state/parameters.ts';
import { produceNext, stoppedChain, type StoppedChain } from './stopped_chain.ts';

/** A chain's folder, and the secret of its only witness. */
export interface PastChain extends StoppedChain {
  readonly witness: string;
  readonly wif: string;
}

const WITNESS = 'initminer';
/** As on chains that run. */
const INTERVAL_SECONDS = 3;
const SLOTS_LEFT = 20; // before now, so that no block is of the future

/** Chains that begin in one slot are one chain: a genesis begins with its slot. */
const taken = new Set<number>();

/**
 * A chain that has so many blocks already, the last a minute ago; `reached` may add further ones to each. Who waits for
 * slots has them closer together. With `finality` votes make blocks final. Each is a chain of its own.
 */
export async function pastChain(
  folder: string,
  blocks: number,
  reached: (chain: Chain, parameters: ChainParameters) => void = () => undefined,
  intervalSeconds = INTERVAL_SECONDS,
  { finality = false } = {},
): Promise<PastChain> {
  const nowSeconds = Math.trunc(Date.now() / 1000);
  let beginSeconds = nowSeconds - (blocks + SLOTS_LEFT) * intervalSeconds;
  beginSeconds -= beginSeconds % INTERVAL_SECONDS;
  while (taken.has(beginSeconds)) beginSeconds -= INTERVAL_SECONDS;
  taken.add(beginSeconds);
  const dev = devGenesisText(profileNamed('default'), beginSeconds);
  const genesisText = JSON.stringify({ ...JSON.parse(dev), block_interval: intervalSeconds, finality });
  const stopped = await stoppedChain(folder, genesisText, (chain, parameters) => {
    while (chain.head.number < blocks) {
      produceNext(chain);
      reached(chain, parameters);
    }
  });
  return { ...stopped, witness: WITNESS, wif: encodeWif(devSecret(WITNESS)) };
}
