import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { present } from '../../src/base/assert.ts';
import { signatureOf } from '../../src/blocks/sign_transaction.ts';
import { Chain } from '../../src/chain/chain.ts';
import { encodeWif } from '../../src/crypto/wif.ts';
import { parametersOf, profileNamed } from '../../src/node/chain_settings.ts';
import { DataFolder } from '../../src/node/data_folder/data_folder.ts';
import { devGenesisText, devSecret } from '../../src/node/dev/dev_genesis.ts';

/** Where a chain lies, and what its only witness signs with. */
export interface PastChain {
  readonly genesisFile: string;
  readonly dataFolder: string;
  readonly witness: string;
  readonly wif: string;
}

const WITNESS = 'initminer';
const INTERVAL_SECONDS = 3;
const SLOTS_LEFT = 20; // before now, so that no block is of the future

/** A chain that has so many blocks already, the last a minute ago, in a folder as a node leaves it. */
export async function pastChain(folder: string, blocks: number): Promise<PastChain> {
  const nowSeconds = Math.trunc(Date.now() / 1000);
  const genesisText = devGenesisText(profileNamed('default'), nowSeconds - (blocks + SLOTS_LEFT) * INTERVAL_SECONDS);
  const [genesisFile, dataFolder] = [join(folder, 'genesis.json'), join(folder, 'chain')];
  mkdirSync(folder, { recursive: true });
  writeFileSync(genesisFile, genesisText);
  const parameters = parametersOf({ profileName: 'default', genesisText, initialSigningKey: undefined });
  const data = await DataFolder.lock(dataFolder, 'test');
  const store = await data.open({ chainId: parameters.chainId });
  const journal = data.journal((fault) => assert.fail(fault));
  const chain = new Chain({ store, parameters, durable: false, journal });
  data.begun();
  const secret = devSecret(WITNESS);
  while (chain.head.number < blocks) {
    const timestamp = chain.slotTime(1);
    chain.seal({ witness: WITNESS, timestamp, sign: (digest) => present(signatureOf(digest, secret), 'a signature') });
  }
  chain.sync();
  journal.close();
  await store.close();
  data.release();
  return { genesisFile, dataFolder, witness: WITNESS, wif: encodeWif(secret) };
}
