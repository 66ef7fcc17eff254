import { profileNamed } from '../../src/settings/chain_settings.ts';
import { devGenesisText, devSecret } from '../../src/dev_chain/dev_genesis.ts';
import { present } from '../../src/base/assert.ts';
import type { Chain } from '../../src/chain/chain.ts';
import type { ChainParameters } from '../../src/state/parameters.ts';
import { makeTransaction } from '../builders/chain.ts';
import { quickSignature } from '../builders/quick_signature.ts';
import { stoppedChain, type StoppedChain } from '../builders/stopped_chain.ts';
import { numberMember, textMember } from '../outside/json.ts';
import type { Program } from '../outside/program.ts';
import type { Site } from '../outside/site.ts';

// Branches of one chain, in folders of nodes that are stopped, and nodes that bring one another from one to the other.

/** The number of blocks that all branches have in common. */
export const BASE_BLOCKS = 60;
const INTERVAL_SECONDS = 3;
const SLOTS_LEFT = 60; // before now, so that no block is of the future

const genesisText = devGenesisText(
  profileNamed('default'),
  Math.trunc(Date.now() / 1000) - (BASE_BLOCKS + SLOTS_LEFT) * INTERVAL_SECONDS,
);
const NAMES = ['alice', 'bob', 'carol', 'dave'];

/** The next block, so many slots behind the last one. */
function produce(chain: Chain, slots = 1): void {
  const timestamp = chain.slotTime(slots);
  const { witness } = present(chain.findProductionSlot(timestamp), 'a slot');
  chain.seal({ witness, timestamp, sign: (digest) => quickSignature(digest, devSecret(witness)) });
}

/** A payment that only this block of this branch has. */
function pay(chain: Chain, parameters: ChainParameters, slots: number): void {
  const { number } = chain.head;
  const [from = '', to = ''] = [NAMES[number % 4], NAMES[(number + slots) % 4]];
  const amount = `${slots}.${String(number).padStart(6, '0')} COIN`;
  const op = ['transfer', { fee: '0.010000 COIN', from, to, amount, memo: `${number} of ${slots}` }];
  chain.accept(makeTransaction(chain, parameters, [op], [from]));
}

/**
 * A stopped node whose branch leaves the common blocks with a block so many slots later, and has so many blocks, each
 * with a payment.
 */
export async function branch(site: Site, name: string, slots: number, blocks: number): Promise<StoppedChain> {
  return await stoppedChain(site.path(name), genesisText, (chain, parameters) => {
    while (chain.head.number < BASE_BLOCKS) produce(chain);
    for (let k = 0; k < blocks; k++) {
      pay(chain, parameters, slots);
      produce(chain, k === 0 ? slots : 1);
    }
  });
}

/** A node of a branch, with more flags. */
export async function startBranch(
  site: Site,
  { genesisFile, dataFolder }: StoppedChain,
  ...flags: readonly string[]
): Promise<Program> {
  const http = ['--webserver-http-endpoint', '127.0.0.1:0', '--p2p-endpoint', '127.0.0.1:0'];
  const program = site.start(['run', '--genesis-json', genesisFile, '--data-dir', dataFolder, ...http, ...flags]);
  await program.ready();
  return program;
}

/** The last block that a node has. */
export async function fetchHead(program: Program): Promise<{ readonly number: number; readonly id: string }> {
  const state = await program.result('database_api.get_dynamic_global_properties');
  return { number: numberMember(state, 'head_block_number'), id: textMember(state, 'head_block_id') };
}
