import { Fault } from '../../base/fault.ts';
import { makerVersion, type BlockHeader } from '../../blocks/header.ts';
import { hardfork as hardforkEvent } from '../../operations/virtual/hardfork.ts';
import { headProperties, type ChainState } from '../../state/chain_state.ts';
import { hardforks, NEWER_RELEASE, protocolVersion, type Hardfork } from '../../state/hardforks.ts';
import type { ChainParameters } from '../../state/parameters.ts';
import { hardforkProperty } from '../../state/tables/hardfork_property.ts';
import { accounts } from '../../state/tables/account.ts';
import { witnesses, type Witness } from '../../state/tables/witness.ts';
import { adjustProxiedVotes, ownVoteWeight, finishVotes } from '../../state/votes.ts';
import type { Seconds } from '../../values/time.ts';
import { versionText, type Version } from '../../values/version.ts';

/** The members of block 1 that decide which hardforks it applies. */
export type FirstHeader = Pick<BlockHeader, 'timestamp' | 'extensions'>;

const ROWS_PER_STEP = 1000; // rows read at once when a hardfork touches all of a table

type HardforkParameters = Pick<ChainParameters, 'hardforks' | 'hardforkBlocks'>;

/** Block 1 applies these whatever its header says: chains exist whose first block names no version. */
const UNNAMED_VERSION = hardforks.bandwidth.version;

/**
 * The number of hardforks that a first block applies before anything else; planned ones wait. Later programs apply no
 * more of them than the maker of the block knew, whose version its header names.
 */
export function hardforksDue(
  { hardforks: supported, hardforkBlocks: planned }: HardforkParameters,
  { timestamp, extensions }: FirstHeader,
): number {
  const newest = Math.max(UNNAMED_VERSION, makerVersion({ extensions }) ?? 0);
  return supported.filter(({ id, version, time }) => time <= timestamp && version <= newest && !planned.has(id)).length;
}

/** The same for a first block that this program makes at that time. */
export function ownHardforksDue(parameters: HardforkParameters, timestamp: Seconds): number {
  return hardforksDue(parameters, ownFirstHeader(parameters, timestamp));
}

/** The header of block 1 if this program makes it, as far as its hardforks depend on it. */
export function ownFirstHeader({ hardforks: supported }: HardforkParameters, timestamp: Seconds): FirstHeader {
  return { timestamp, extensions: [{ index: 1, version: protocolVersion(supported) }] };
}

/** The last hardfork that block 1 applies if this program makes it; undefined where every program applies it. */
export function namedFirstHardfork(parameters: HardforkParameters, timestamp: Seconds): Hardfork | undefined {
  const last = parameters.hardforks[ownHardforksDue(parameters, timestamp) - 1];
  return last !== undefined && last.version > UNNAMED_VERSION ? last : undefined;
}

/**
 * Fault `outdated` where the maker of block 1 votes for a hardfork that this program does not know: block 1 has applied
 * it.
 */
export function requireKnownBeginning(state: ChainState, number: number, { extensions }: BlockHeader): void {
  if (number !== 1) return;
  const vote = extensions.find((extension) => extension.index === 2)?.hf_version ?? 0;
  const known = protocolVersion(state.parameters.hardforks);
  if (vote <= known) return;
  throw new Fault(
    'outdated',
    `block 1 of this chain applies hardfork ${versionText(vote)}, which this program does not know (it knows version ${versionText(known)}); ${NEWER_RELEASE}`,
  );
}

/** Applies the hardforks that the maker of block 1 knew: block 1 does so before its transactions. */
export function applyFirstHardforks(state: ChainState, count: number): void {
  const due = state.parameters.hardforks.slice(0, count);
  const last = due.at(-1);
  if (last === undefined) return;
  for (const witness of allWitnesses(state)) {
    state.rows.put(witnesses, {
      ...witness,
      running_version: last.version,
      hardfork_version_vote: last.version,
      hardfork_time_vote: last.time,
    });
  }
  const next_hardfork_time = state.parameters.genesis.genesis_time;
  for (const known of due) {
    state.rows.put(hardforkProperty, {
      ...state.rows.only(hardforkProperty),
      next_hardfork: known.version,
      next_hardfork_time,
    });
    applyHardfork(state, known);
  }
}

/** Applies hardforks at the end of a block: planned ones with their block, the others by votes. */
export function applyDueHardforks(state: ChainState): void {
  while (applyPlannedHardfork(state));
  applyAgreedHardforks(state);
}

/** Returns whether the next hardfork was one that the chain applies with this block, or an earlier one, without votes. */
function applyPlannedHardfork(state: ChainState): boolean {
  const { hardforks: supported, hardforkBlocks: planned } = state.parameters;
  const next = supported[state.rows.only(hardforkProperty).last_hardfork];
  const { head_block_number: number, time } = headProperties(state);
  if (next === undefined || (planned.get(next.id) ?? Infinity) > number) return false;
  state.rows.put(hardforkProperty, {
    ...state.rows.only(hardforkProperty),
    next_hardfork: next.version,
    next_hardfork_time: time,
  });
  applyHardfork(state, { ...next, time });
  return true;
}

/**
 * Applies the hardforks that the witnesses agreed on and whose time has come (chain_rules.md#hardforks). Fault
 * `outdated` where this program doesn't know one of them: the block is right, and only a newer program can apply it.
 */
function applyAgreedHardforks(state: ChainState): void {
  for (;;) {
    const { last_hardfork, current_hardfork_version, next_hardfork, next_hardfork_time } =
      state.rows.only(hardforkProperty);
    if (current_hardfork_version >= next_hardfork || next_hardfork_time > headProperties(state).time) return;
    const next = state.parameters.hardforks[last_hardfork];
    if (next === undefined) throw outdated(state, next_hardfork);
    // Votes do not hasten it.
    if (state.parameters.hardforkBlocks.has(next.id)) return;
    // The chain records the time of the votes: a release may declare another one.
    applyHardfork(state, next.version === next_hardfork ? { ...next, time: next_hardfork_time } : next);
  }
}

function outdated(state: ChainState, next: Version): Fault {
  const known = versionText(protocolVersion(state.parameters.hardforks));
  return new Fault(
    'outdated',
    `the witnesses have agreed on hardfork ${versionText(next)}, which this program does not know (it knows version ${known}): it stops before block ${headProperties(state).head_block_number}, the first block that needs it; ${NEWER_RELEASE}`,
  );
}

function applyHardfork(state: ChainState, { id, version, time }: Hardfork): void {
  if (id === hardforks.interestVotes.id) recountVotes(state);
  const property = state.rows.only(hardforkProperty);
  const processed_hardforks = [...property.processed_hardforks, time];
  state.rows.put(hardforkProperty, {
    ...property,
    processed_hardforks,
    last_hardfork: id,
    current_hardfork_version: version,
  });
  state.emit(hardforkEvent.of({ hardfork_id: id }));
}

/**
 * Recounts all votes from the accounts' balances. Proxied votes are counted in addition to those stored with the
 * proxies, a defect that replays depend on; at block 1 there are no votes or proxies yet, so there is nothing to count.
 */
function recountVotes(state: ChainState): void {
  for (const witness of allWitnesses(state)) state.rows.put(witnesses, { ...witness, votes: 0n });
  if (headProperties(state).head_block_number === 0) return;
  for (let from = 0n; ; from += BigInt(ROWS_PER_STEP)) {
    const some = state.rows.range(accounts.by_id, { from: [from], limit: ROWS_PER_STEP });
    for (const account of some) adjustProxiedVotes(state, account.name, ownVoteWeight(state, account));
    finishVotes(state);
    if (some.length < ROWS_PER_STEP) return;
  }
}

function allWitnesses(state: ChainState): Witness[] {
  return state.rows.range(witnesses.by_id, { limit: Infinity });
}
