import { present } from '../../src/base/assert.ts';
import { accountWitnessVote } from '../../src/operations/account_witness_vote.ts';
import { isInForce } from '../../src/state/stopped_witnesses.ts';
import { adjustWitnessVotes } from '../../src/state/votes.ts';
import { dynamicGlobalProperties } from '../../src/state/tables/dynamic_global_property.ts';
import { witnessSchedule } from '../../src/state/tables/witness_schedule.ts';
import { witnesses, type Witness } from '../../src/state/tables/witness.ts';
import { witnessVotes } from '../../src/state/tables/witness_vote.ts';
import { addWitness } from '../../src/state/witnesses.ts';
import { Ledger, START, testKey, type LedgerOptions } from './ledger.ts';

/** The signing key of every witness of these ledgers. */
export const SIGNING_KEY = testKey(77);

/** A ledger in which the named accounts are witnesses; initminer's is always there. */
export function witnessLedger(owners: readonly string[], options: LedgerOptions = {}): Ledger {
  const ledger = new Ledger({ names: ['alice', 'bob', 'carol', 'dave', 'erin', 'frank', 'initminer'], ...options });
  const { coinSymbol } = ledger.parameters;
  const props = { account_creation_fee: { amount: 50_000n, symbol: coinSymbol }, maximum_block_size: 262_144 };
  ledger.change((state) => {
    for (const owner of ['initminer', ...owners])
      addWitness(state, owner, { url: 'http://w', block_signing_key: SIGNING_KEY, props }, START);
  });
  return ledger;
}

export function getWitness(ledger: Ledger, owner: string): Witness {
  return present(ledger.rows.get(witnesses, owner), owner);
}

/** Returns the votes of a witness; undefined when there is no such witness. */
export function countVotes(ledger: Ledger, owner: string): bigint | undefined {
  return ledger.rows.get(witnesses, owner)?.votes;
}

export function hasVote(ledger: Ledger, account: string, witness: string): boolean {
  const found = ledger.rows.get(witnessVotes, { account, witness });
  return found !== undefined && isInForce(ledger.rows, found);
}

export function vote(ledger: Ledger, account: string, witness: string, approve = true): void {
  ledger.apply(accountWitnessVote.of({ fee: ledger.coins(0n), account, witness, approve }));
}

/** Gives an account vesting shares and its witnesses the resulting votes, as a block reward would. */
export function endow(ledger: Ledger, name: string, vesting_shares: bigint): void {
  const before = ledger.account(name).vesting_shares;
  ledger.changeAccount(name, { vesting_shares });
  ledger.change((state) => {
    const votes = state.rows.range(witnessVotes.by_account_witness, { from: [name], to: [name], limit: 100 });
    for (const { witness } of votes) adjustWitnessVotes(state, witness, vesting_shares - before);
  });
}

/** Raises the vesting shares that a witness must hold. */
export function requireVesting(ledger: Ledger, witness_required_vesting: bigint): void {
  ledger.change(({ rows }) =>
    rows.put(dynamicGlobalProperties, { ...rows.only(dynamicGlobalProperties), witness_required_vesting }),
  );
}

/** Makes these the witnesses of the round. */
export function schedule(ledger: Ledger, current_shuffled_witnesses: readonly string[]): void {
  ledger.change(({ rows }) => rows.put(witnessSchedule, { ...rows.only(witnessSchedule), current_shuffled_witnesses }));
}
