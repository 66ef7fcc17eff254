import { nearby } from '../base/nearest.ts';
import { Fault } from '../base/fault.ts';
import type { Mining } from '../rpc/mining.ts';
import { NEVER } from '../values/limits.ts';
import { planProblem, type PlannedHardfork } from '../state/hardfork_plan.ts';
import { toMembers } from '../system/json_members.ts';
import { MOST_DEV_ACCOUNTS, MOST_DEV_WITNESSES } from './dev_genesis.ts';
import type { DevChainOptions } from './dev_chain_options.ts';

const MOST_BLOCKS = 0xffff_ffff;
const MOST_PORTS = 65_535;
const LONGEST_INTERVAL_MS = 0x7fff_ffff; // what a timer takes

interface Option {
  readonly expected: string;
  isValid(value: unknown): boolean;
}

const MODES: readonly Mining[] = ['automine', 'interval', 'none'];

const aText: Option = { expected: 'a text', isValid: (value) => typeof value === 'string' };

const aPlan: Option = {
  expected: 'an object of blocks by the names of hardforks',
  isValid: (value) => toMembers(value) !== undefined,
};

const options: Readonly<Record<keyof DevChainOptions, Option>> = {
  port: wholeNumber(0, MOST_PORTS),
  accounts: wholeNumber(0, MOST_DEV_ACCOUNTS),
  witnesses: wholeNumber(1, MOST_DEV_WITNESSES),
  hardforks: aPlan,
  seed: aText,
  mining: { expected: MODES.join(', '), isValid: (value) => MODES.some((mode) => mode === value) },
  blockIntervalMs: wholeNumber(1, LONGEST_INTERVAL_MS),
  genesisTime: wholeNumber(0, NEVER),
  fork: aText,
};

function wholeNumber(least: number, most: number): Option {
  return {
    expected: `${least} to ${most}`,
    isValid: (value) => Number.isInteger(value) && Number(value) >= least && Number(value) <= most,
  };
}

/**
 * Fault `configuration`, which names the option that makes no sense. Not every test is compiled, and a mistyped option
 * would do nothing.
 */
export function requireOptions(given: DevChainOptions): void {
  for (const [name, value] of Object.entries(given)) requireOption(name, value);
  requirePlan(given);
  const { mining = 'automine', blockIntervalMs, fork, accounts, genesisTime } = given;
  if (fork !== undefined && (accounts !== undefined || genesisTime !== undefined))
    fail(
      'fork: the snapshot says which accounts there are and when the chain goes on, so leave accounts and genesisTime out',
    );
  if (blockIntervalMs !== undefined && mining !== 'interval')
    fail(`blockIntervalMs: only with mining 'interval', which is '${mining}' here`);
}

/** The plan of the options, as a genesis has it. */
export function readPlan({ hardforks = {} }: Pick<DevChainOptions, 'hardforks'>): readonly PlannedHardfork[] {
  return Object.entries(hardforks).map(([name, block]) => ({ name, block }));
}

function requirePlan(given: DevChainOptions): void {
  const plan = readPlan(given);
  const odd = plan.find(({ block }) => !Number.isInteger(block) || block < 0 || block > MOST_BLOCKS);
  if (odd !== undefined)
    fail(`hardforks: ${odd.name}: a block from 1 to ${MOST_BLOCKS} expected, got ${shown(odd.block)}`);
  const problem = planProblem(plan, { block: 1, time: undefined });
  if (problem !== undefined) fail(`hardforks: ${problem}`);
}

function requireOption(name: string, value: unknown): void {
  const known = Object.entries(options).find(([each]) => each === name)?.[1];
  if (known === undefined) {
    const near = nearby(name, Object.keys(options));
    fail(
      `${name}: no option of devChain; ${near === undefined ? `there are ${Object.keys(options).join(', ')}` : `did you mean ${near}?`}`,
    );
  }
  if (value !== undefined && !known.isValid(value)) fail(`${name}: ${known.expected} expected, got ${shown(value)}`);
}

function shown(value: unknown): string {
  return typeof value === 'string' ? JSON.stringify(value) : String(value);
}

function fail(message: string): never {
  throw new Fault('configuration', message);
}
