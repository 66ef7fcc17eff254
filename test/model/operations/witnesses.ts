import { COMPILED_GENESIS_TIME } from '../genesis_time.ts';
import { require } from '../refusal.ts';
import type { Body } from '../body.ts';
import type { Parameters } from '../parameters.ts';
import type { State } from '../state.ts';
import { COIN, coinFirst, fiatOfRate, isFiat, LAP, NULL_KEY, type Fiat, type Price } from '../values.ts';
import { removeWitnessVotes } from './voting.ts';
import type { OperationRules, OperationTable } from './operation.ts';
import { checkKnown, checkUrl } from './validation.ts';

function checkFeed(symbol: string, price: Price): void {
  require(isFiat(symbol) && fiatOfRate(price) === symbol, 'price feed of another kind');
}

function checkProperties(props: Body, { minimumCreationFee, minBlockSizeLimit }: Parameters): void {
  require(props.asset('account_creation_fee').amount >= minimumCreationFee, 'creation fee below the minimum');
  require(props.number('maximum_block_size') >= minBlockSizeLimit, 'maximum block size below the minimum');
  for (const [symbol, price] of props.prices('price_feeds')) checkFeed(symbol, price);
}

export function storeRate(state: State, owner: string, fiat: Fiat, rate: Price): void {
  const rates = new Map(state.witnesses.get(owner)?.rates);
  rates.set(fiat, { rate: coinFirst(rate), changed: state.headTime });
  state.changeWitness(owner, { rates });
}

/** A witness of the running round keeps its key while no other one of the round has any. */
export function checkLastKey(state: State, owner: string): void {
  if (!state.rules.lastKeyStays) return;
  const hasKey = (name: string): boolean => (state.witnesses.get(name)?.signingKey ?? NULL_KEY) !== NULL_KEY;
  if (!state.round.includes(owner) || !hasKey(owner)) return;
  require(state.round.some((other) => other !== owner && hasKey(other)), 'the last key of the round');
}

function updateWitness(state: State, body: Body): void {
  const owner = body.text('owner');
  const props = body.inner('props');
  const signingKey = body.key('block_signing_key');
  const { isPrivate } = state.parameters;
  const creationFee = isPrivate ? { amount: 0n, symbol: COIN } : props.asset('account_creation_fee');
  state.changeWitness(owner, {
    url: body.text('url'),
    signingKey,
    creationFee,
    maximumBlockSize: props.number('maximum_block_size'),
    ...(signingKey === NULL_KEY ? { stopped: true } : {}),
  });
  if (isPrivate) return;
  for (const [symbol, price] of props.prices('price_feeds')) if (isFiat(symbol)) storeRate(state, owner, symbol, price);
}

function addWitness(state: State, body: Body): void {
  const props = body.inner('props');
  state.witnesses.set(body.text('owner'), {
    id: state.nextId('witness'),
    owner: body.text('owner'),
    created: state.headTime,
    url: body.text('url'),
    totalMissed: 0,
    lastSlot: 0,
    lastConfirmed: 0,
    signingKey: body.key('block_signing_key'),
    creationFee: props.asset('account_creation_fee'),
    maximumBlockSize: props.number('maximum_block_size'),
    rates: new Map(),
    votes: 0n,
    schedule: 'none',
    virtualLastUpdate: 0n,
    virtualPosition: 0n,
    virtualScheduledTime: LAP,
    stopped: false,
    runningVersion: '0.0.0',
    hardforkVersionVote: '0.0.0',
    hardforkTimeVote: COMPILED_GENESIS_TIME,
  });
}

/** 7.8 */
const witnessUpdate: OperationRules = {
  feeAccount: (body) => body.text('owner'),
  authorities: (body) => ({ active: [body.text('owner')] }),
  impacts: (body) => [body.text('owner')],
  validate(body, parameters) {
    checkUrl(body.text('url'));
    checkProperties(body.inner('props'), parameters);
  },
  apply(body, state) {
    const owner = body.text('owner');
    const isThere = state.witnesses.has(owner);
    if (state.parameters.isPrivate) {
      require(isThere, 'only initminer can select witnesses');
    } else {
      const account = state.account(owner);
      require(account.vesting >= state.globals.requiredVesting, 'witness requires at least {a} of vested balance');
      require(body.inner('props').number('maximum_block_size') <=
        state.parameters.maxBlockSize, 'maximum block size above the maximum');
    }
    if (!isThere) {
      addWitness(state, body);
      return;
    }
    if (body.key('block_signing_key') === NULL_KEY) checkLastKey(state, owner);
    updateWitness(state, body);
  },
};

/** 7.8 */
const witnessStop: OperationRules = {
  feeAccount: (body) => body.text('owner'),
  fee: 'base',
  authorities: (body) => ({ active: [body.text('owner')] }),
  impacts: (body) => [body.text('owner')],
  apply(body, state) {
    const owner = body.text('owner');
    checkKnown(state, owner);
    if (!state.witnesses.has(owner)) return;
    checkLastKey(state, owner);
    if (!state.rules.stopDeletesWitness) {
      state.changeWitness(owner, { signingKey: NULL_KEY });
      return;
    }
    removeWitnessVotes(state, owner);
    state.witnesses.delete(owner);
  },
};

/** 7.8 */
const adminWitnessUpdate: OperationRules = {
  feeAccount: (body) => body.text('owner'),
  authorities: () => ({ active: ['initminer'] }),
  validate(body, { rules }) {
    if (!rules.anyBytesAsTexts) require(body.text('url').isWellFormed(), 'URL is not valid UTF8');
  },
  apply(body, state) {
    require(state.parameters.isPrivate, 'this operation can be used only in private nets');
    if (!state.witnesses.has(body.text('owner'))) {
      addWitness(state, body);
      return;
    }
    if (body.key('block_signing_key') === NULL_KEY) checkLastKey(state, body.text('owner'));
    updateWitness(state, body);
  },
};

/** 7.4 */
const feedPublish: OperationRules = {
  feeAccount: (body) => body.text('publisher'),
  authorities: (body) => ({ active: [body.text('publisher')] }),
  impacts: (body) => [body.text('publisher')],
  isPublicOnly: true,
  validate: (body) => require(fiatOfRate(body.price('exchange_rate')) !== undefined, 'exchange rate of another kind'),
  apply(body, state) {
    const publisher = body.text('publisher');
    require(state.witnesses.has(publisher), 'unknown key');
    if (state.rules.feedsAreOfTheRound)
      require(state.round.includes(publisher), 'publisher is no witness of the round');
    const fiat = fiatOfRate(body.price('exchange_rate'));
    if (fiat !== undefined) storeRate(state, publisher, fiat, body.price('exchange_rate'));
  },
};

export const witnessOperations: OperationTable = {
  witness_update: witnessUpdate,
  witness_stop: witnessStop,
  admin_witness_update: adminWitnessUpdate,
  feed_publish: feedPublish,
};
