import type { At, Dial } from './scenario.ts';

/** The most expensive candidate, and the dials that led to it. */
export interface Summit<C> {
  readonly cost: C;
  readonly at: Readonly<Record<string, number>>;
}

/** By so much a step must be dearer to count: less is noise. */
const CLEARLY = 1.05;

/**
 * Climbs from where the dials start: each step turns one of them, and stays where it became dearer. `randomSource`
 * rolls a number from 0 to below the one that it is given.
 */
export async function climb<C extends { readonly ms: number }>(
  dials: Readonly<Record<string, Dial>>,
  steps: number,
  randomSource: (below: number) => number,
  costAt: (at: At) => Promise<C>,
): Promise<Summit<C>> {
  const names = Object.keys(dials);
  let at = Object.fromEntries(Object.entries(dials).map(([name, { start }]) => [name, start]));
  let cost = await costAt(reading(at));
  for (let step = 0; step < steps && names.length > 0; step++) {
    const name = names[randomSource(names.length)] ?? '';
    const other = { ...at, [name]: turned(dials[name], at[name] ?? 0, randomSource) };
    if (other[name] === at[name]) continue;
    const its = await costAt(reading(other));
    if (its.ms > cost.ms * CLEARLY) [at, cost] = [other, its];
  }
  return { cost, at };
}

function reading(at: Readonly<Record<string, number>>): At {
  return (dial) => at[dial] ?? 0;
}

/** To an end, by half, to the double, or anywhere. */
function turned(
  { least, most }: Dial = { least: 0, most: 0, start: 0 },
  value: number,
  randomSource: (below: number) => number,
): number {
  const anywhere = least + randomSource(most - least + 1);
  const choices = [least, most, Math.trunc(value / 2), value * 2, anywhere, anywhere];
  return Math.min(Math.max(choices[randomSource(choices.length)] ?? value, least), most);
}
