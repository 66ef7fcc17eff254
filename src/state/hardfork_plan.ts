import { nearby } from '../base/nearest.ts';
import { Fault } from '../base/fault.ts';
import type { RowReader } from '../storage/rows.ts';
import type { Seconds } from '../values/time.ts';
import { hardforks, knownHardforks, type Hardfork } from './hardforks.ts';
import { dynamicGlobalProperties } from './tables/dynamic_global_property.ts';
import { hardforkProperty } from './tables/hardfork_property.ts';

/** A hardfork that a development chain applies with a block, without votes. */
export interface PlannedHardfork {
  /** As the register of hardforks has it. */
  readonly name: string;
  readonly block: number;
}

/** The start of a chain: its first block, and the time of its genesis; no time for a fork, whose state decides. */
export interface PlanBeginning {
  readonly block: number;
  readonly time: Seconds | undefined;
}

/** The names that a plan may have, in the order in which chains apply them. */
export const hardforkNames: readonly string[] = Object.keys(hardforks);

/** The name of a hardfork in the register; its number as text where it has none there. */
export function hardforkName({ id }: Pick<Hardfork, 'id'>): string {
  return Object.entries(hardforks).find(([, known]) => known.id === id)?.[0] ?? String(id);
}

/** The block of each planned hardfork, by the number of the hardfork. */
export function hardforkBlocks(plan: readonly PlannedHardfork[]): ReadonlyMap<number, number> {
  return new Map(plan.flatMap(({ name, block }) => knownAs(name).map(({ id }) => [id, block] as const)));
}

/** The same plan in the order in which the chain applies it. */
export function orderedPlan(plan: readonly PlannedHardfork[]): readonly PlannedHardfork[] {
  return plan.toSorted((a, b) => hardforkNames.indexOf(a.name) - hardforkNames.indexOf(b.name));
}

/** Returns the reason why no chain can follow this plan, as a sentence; undefined when one can. */
export function planProblem(plan: readonly PlannedHardfork[], beginning: PlanBeginning): string | undefined {
  return nameProblem(plan) ?? blockProblem(orderedPlan(plan), beginning) ?? gapProblem(plan, beginning);
}

/** Fault `configuration` where no chain that begins so can follow the plan. */
export function requirePlan(plan: readonly PlannedHardfork[], beginning: PlanBeginning): void {
  const problem = planProblem(plan, beginning);
  if (problem !== undefined) fail(problem);
}

function knownAs(name: string): readonly Hardfork[] {
  return Object.entries(hardforks).flatMap(([known, hardfork]) => (known === name ? [hardfork] : []));
}

function nameProblem(plan: readonly PlannedHardfork[]): string | undefined {
  const names = plan.map(({ name }) => name);
  const unknown = names.find((name) => !hardforkNames.includes(name));
  if (unknown !== undefined) {
    const near = nearby(unknown, hardforkNames);
    const meant = near === undefined ? '' : `; did you mean ${near}?`;
    return `this program knows no hardfork ${JSON.stringify(unknown)}, only ${hardforkNames.join(', ')}${meant}`;
  }
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  return twice === undefined ? undefined : `${twice} stands twice: a hardfork is applied once`;
}

function blockProblem(plan: readonly PlannedHardfork[], { block: first }: PlanBeginning): string | undefined {
  for (const [index, { name, block }] of plan.entries()) {
    if (block < first)
      return first === 1
        ? `${name}: the first block has number 1, so block 1 or a later one expected, got ${block}`
        : `${name}: block ${block} is in the past of this fork, whose first block is ${first}`;
    const before = plan[index - 1];
    if (before !== undefined && block < before.block)
      return `${name}: it comes after ${before.name}, so block ${before.block} or a later one expected, got ${block}`;
  }
  return undefined;
}

/** A chain applies hardforks in their order, and with its first block those whose time has come. */
function gapProblem(plan: readonly PlannedHardfork[], { time }: PlanBeginning): string | undefined {
  if (plan.length === 0 || time === undefined) return undefined;
  const planned = hardforkBlocks(plan);
  const last = Math.max(...planned.keys());
  const first = Math.min(...planned.keys());
  for (const hardfork of knownHardforks) {
    if (planned.has(hardfork.id)) continue;
    const isDue = hardfork.time <= time;
    const name = hardforkName(hardfork);
    if (hardfork.id > first && isDue)
      return `${name} is missing: it comes after ${findHardforkName(plan, first)}, so its block has to be named as well`;
    if (hardfork.id < last && !isDue)
      return `${name} is missing: it comes before ${findHardforkName(plan, last)}, so its block has to be named as well`;
  }
  return undefined;
}

function findHardforkName(plan: readonly PlannedHardfork[], id: number): string {
  return plan.find(({ name }) => knownAs(name)[0]?.id === id)?.name ?? '';
}

/** Fault `configuration` where the chain that is there can't follow the plan of its genesis any more. */
export function requireFittingPlan(rows: RowReader, planned: ReadonlyMap<number, number>): void {
  if (planned.size === 0) return;
  const { last_hardfork: last } = rows.only(hardforkProperty);
  const { head_block_number: head } = rows.only(dynamicGlobalProperties);
  // The first block applies those that are due before the plan begins.
  if (head === 0) return;
  for (const [id, block] of planned)
    if (id <= last && block > head)
      fail(`the chain has applied ${hardforkName({ id })} before block ${head + 1}: leave it out`);
  const next = Math.min(...[...planned.keys()].filter((id) => id > last));
  if (Number.isFinite(next) && next > last + 1)
    fail(
      `the chain has not applied ${hardforkName({ id: last + 1 })}, which comes before ${hardforkName({ id: next })}: name its block as well`,
    );
}

function fail(sentence: string): never {
  throw new Fault('configuration', `hardforks of this chain: ${sentence}`);
}
