import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { present } from '../../src/base/assert.ts';
import { Chain } from '../../src/chain/chain.ts';
import { parametersOf } from '../../src/node/chain_settings.ts';
import { DataFolder } from '../../src/node/data_folder/data_folder.ts';
import { devSecret } from '../../src/node/dev/dev_genesis.ts';
import type { ChainParameters } from '../../src/state/parameters.ts';
import { quickSignature } from './quick_signature.ts';

/** Where a chain lies. */
export interface StoppedChain {
  readonly genesisFile: string;
  readonly dataFolder: string;
}

/** A chain in a folder as a stopped node leaves it, with the blocks that `fill` has given it. */
export async function stoppedChain(
  folder: string,
  genesisText: string,
  fill: (chain: Chain, parameters: ChainParameters) => void,
): Promise<StoppedChain> {
  const [genesisFile, dataFolder] = [join(folder, 'genesis.json'), join(folder, 'chain')];
  mkdirSync(folder, { recursive: true });
  writeFileSync(genesisFile, genesisText);
  const parameters = parametersOf({ profileName: 'default', genesisText, initialSigningKey: undefined });
  const data = await DataFolder.lock(dataFolder, 'test');
  const store = await data.open({ chainId: parameters.chainId });
  const journal = data.journal((fault) => assert.fail(fault));
  const chain = new Chain({ store, parameters, durable: false, journal });
  data.begun();
  fill(chain, parameters);
  chain.sync();
  journal.close();
  await store.close();
  data.release();
  return { genesisFile, dataFolder };
}

/** Produces the block of the next slot, signed with the development key of its witness. */
export function produceNext(chain: Chain): void {
  const timestamp = chain.slotTime(1);
  const { witness } = present(chain.productionSlotAt(timestamp), 'a slot');
  chain.seal({ witness, timestamp, sign: (digest) => quickSignature(digest, devSecret(witness)) });
}
