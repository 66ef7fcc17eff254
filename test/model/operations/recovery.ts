import { effectiveRecoveryAccount, applyRecoveryAccount, pendingRequest, usableHistories } from '../due.ts';
import { indexNewKeys, presentKeys } from '../key_index.ts';
import { changeOwner } from '../owner_change.ts';
import { refuse, require } from '../refusal.ts';
import { byVoteName } from '../schedule_order.ts';
import type { State } from '../state.ts';
import { DAY, isImpossible, sameAuthority } from '../values.ts';
import type { OperationRules, OperationTable } from './operation.ts';
import { checkAccountsExist, checkDue, checkKnown, checkNames } from './validation.ts';

const RECOVERY_LIMIT_SECONDS = 60 * 60;
const CHANGE_SECONDS = 30 * DAY;
const IMPOSSIBLE = 'Cannot recover using an impossible authority.';

/** 7.10 */
const requestAccountRecovery: OperationRules = {
  feeAccount: (body) => body.text('recovery_account'),
  authorities: (body) => ({ active: [body.text('recovery_account')] }),
  impacts: (body) => [body.text('account_to_recover'), body.text('recovery_account')],
  validate: (body, { rules }) => checkNames(body.authority('new_owner_authority'), rules),
  apply(body, state) {
    const account = body.text('account_to_recover');
    const authority = body.authority('new_owner_authority');
    checkKnown(state, account);
    checkPartner(state, account, body.text('recovery_account'));
    const request = pendingRequest(state, account);
    const expires = state.headTime + DAY;
    if (request === undefined) {
      require(!isImpossible(authority), IMPOSSIBLE);
      require(authority.threshold > 0, 'Cannot recover using an open authority.');
      checkAccountsExist(state, authority);
      checkDue(state.parameters, expires);
      state.requests.set(account, { id: state.nextId('request'), account, authority, expires });
    } else if (authority.threshold === 0) {
      state.requests.delete(account);
    } else {
      require(!isImpossible(authority), IMPOSSIBLE);
      checkAccountsExist(state, authority);
      checkDue(state.parameters, expires);
      state.requests.set(account, { ...request, authority, expires });
    }
  },
};

function checkPartner(state: State, account: string, recoveryAccount: string): void {
  const partner = effectiveRecoveryAccount(state, account);
  if (partner !== '')
    require(partner === recoveryAccount, 'Cannot recover an account that does not have you as there recovery partner.');
  else {
    const [top] = byVoteName(state);
    require(top?.owner === recoveryAccount, 'Top witness must recover an account with no recovery partner.');
  }
}

/** 7.10 */
const recoverAccount: OperationRules = {
  feeAccount: (body) => body.text('account_to_recover'),
  authorities: (body) => ({ other: [body.authority('new_owner_authority'), body.authority('recent_owner_authority')] }),
  impacts: (body) => [body.text('account_to_recover')],
  validate(body, { rules }) {
    const [offered, recent] = [body.authority('new_owner_authority'), body.authority('recent_owner_authority')];
    require(!sameAuthority(offered, recent), 'Cannot set new owner authority to the recent owner authority');
    require(!isImpossible(offered), 'new owner authority cannot be impossible');
    require(!isImpossible(recent), 'recent owner authority cannot be impossible');
    require(offered.threshold > 0, 'new owner authority cannot be trivial');
    checkNames(offered, rules);
    checkNames(recent, rules);
  },
  apply(body, state) {
    const name = body.text('account_to_recover');
    const account = state.account(name);
    const [offered, recent] = [body.authority('new_owner_authority'), body.authority('recent_owner_authority')];
    require(state.headTime - account.lastRecovery >
      RECOVERY_LIMIT_SECONDS, 'Owner authority can only be updated once an hour.');
    const request = pendingRequest(state, name) ?? refuse('There are no active recovery requests for this account.');
    require(sameAuthority(request.authority, offered), 'New owner authority does not match recovery request.');
    require(usableHistories(state, name).some(({ authority }) =>
      sameAuthority(authority, recent),
    ), 'Recent authority not found in authority history.');
    const before = presentKeys(state, name);
    state.requests.delete(name);
    changeOwner(state, name, offered);
    // Former and new owner have signed, so the account has been active.
    state.changeAccount(name, { lastRecovery: state.headTime, lastActivity: state.headTime });
    indexNewKeys(state, name, before);
  },
};

/** 7.10 */
const changeRecoveryAccount: OperationRules = {
  feeAccount: (body) => body.text('account_to_recover'),
  authorities: (body) => ({ owner: [body.text('account_to_recover')] }),
  impacts: (body) => [body.text('account_to_recover')],
  apply(body, state) {
    const [account, recoveryAccount] = [body.text('account_to_recover'), body.text('new_recovery_account')];
    checkKnown(state, recoveryAccount, account);
    applyRecoveryAccount(state, account);
    const effectiveOn = state.headTime + CHANGE_SECONDS;
    const present = state.recoveryChanges.get(account);
    if (present === undefined) {
      checkDue(state.parameters, effectiveOn);
      state.recoveryChanges.set(account, { id: state.nextId('recoveryChange'), account, recoveryAccount, effectiveOn });
    } else if (state.account(account).recoveryAccount === recoveryAccount) {
      state.recoveryChanges.delete(account);
    } else {
      checkDue(state.parameters, effectiveOn);
      state.recoveryChanges.set(account, { ...present, recoveryAccount, effectiveOn });
    }
  },
};

export const recoveryOperations: OperationTable = {
  request_account_recovery: requestAccountRecovery,
  recover_account: recoverAccount,
  change_recovery_account: changeRecoveryAccount,
};
