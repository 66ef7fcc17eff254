import { inCoins, payFee } from '../fees.ts';
import { indexNewKeys, presentKeys } from '../key_index.ts';
import { adjustBalance } from '../money.ts';
import { nameOfSeed } from '../names.ts';
import { changeOwner } from '../owner_change.ts';
import { require } from '../refusal.ts';
import type { State } from '../state.ts';
import { NEVER, NULL_KEY, ofKey, isImpossible } from '../values.ts';
import type { Body } from '../body.ts';
import type { OperationRules, OperationTable } from './operation.ts';
import { byteLength, checkAccountsExist, checkKnown, checkMetadata, checkNames } from './validation.ts';

const OWNER_UPDATE_SECONDS = 60 * 60;
const MOST_SEED_BYTES = 32;

/** 7.5 */
const accountCreate: OperationRules = {
  feeAccount: (body) => body.text('creator'),
  fee: 'creation',
  authorities: (body) => ({ active: [body.text('creator')] }),
  impacts: (body) => [nameOfSeed(body.text('name_seed')), body.text('creator')],
  validate(body, { rules }) {
    if (!rules.anyBytesAsTexts) require(body.text('name_seed').isWellFormed(), 'seed is no UTF-8');
    checkNames(body.authority('owner'), rules);
    checkNames(body.authority('active'), rules);
    checkMetadata(body.text('json_metadata'));
  },
  apply(body, state) {
    const creator = body.text('creator');
    checkKnown(state, creator);
    const paid = inCoins(state, body.asset('fee'));
    if (state.hasHardfork(1)) require(byteLength(body.text('name_seed')) <= MOST_SEED_BYTES, 'Name seed is too large');
    require(state.account(creator).balance >= paid, 'Insufficient balance to create account.');
    const required = state.parameters.isPrivate ? 0n : state.schedule.creationFee.amount;
    require(paid >= required, 'Insufficient Fee');
    checkAccountsExist(state, body.authority('owner'));
    checkAccountsExist(state, body.authority('active'));
    const name = nameOfSeed(body.text('name_seed'));
    require(!state.accounts.has(name), 'uniqueness');
    addAccount(state, name, body);
    if (required > 0n) payFee(state, creator, required);
    adjustBalance(state, creator, required - paid);
    adjustBalance(state, name, paid - required);
  },
};

function addAccount(state: State, name: string, body: Body): void {
  state.accounts.set(name, {
    id: state.nextId('account'),
    name,
    memoKey: body.key('memo_key'),
    metadata: body.text('json_metadata'),
    proxy: '',
    lastUpdate: 0,
    holdings: 0n,
    created: state.headTime,
    mined: false,
    recoveryAccount: body.text('creator'),
    resetAccount: 'none',
    lastRecovery: 0,
    balance: 0n,
    vesting: 0n,
    withdrawRate: 0n,
    nextWithdrawal: NEVER,
    withdrawn: 0n,
    toWithdraw: 0n,
    proxied: [0n, 0n, 0n, 0n],
    votesCast: 0,
    owner: body.authority('owner'),
    active: body.authority('active'),
    lastOwnerUpdate: 0,
    lastActivity: state.headTime,
    buckets: new Map(),
    growth: state.economy.growth,
  });
  indexNewKeys(state, name, []);
}

function checkOwnerUpdate(state: State, name: string): void {
  require(state.headTime - state.account(name).lastOwnerUpdate >
    OWNER_UPDATE_SECONDS, 'Owner authority can only be updated once an hour.');
}

/** 7.6 */
const accountUpdate: OperationRules = {
  feeAccount: (body) => body.text('account'),
  authorities(body) {
    const account = [body.text('account')];
    return body.has('owner') || body.has('active') ? { owner: account } : { active: account };
  },
  validate: (body) => checkMetadata(body.text('json_metadata')),
  apply(body, state) {
    const name = body.text('account');
    require(name !== 'temp', 'Cannot update temp account.');
    checkKnown(state, name);
    const before = presentKeys(state, name);
    if (body.has('owner')) {
      checkOwnerUpdate(state, name);
      checkAccountsExist(state, body.authority('owner'));
      changeOwner(state, name, body.authority('owner'));
    }
    if (body.has('active')) {
      checkAccountsExist(state, body.authority('active'));
      state.changeAccount(name, { active: body.authority('active') });
    }
    if (body.key('memo_key') !== NULL_KEY) state.changeAccount(name, { memoKey: body.key('memo_key') });
    if (body.text('json_metadata') !== '') state.changeAccount(name, { metadata: body.text('json_metadata') });
    state.changeAccount(name, { lastUpdate: state.headTime });
    indexNewKeys(state, name, before);
  },
};

/** 7.7 */
const accountDelete: OperationRules = {
  feeAccount: (body) => body.text('account'),
  authorities: (body) => ({ owner: [body.text('account')] }),
  apply(body, state) {
    const name = body.text('account');
    require(name !== 'temp', 'Cannot update temp account.');
    checkKnown(state, name);
    checkOwnerUpdate(state, name);
    const before = presentKeys(state, name);
    changeOwner(state, name, ofKey(NULL_KEY));
    state.changeAccount(name, {
      active: ofKey(NULL_KEY),
      memoKey: NULL_KEY,
      lastUpdate: state.headTime,
      metadata: '{"deleted_account"}',
    });
    if (state.rules.keyIndexIsComplete) indexNewKeys(state, name, before);
  },
};

/** 7.10 */
const resetAccount: OperationRules = {
  feeAccount: (body) => body.text('reset_account'),
  authorities: (body) => ({ active: [body.text('reset_account')] }),
  validate(body, { rules }) {
    const authority = body.authority('new_owner_authority');
    require(!isImpossible(authority), 'new owner authority cannot be impossible');
    require(authority.threshold > 0, 'new owner authority cannot be trivial');
    checkNames(authority, rules);
  },
  apply(body, state) {
    const name = body.text('account_to_reset');
    const account = state.account(name);
    require(account.resetAccount ===
      body.text('reset_account'), 'Reset account does not match reset account on account.');
    require(state.headTime >= account.lastActivity + state.rules.resetAfterSeconds, 'account was active lately');
    if (state.rules.anyNameInAuthorities) checkAccountsExist(state, body.authority('new_owner_authority'));
    const before = presentKeys(state, name);
    changeOwner(state, name, body.authority('new_owner_authority'));
    if (state.rules.keyIndexIsComplete) indexNewKeys(state, name, before);
  },
};

/** 7.10 */
const setResetAccount: OperationRules = {
  feeAccount: (body) => body.text('account'),
  authorities: (body) => (body.text('current_reset_account') === '' ? {} : { owner: [body.text('account')] }),
  validate: (body) =>
    require(body.text('current_reset_account') !==
      body.text('reset_account'), 'new reset account cannot be current reset account'),
  apply(body, state) {
    checkKnown(state, body.text('account'), body.text('reset_account'));
    const present = state.account(body.text('account')).resetAccount;
    require(present ===
      body.text('current_reset_account'), 'Current reset account does not match reset account on account.');
    require(present !== body.text('reset_account'), 'Reset account must change');
    state.changeAccount(body.text('account'), { resetAccount: body.text('reset_account') });
  },
};

export const accountOperations: OperationTable = {
  account_create: accountCreate,
  account_update: accountUpdate,
  account_delete: accountDelete,
  reset_account: resetAccount,
  set_reset_account: setResetAccount,
};
