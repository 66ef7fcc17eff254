import { refusals } from '../base/refusal.ts';
import { timeText, type Seconds } from '../values/time.ts';
import { headProperties, type ChainState } from './chain_state.ts';
import type { ChainParameters } from './parameters.ts';

const refuse = refusals({
  time_over:
    '{what} would fall due at {time}, and no block can be later than {end}; only what falls due by then can be asked for',
});

/** The refusal of the checks here, for the operations that call them. */
export const dueTimeRefusals = refuse.texts;

/** Refuses a time that no block can have or pass: nothing that an operation promises for it would ever happen. */
export function requireDueTime(
  { lastBlockTime }: Pick<ChainParameters, 'lastBlockTime'>,
  what: string,
  time: Seconds,
): Seconds {
  return time <= lastBlockTime ? time : refuse.time_over({ what, time: timeText(time), end: timeText(lastBlockTime) });
}

/** The time `seconds` after the head, when what an operation promises falls due. */
export function dueTime(state: ChainState, what: string, seconds: number): Seconds {
  return requireDueTime(state.parameters, what, headProperties(state).time + seconds);
}
