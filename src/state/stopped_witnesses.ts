import { replacing } from '../codec/struct.ts';
import { idCounters } from '../storage/id_counters.ts';
import type { Bounds, RowReader } from '../storage/rows.ts';
import type { TuplePrefix } from '../storage/table.ts';
import type { AccountName } from '../values/account_name.ts';
import type { ChainState } from './chain_state.ts';
import { accountRow, accounts } from './tables/account.ts';
import { stoppedWitnesses, type StoppedWitness } from './tables/stopped_witness.ts';
import { witnesses } from './tables/witness.ts';
import { witnessVotes, type WitnessVote } from './tables/witness_vote.ts';

/** Returns whether a vote counts: its witness has not been stopped since it was cast. */
export function isInForce(rows: RowReader, { witness, id }: WitnessVote): boolean {
  const stopped = rows.get(stoppedWitnesses, witness);
  return stopped === undefined || id >= stopped.votes_before;
}

/**
 * Deletes a witness at once. There may be any number of votes for it: they no longer count, and later blocks remove
 * them.
 */
export function deleteWitness({ rows, consequences }: ChainState, owner: AccountName): void {
  rows.remove(witnesses, owner);
  consequences.dropVotes(owner);
  const [vote] = rows.range(witnessVotes.by_witness_account, { from: [owner], to: [owner], limit: 1 });
  if (vote === undefined) return;
  const id = rows.get(stoppedWitnesses, owner)?.id ?? rows.nextId(stoppedWitnesses);
  const votes_before = rows.get(idCounters, witnessVotes.number)?.next ?? 0n;
  rows.put(stoppedWitnesses, { id, owner, votes_before, removed_up_to: '' });
}

/** Removes votes for stopped witnesses, up to the number of due items that a block may process. */
export function removeStoppedVotes(state: ChainState): void {
  const { rows, parameters } = state;
  for (let left = parameters.rules.due_per_block; left > 0;) {
    const stopped = rows.first(stoppedWitnesses.by_id);
    if (stopped === undefined) return;
    left -= removeVotes(state, stopped, left);
  }
}

/**
 * Processes up to `most` votes for the witness; returns how many there were, at least one for the row of the witness
 * itself.
 */
function removeVotes(state: ChainState, stopped: StoppedWitness, most: number): number {
  const { rows } = state;
  const { owner, removed_up_to } = stopped;
  const to: [AccountName] = [owner];
  const bounds: Bounds<TuplePrefix<readonly [AccountName, AccountName]>> =
    removed_up_to === '' ? { from: to, to, limit: most } : { after: [owner, removed_up_to], to, limit: most };
  const votes = rows.range(witnessVotes.by_witness_account, bounds);
  for (const vote of votes) if (vote.id < stopped.votes_before) removeVote(state, vote);
  const last = votes[most - 1];
  if (last === undefined) rows.remove(stoppedWitnesses, owner);
  else rows.put(stoppedWitnesses, { ...stopped, removed_up_to: last.account });
  return Math.max(votes.length, 1);
}

const withVotesFor = replacing(accountRow, ['witnesses_voted_for']);

/** Removes a vote and decrements the voter's count; the caller has to update the witness's votes. */
export function removeVote({ rows, consequences }: ChainState, { account, witness }: WitnessVote): void {
  consequences.forgetChosen(account);
  rows.remove(witnessVotes, { account, witness });
  const voter = rows.get(accounts, account);
  if (voter !== undefined)
    rows.put(accounts, withVotesFor(voter, { witnesses_voted_for: voter.witnesses_voted_for - 1 }));
}
