import assert from 'node:assert/strict';
import { scheduledNames } from '../../src/chain/apply/slots.ts';
import { encodeWif } from '../../src/crypto/wif.ts';
import { profileNamed } from '../../src/settings/chain_settings.ts';
import { devGenesisText, devPublicKey, devSecret } from '../../src/dev_chain/dev_genesis.ts';
import type { Json } from '../../src/codec/json.ts';
import { assetText } from '../../src/values/asset.ts';
import { witnessSchedule } from '../../src/state/tables/witness_schedule.ts';
import { derivePublicKey } from '../../src/crypto/keys.ts';
import { finaliseRounds } from './certificates.ts';
import { makeTransaction } from './chain.ts';
import { witnessUpdate } from './parted_witnesses.ts';
import { produceNext, stoppedChain, type StoppedChain } from './stopped_chain.ts';

/** A chain in which several witnesses produce, and where its first blocks lie. */
export interface WitnessChain extends StoppedChain {
  readonly witnesses: readonly { readonly name: string; readonly wif: string }[];
}

/** As on chains that run. */
const INTERVAL_SECONDS = 3;
/** Rounds that are full before now, so that participation is as on a chain that runs. */
const BLOCKS = 160;

/** The key of an account of such a chain. */
export function testWif(account: string): string {
  return encodeWif(devSecret(account));
}

/**
 * Differences from a chain whose round its witnesses fill, and on which every account with votes becomes one for
 * nothing.
 */
export interface WitnessChainOptions {
  /** Places in the round; as many as there are witnesses when left out. */
  readonly places?: number;
  /** The stake that a witness must have vested, in millionths. */
  readonly requiredVesting?: number;
  /** Names of accounts that have a millionth of a coin. */
  readonly poor?: readonly string[];
  /** From slot to slot, for tests that wait for slots. */
  readonly intervalSeconds?: number;
  /** True when votes make blocks final; then all rounds that are over are final. */
  readonly finality?: boolean;
}

/** A chain of so many witnesses whose last block is of this moment, or of so many seconds ago. */
export async function witnessChain(
  folder: string,
  count: number,
  secondsAgo = 0,
  options: WitnessChainOptions = {},
): Promise<WitnessChain> {
  const names = ['initminer', ...Array.from({ length: count - 1 }, (_, index) => `witness${index + 1}`)];
  const stopped = await stoppedChain(folder, makeGenesis(names, options), (chain, parameters) => {
    produceNext(chain);
    if (options.requiredVesting !== undefined) {
      const amount = assetText({ amount: BigInt(options.requiredVesting), symbol: parameters.coinSymbol });
      const vests = (name: string): Json => [
        'transfer_to_vesting',
        { fee: '0.050000 COIN', from: name, to: name, amount },
      ];
      for (const name of names) chain.accept(makeTransaction(chain, parameters, [vests(name)], [name]));
    }
    for (const name of names.slice(1))
      chain.accept(makeTransaction(chain, parameters, [witnessUpdate(name, name)], [name]));
    const nowSeconds = Math.trunc(Date.now() / 1000) - secondsAgo;
    while (chain.slotTime(1) <= nowSeconds) produceNext(chain);
    const secrets = new Map(names.map((name) => [devKey(name), devSecret(name)]));
    if (options.finality === true) finaliseRounds(chain, parameters, (key) => secrets.get(key) ?? assert.fail(key));
    assert.equal(scheduledNames(chain.committed.only(witnessSchedule)).length, count);
  });
  return { ...stopped, witnesses: names.map((name) => ({ name, wif: testWif(name) })) };
}

function devKey(name: string): string {
  return Buffer.from(derivePublicKey(devSecret(name)) ?? assert.fail(name)).toString('hex');
}

function makeGenesis(names: readonly string[], options: WitnessChainOptions): string {
  const { places = names.length, requiredVesting = 0, poor = [], intervalSeconds = INTERVAL_SECONDS } = options;
  const profile = profileNamed('default');
  const dev: Record<string, unknown> & { initial_accounts: unknown[] } = JSON.parse(
    devGenesisText(profile, Math.trunc(Date.now() / 1000) - BLOCKS * intervalSeconds),
  );
  const account = (balance: number) => (name: string) => ({ name, key: devPublicKey(name, profile), balance });
  const others = [...names.slice(1).map(account(10_000_000_000_000)), ...poor.map(account(1))];
  return JSON.stringify({
    ...dev,
    block_interval: intervalSeconds,
    initial_accounts: [...dev.initial_accounts, ...others],
    max_witnesses: places,
    max_voted_witnesses: places,
    max_runner_witnesses: 0,
    initial_witness_req_vesting_balance: requiredVesting,
    final_witness_req_vesting_balance: requiredVesting,
    confirmations_from_block: 1,
    ...(options.finality === true ? { finality: true } : {}),
  });
}
