import { quorumOfCount } from '../../blocks/finality/voters.ts';
import type { Json } from '../../codec/json.ts';
import type { GenesisMemberName } from '../../state/genesis_members.ts';

/** Values of members, as the file has them. */
export type Rules = Partial<Record<GenesisMemberName, Json>>;

/** Rules of a new chain that its author does not name. */
export interface Preset {
  readonly doc: string;
  /** The number of witnesses of a chain of this kind. */
  readonly witnesses: number;
  /** Places of a round that go in turn, of so many. */
  readonly runners: (places: number) => number;
  /** Rules that differ from the defaults of the members. */
  readonly rules: Rules;
  /** True when all coins exist at the beginning, so that the supply follows from the accounts. */
  readonly isWhole: boolean;
  /** True when accounts have publicly known keys. */
  readonly hasKnownKeys: boolean;
}

/** Of 51 places the interface gives 4 in turn. */
const RUNNERS_OF_51 = 4;
const FULL_ROUND = 51;
const COIN = 1_000_000;

/** The kinds of chains that `pharos genesis create` knows. */
export const presets = {
  private: {
    doc: 'known members: all coins are there at the beginning, vesting shares can be withdrawn in a day',
    witnesses: 7,
    runners: () => 0,
    rules: {
      initial_witness_req_vesting_balance: 10_000 * COIN,
      final_witness_req_vesting_balance: 10_000 * COIN,
      minimum_vesting_seconds: 0,
      vesting_withdraw_intervals: 1,
      dilution_protection_percent: 0,
    },
    isWhole: true,
    hasKnownKeys: false,
  },
  public: {
    doc: 'anybody: the rules of the interface, with rewards over 25 years and a vesting lock of a year',
    witnesses: FULL_ROUND,
    runners: (places) => Math.trunc((places * RUNNERS_OF_51) / FULL_ROUND),
    rules: {},
    isWhole: false,
    hasKnownKeys: false,
  },
  development: {
    doc: 'tests: funded accounts whose keys everybody knows, no vesting lock',
    witnesses: 1,
    runners: () => 0,
    rules: {
      initial_witness_req_vesting_balance: 0,
      final_witness_req_vesting_balance: 0,
      minimum_vesting_seconds: 0,
    },
    isWhole: false,
    hasKnownKeys: true,
  },
} as const satisfies Readonly<Record<string, Preset>>;

export type PresetName = keyof typeof presets;

/** The preset's values of what depends on how many places a round has. */
export function roundRules({ runners }: Preset, places: number): Rules {
  const inTurn = runners(places);
  return {
    max_witnesses: places,
    hardfork_req_witnesses: quorumOfCount(places),
    max_voted_witnesses: places - inTurn,
    max_runner_witnesses: inTurn,
    finality: true,
    confirmations_from_block: 1,
  };
}
