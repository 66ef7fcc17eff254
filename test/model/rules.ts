import { DAY } from './values.ts';

/** Every rule that has two values (chain_rules.md#rule-sets). */
export interface Rules {
  /** A proxy leaves the account's votes stored; otherwise it deletes them. */
  readonly proxyKeepsVotes: boolean;
  /** Votes count vesting shares alone; otherwise liquid coins as well. */
  readonly votesAreVestingShares: boolean;
  readonly stopDeletesWitness: boolean;
  readonly resetAfterSeconds: number;
  readonly repeatedVotesAreAccepted: boolean;
  readonly propertiesNeedNoKey: boolean;
  readonly feedsAreOfTheRound: boolean;
  readonly minimumVestingSeconds: number;
  /** Instalments of withdrawals are chosen by the genesis. */
  readonly genesisSaysInstalments: boolean;
  /** Instalments are rounded up, and the last one is smaller; otherwise they are rounded down, and more follow. */
  readonly instalmentsAreRoundedUp: boolean;
  readonly negativeWithdrawals: boolean;
  /** True when holdings of `none` are burned into the pool; otherwise nothing may be sent to it. */
  readonly noneBurns: boolean;
  readonly emptyCustomIsCheap: boolean;
  /** Authorities may name any account that exists. */
  readonly anyNameInAuthorities: boolean;
  /** A name of an application stands for its valid beginning; otherwise it comes back unchanged. */
  readonly applicationNamesAreNarrowed: boolean;
  /** Seeds of names, names of properties and URLs of appointed witnesses may be no valid UTF-8. */
  readonly anyBytesAsTexts: boolean;
  readonly keyIndexIsComplete: boolean;
  readonly firstSequence: number;
  /** Turns until the next interest are 1 … 2400; otherwise 0 … 2399. */
  readonly turnsAreNeverZero: boolean;
  /** Holdings above the accumulated supply count as that; otherwise as 0. */
  readonly holdingsAreClamped: boolean;
  readonly feeInterestStaysInPool: boolean;
  readonly oddGenesisIsRefused: boolean;
  /** The promotion pool gets what rounding leaves. */
  readonly promotionPoolIsTheRest: boolean;
  readonly initialSupplyIsTheGenesis: boolean;
  readonly promotionPoolOpensAtTheEnd: boolean;
  readonly poorSponsorsStepAside: boolean;
  readonly mostAccountsVisited: number;
  readonly confirmationsFromBlock: number | undefined;
  readonly duePerBlock: number;
  readonly dilutionProtectionPercent: number;
  readonly lastKeyStays: boolean;
  /** Both rule sets: a change of nothing moves a witness's virtual time like any other. Only tests take it out. */
  readonly zeroChangesMoveTime: boolean;
}

const YEAR = 365 * DAY;

const interfaceRules: Rules = {
  proxyKeepsVotes: true,
  votesAreVestingShares: true,
  stopDeletesWitness: true,
  resetAfterSeconds: 60 * DAY,
  repeatedVotesAreAccepted: true,
  propertiesNeedNoKey: true,
  feedsAreOfTheRound: true,
  minimumVestingSeconds: YEAR,
  genesisSaysInstalments: true,
  instalmentsAreRoundedUp: true,
  negativeWithdrawals: false,
  noneBurns: true,
  emptyCustomIsCheap: true,
  anyNameInAuthorities: true,
  applicationNamesAreNarrowed: false,
  anyBytesAsTexts: false,
  keyIndexIsComplete: true,
  firstSequence: 0,
  turnsAreNeverZero: true,
  holdingsAreClamped: true,
  feeInterestStaysInPool: true,
  oddGenesisIsRefused: true,
  promotionPoolIsTheRest: true,
  initialSupplyIsTheGenesis: true,
  promotionPoolOpensAtTheEnd: true,
  poorSponsorsStepAside: true,
  mostAccountsVisited: 125,
  confirmationsFromBlock: 1,
  duePerBlock: 100,
  dilutionProtectionPercent: 90,
  lastKeyStays: true,
  zeroChangesMoveTime: true,
};

const lineageRules: Rules = {
  proxyKeepsVotes: false,
  votesAreVestingShares: false,
  stopDeletesWitness: false,
  resetAfterSeconds: 0,
  repeatedVotesAreAccepted: false,
  propertiesNeedNoKey: false,
  feedsAreOfTheRound: false,
  minimumVestingSeconds: 0,
  genesisSaysInstalments: false,
  instalmentsAreRoundedUp: false,
  negativeWithdrawals: true,
  noneBurns: false,
  emptyCustomIsCheap: false,
  anyNameInAuthorities: false,
  applicationNamesAreNarrowed: true,
  anyBytesAsTexts: true,
  keyIndexIsComplete: false,
  firstSequence: 1,
  turnsAreNeverZero: false,
  holdingsAreClamped: false,
  feeInterestStaysInPool: false,
  oddGenesisIsRefused: false,
  promotionPoolIsTheRest: false,
  initialSupplyIsTheGenesis: false,
  promotionPoolOpensAtTheEnd: false,
  poorSponsorsStepAside: false,
  mostAccountsVisited: Infinity,
  confirmationsFromBlock: undefined,
  duePerBlock: Infinity,
  dilutionProtectionPercent: 0,
  lastKeyStays: false,
  zeroChangesMoveTime: true,
};

export const ruleSets: Readonly<Record<'interface' | 'lineage', Rules>> = {
  interface: interfaceRules,
  lineage: lineageRules,
};
