import { COMPILED_GENESIS_TIME } from './genesis_time.ts';
import { sumOfBalances, checkGenesis, type Parameters } from './parameters.ts';
import type { Economy } from './records.ts';
import { indexNewKeys } from './key_index.ts';
import { initialGrowth } from './protection.ts';
import { refuse } from './refusal.ts';
import { State } from './state.ts';
import { turnsUntilInterest } from './turns.ts';
import { COIN, FIAT, NEVER, NOBODY, NULL_KEY, ofAccount, ofKey, LAP, type Authority } from './values.ts';

const ALL_SLOTS_FILLED = 2n ** 128n - 1n;

interface Beginning {
  readonly memoKey?: string;
  readonly balance?: bigint;
  readonly owner: Authority;
  readonly active: Authority;
  readonly recoveryAccount?: string;
  readonly resetAccount?: string;
}

/** The state before the first block (chain_rules.md#genesis). */
export function genesisState(parameters: Parameters): State {
  checkGenesis(parameters);
  const state = new State(parameters, {
    globals: firstGlobals(parameters),
    economy: firstEconomy(parameters),
    schedule: firstSchedule(parameters),
    hardforks: { processed: [parameters.genesisTime], last: 0, current: '1.0.0', next: '0.0.0', nextTime: 0 },
    place: { block: 0, transaction: 0, operation: 0, virtual: 0 },
  });
  addAccounts(state);
  addInitminer(state);
  for (const fiat of FIAT) state.feeds.set(fiat, { median: undefined, history: [] });
  return state;
}

function addAccounts(state: State): void {
  const { initialKey, initminerBalance, initialAccounts } = state.parameters;
  const open = { ...NOBODY, threshold: 0 };
  addGenesisAccount(state, 'miners', { owner: NOBODY, active: NOBODY });
  addGenesisAccount(state, 'none', { owner: NOBODY, active: NOBODY });
  addGenesisAccount(state, 'temp', { owner: open, active: open });
  const own = ofKey(initialKey);
  addGenesisAccount(state, 'initminer', { memoKey: initialKey, balance: initminerBalance, owner: own, active: own });
  for (const { name, key, balance } of initialAccounts) {
    const active = ofKey(key);
    const owner = key === NULL_KEY ? ofAccount('initminer') : active;
    addGenesisAccount(state, name, {
      memoKey: key,
      balance,
      owner,
      active,
      recoveryAccount: 'initminer',
      resetAccount: 'initminer',
    });
  }
}

function addGenesisAccount(state: State, name: string, beginning: Beginning): void {
  if (state.accounts.has(name)) refuse('uniqueness');
  const { balance = 0n, memoKey = NULL_KEY, owner, active, recoveryAccount = '', resetAccount = 'none' } = beginning;
  const id = state.nextId('account');
  const turns = state.rules.turnsAreNeverZero ? turnsUntilInterest(state, id) : 2n;
  state.accounts.set(name, {
    id,
    name,
    memoKey,
    metadata: '',
    proxy: '',
    lastUpdate: 0,
    holdings: balance * turns,
    created: 0,
    mined: true,
    recoveryAccount,
    resetAccount,
    lastRecovery: 0,
    balance,
    vesting: 0n,
    withdrawRate: 0n,
    nextWithdrawal: NEVER,
    withdrawn: 0n,
    toWithdraw: 0n,
    proxied: [0n, 0n, 0n, 0n],
    votesCast: 0,
    owner,
    active,
    lastOwnerUpdate: 0,
    lastActivity: state.parameters.genesisTime,
    buckets: new Map(),
    growth: initialGrowth,
  });
  if (state.rules.keyIndexIsComplete) indexNewKeys(state, name, []);
}

function addInitminer(state: State): void {
  const { isPrivate, minimumCreationFee, minBlockSizeLimit, signingKey } = state.parameters;
  state.witnesses.set('initminer', {
    id: state.nextId('witness'),
    owner: 'initminer',
    created: 0,
    url: '',
    totalMissed: 0,
    lastSlot: 0,
    lastConfirmed: 0,
    signingKey,
    creationFee: { amount: isPrivate ? 0n : minimumCreationFee, symbol: COIN },
    maximumBlockSize: 2 * minBlockSizeLimit,
    rates: new Map(),
    votes: 0n,
    schedule: 'top19',
    virtualLastUpdate: 0n,
    virtualPosition: 0n,
    virtualScheduledTime: LAP,
    stopped: false,
    runningVersion: '0.0.0',
    hardforkVersionVote: '0.0.0',
    hardforkTimeVote: COMPILED_GENESIS_TIME,
  });
}

function firstGlobals(parameters: Parameters): State['globals'] {
  return {
    number: 0,
    id: '0'.repeat(40),
    time: parameters.genesisTime,
    witness: 'initminer',
    supply: sumOfBalances(parameters),
    totalVesting: 0n,
    requiredVesting: parameters.isPrivate ? 0n : parameters.initialRequiredVesting,
    maximumBlockSize: parameters.maxBlockSize,
    slot: 0,
    recentSlots: ALL_SLOTS_FILLED,
    participation: 128,
    lastIrreversible: 0,
  };
}

/** 10.1; what rounding leaves belongs to nobody, or to the promotion pool. */
function firstEconomy(parameters: Parameters): Economy {
  const { totalSupply, miningPercentage, interestPercentage, promotionPercentage, coinbaseBlocks, rules } = parameters;
  const initSupply = sumOfBalances(parameters);
  const coinbase = totalSupply - initSupply;
  const part = (percentage: bigint): bigint => (coinbase * percentage) / 10_000n;
  const mining = part(miningPercentage);
  const interest = part(interestPercentage);
  const promotion = rules.promotionPoolIsTheRest ? coinbase - mining - interest : part(promotionPercentage);
  return {
    miningFromCoinbase: mining,
    miningFromFees: 0n,
    interestFromCoinbase: interest,
    interestFromFees: 0n,
    promotionPool: promotion,
    burnPool: 0n,
    initialPromotionPool: promotion,
    initSupply,
    totalSupply,
    blockReward: mining / coinbaseBlocks,
    accumulatedSupply: 0n,
    growth: initialGrowth,
    owedBound: 0n,
    issued: 0n,
    countedPromotion: 0n,
  };
}

function firstSchedule(parameters: Parameters): State['schedule'] {
  return {
    virtualTime: 0n,
    nextShuffleBlock: 1,
    witnesses: ['initminer'],
    scheduled: 1,
    top19Weight: 21,
    timeshareWeight: 63,
    payNormalization: 25,
    creationFee: { amount: parameters.minimumCreationFee, symbol: COIN },
    maximumBlockSize: parameters.maxBlockSize,
    majorityVersion: '0.0.0',
  };
}
