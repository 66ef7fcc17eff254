import { refusals } from '../../base/refusal.ts';
import type { BlockHeader, HeaderExtension } from '../../blocks/header.ts';
import type { ChainState } from '../../state/chain_state.ts';
import { protocolVersion } from '../../state/hardforks.ts';
import type { ChainParameters } from '../../state/parameters.ts';
import { hardforkProperty, type HardforkProperty } from '../../state/tables/hardfork_property.ts';
import { witnesses, type Witness } from '../../state/tables/witness.ts';
import type { Seconds } from '../../values/time.ts';
import { versionText } from '../../values/version.ts';
import { namedFirstHardfork } from './hardforks.ts';

const refuse = refusals({
  old_software: {
    text: 'witness {witness} runs version {running} and the chain is at {current}; it must run a newer one',
    lineage: 'Block produced by witness that is not running current hardfork',
  },
});

/** Stores what the producer reports about its software. */
export function applyHeaderExtensions(state: ChainState, { witness: owner, extensions }: BlockHeader): void {
  const before = state.rows.get(witnesses, owner);
  if (before === undefined) return;
  const after = extensions.reduce(withExtension, before);
  if (after !== before) state.rows.put(witnesses, after);
}

function withExtension(witness: Witness, extension: HeaderExtension): Witness {
  if (extension.index === 1) return { ...witness, running_version: extension.version };
  if (extension.index === 2)
    return { ...witness, hardfork_version_vote: extension.hf_version, hardfork_time_vote: extension.hf_time };
  return witness;
}

/** Refuses a block of a witness whose software is older than the chain requires. */
export function requireCurrentSoftware(state: ChainState, { witness: owner }: BlockHeader): void {
  const witness = state.rows.get(witnesses, owner);
  if (witness === undefined) return;
  const { current_hardfork_version: current } = state.rows.only(hardforkProperty);
  if (witness.running_version >= current) return;
  refuse.old_software({ witness: owner, running: versionText(witness.running_version), current: versionText(current) });
}

/**
 * The extensions of a block of the witness: this software reports only what the chain does not know yet
 * (chain_rules.md#building-a-block). `firstTime` is the time of block 1, undefined for others: block 1 votes for a
 * hardfork that it applies, by which older programs see that they don't know it.
 */
export function makeExtensions(
  witness: Witness,
  property: HardforkProperty,
  parameters: Pick<ChainParameters, 'hardforks' | 'hardforkBlocks'>,
  firstTime: Seconds | undefined,
): HeaderExtension[] {
  const extensions: HeaderExtension[] = [];
  const version = protocolVersion(parameters.hardforks);
  if (witness.running_version !== version) extensions.push({ index: 1, version });
  const first = firstTime === undefined ? undefined : namedFirstHardfork(parameters, firstTime);
  const vote = first ?? hardforkVote(witness, property, parameters);
  if (vote !== undefined) extensions.push({ index: 2, hf_version: vote.version, hf_time: vote.time });
  return extensions;
}

interface Vote {
  readonly version: number;
  readonly time: number;
}

function hardforkVote(
  witness: Witness,
  { last_hardfork, current_hardfork_version, processed_hardforks }: HardforkProperty,
  { hardforks: supported, hardforkBlocks: planned }: Pick<ChainParameters, 'hardforks' | 'hardforkBlocks'>,
): Vote | undefined {
  const next = supported[last_hardfork];
  if (next !== undefined && !planned.has(next.id))
    return witness.hardfork_version_vote === next.version && witness.hardfork_time_vote === next.time
      ? undefined
      : next;
  if (witness.hardfork_version_vote <= current_hardfork_version) return undefined;
  return { version: current_hardfork_version, time: processed_hardforks[last_hardfork] ?? 0 };
}
