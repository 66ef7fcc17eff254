import type { HardforkWarningName } from '../../../queries/hardfork_warnings.ts';
import type { Check } from '../check.ts';
import { look, ok, wrong } from '../finding.ts';

/** The check of the genesis says these, of a node that runs or not. */
const OF_GENESIS: ReadonlySet<string> = new Set<HardforkWarningName>([
  'threshold_above_round',
  'threshold_below_quorum',
]);
const STOPS: HardforkWarningName = 'unknown_hardfork';

/**
 * Checks whether the witnesses vote for a version that the running program doesn't know, and whether votes can decide.
 */
export const hardforks: Check = ({ running }) => {
  if (running?.hardforks === undefined) return [ok('no node runs, which would tell what witnesses vote for')];
  const { current_hardfork_version: current, supported_version: supported, warnings } = running.hardforks;
  const shown = warnings.filter(({ name }) => !OF_GENESIS.has(name));
  if (shown.length === 0) return [ok(`version ${current} is active; the program that runs knows ${supported}`)];
  return shown.map(({ name, text, advice }) => (name === STOPS ? wrong(text, advice) : look(text, advice)));
};
