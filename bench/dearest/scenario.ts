import type { Operation } from '../../src/operations/operation.ts';
import type { RuleSet } from '../../src/state/rules/index.ts';
import type { Stage } from './stage.ts';

/** The search turns dials; each records where it stood for the most expensive case. */
export interface Dial {
  readonly least: number;
  readonly most: number;
  readonly start: number;
}

/** Returns the position of each dial. */
export type At<D extends string = string> = (dial: D) => number;

/** The chain on which a scenario runs. */
export interface Setting {
  /** Both sets by default. */
  readonly rules?: readonly RuleSet[];
  /** The number of blocks that stand before; one by default. */
  readonly blocks?: number;
  /** There is no budget for it: it grows with the accounts that there are. */
  readonly isShownOnly?: boolean;
  /** The name of the account whose key signs; alice's by default. */
  readonly signer?: string;
}

/** A transaction, or a block without one, that may be dear, and the state that makes it so. */
export interface Scenario<D extends string = string> extends Setting {
  readonly what: string;
  /** The scenario measures a transaction, or the work of a block by itself. */
  readonly of: 'transaction' | 'block';
  readonly dials: Readonly<Record<D, Dial>>;
  /** Sets the stage; answers the operations, of which the transaction gets as many as it holds. */
  set(stage: Stage, at: At<D>): readonly Operation[];
}

/** A scenario of a transaction. */
export function transactionScenario<D extends string>(
  what: string,
  dials: Scenario<D>['dials'],
  set: Scenario<D>['set'],
  setting: Setting = {},
): Scenario {
  return { what, of: 'transaction', dials, set, ...setting };
}

/** A scenario of a block. */
export function blockScenario<D extends string>(
  what: string,
  dials: Scenario<D>['dials'],
  set: (stage: Stage, at: At<D>) => void,
  setting: Setting = {},
): Scenario {
  const scene = (stage: Stage, at: At<D>): Operation[] => (set(stage, at), []);
  return { what, of: 'block', dials, set: scene, ...setting };
}

/** From `least` to `most`, where `start` is the dearest that is known. */
export function dial(least: number, most: number, start = most): Dial {
  return { least, most, start };
}
