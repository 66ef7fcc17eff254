import assert from 'node:assert/strict';
import { copyFileSync, existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { present } from '../../src/base/assert.ts';
import { headerDigest } from '../../src/blocks/header.ts';
import { blockSigner } from '../../src/blocks/verify.ts';
import { Chain } from '../../src/chain/chain.ts';
import { readParameters } from '../../src/settings/chain_settings.ts';
import { DataFolder } from '../../src/data_folder/data_folder.ts';
import { devSecret } from '../../src/dev_chain/dev_genesis.ts';
import type { ChainParameters } from '../../src/state/parameters.ts';
import { VotingJournalFile } from '../../src/witness/signing/voting_journal_file.ts';
import { SigningJournalFile } from '../../src/witness/signing/signing_journal_file.ts';
import { witnesses } from '../../src/state/tables/witness.ts';
import { witnessSchedule } from '../../src/state/tables/witness_schedule.ts';
import { quickSignature } from './quick_signature.ts';
import { slotNumber } from '../../src/values/time.ts';

/** The folder of a stopped chain. */
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
  const parameters = readParameters({ profileName: 'default', genesisText, initialSigningKey: undefined });
  const data = await DataFolder.lock(dataFolder, 'test');
  const store = await data.open({ chainId: parameters.chainId });
  const journal = data.journal((fault) => assert.fail(fault));
  const chain = new Chain({ store, parameters, durable: false, journal });
  data.begun();
  fill(chain, parameters);
  for (const witness of chain.committed.only(witnessSchedule).current_shuffled_witnesses)
    writeJournal(dataFolder, chain, parameters, witness);
  chain.sync();
  journal.close();
  await store.close();
  data.release();
  return { genesisFile, dataFolder };
}

/** Copies what a witness has signed to another machine's journal: blocks, and votes where there are any. */
export function copyJournals(dataFolder: string, witness: string, path: string): void {
  const from = journalPath(dataFolder, witness);
  copyFileSync(from, path);
  if (existsSync(`${from}.votes`)) copyFileSync(`${from}.votes`, `${path}.votes`);
}

/** Returns the path of a witness's signing journal, as on the machine that has made the blocks. */
export function journalPath(dataFolder: string, witness: string): string {
  return `${dataFolder}.${witness}.signed`;
}

/** Writes what a witness has signed last into a journal of its own, and into that of the data folder. */
function writeJournal(dataFolder: string, chain: Chain, parameters: ChainParameters, witness: string): void {
  const { chainId, blockIntervalSeconds, hasFinality } = parameters;
  const number = Number(chain.committed.get(witnesses, witness)?.last_confirmed_block_num ?? 0n);
  const block = chain.block(number);
  if (block === undefined) return;
  const { header, id } = block;
  const record = {
    ...{
      chain: chainId,
      key: present(blockSigner(block), 'its key'),
      slot: slotNumber(header.timestamp, blockIntervalSeconds),
    },
    ...{ digest: Buffer.from(headerDigest(header)).toString('hex'), id, previous: header.previous },
  };
  for (const path of [journalPath(dataFolder, witness), `${dataFolder}.signed`]) {
    const journal = new SigningJournalFile(path);
    journal.record(record);
    journal.close();
    if (!hasFinality) continue;
    // Older than the chain: no vote of the key is missing.
    const votes = new VotingJournalFile(`${path}.votes`);
    votes.begin(chainId, record.key, 0, false);
    votes.close();
  }
}

/** Produces the block of the next slot, signed with the development key of its witness. */
export function produceNext(chain: Chain): void {
  const timestamp = chain.slotTime(1);
  const { witness } = present(chain.findProductionSlot(timestamp), 'a slot');
  chain.seal({ witness, timestamp, sign: (digest) => quickSignature(digest, devSecret(witness)) });
}
