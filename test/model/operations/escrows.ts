import type { Body } from '../body.ts';
import { adjustBalance } from '../money.ts';
import type { Escrow } from '../records.ts';
import { known, require } from '../refusal.ts';
import { pairKey, type State } from '../state.ts';
import { COIN } from '../values.ts';
import type { OperationRules, OperationTable } from './operation.ts';
import { checkDue, checkKnown, checkMetadata } from './validation.ts';

const common = {
  feeAccount: (body: Body) => body.text('who'),
  fee: 'base',
  authorities: (body: Body) => ({ active: [body.text('who')] }),
  impacts: (body: Body) => [body.text('from'), body.text('to'), body.text('agent')],
  isPublicOnly: true,
} as const;

const requireEscrow = (state: State, body: Body): Escrow =>
  known(state.escrows.get(pairKey(body.text('from'), body.number('escrow_id'))));

function change(state: State, { from, escrowId, ...rest }: Escrow, changes: Partial<Escrow>): void {
  state.escrows.set(pairKey(from, escrowId), { ...rest, from, escrowId, ...changes });
}

function remove(state: State, { from, escrowId }: Escrow): void {
  state.escrows.delete(pairKey(from, escrowId));
}

/** Amount and pending fee return to whom they came from. */
export function refundEscrow(state: State, escrow: Escrow): void {
  adjustBalance(state, escrow.from, escrow.balance);
  adjustBalance(state, escrow.from, escrow.pendingFee);
  remove(state, escrow);
}

function checkParties(escrow: Escrow, body: Body): void {
  require(escrow.to === body.text('to'), "Operation 'to' does not match escrow 'to'.");
  require(escrow.agent === body.text('agent'), "Operation 'agent' does not match escrow 'agent'.");
}

/** 7.11 */
const escrowTransfer: OperationRules = {
  ...common,
  feeAccount: (body) => body.text('from'),
  authorities: (body) => ({ active: [body.text('from')] }),
  validate(body, parameters) {
    const [fee, coins] = [body.asset('escrow_fee'), body.asset('coin_amount')];
    require(fee.amount >= 0n, 'fee cannot be negative');
    require(coins.amount > 0n, 'coin amount cannot be negative');
    require(body.text('agent') !== body.text('from') &&
      body.text('agent') !== body.text('to'), 'agent must be a third party');
    require(fee.symbol === COIN, 'fee must be COIN');
    require(coins.symbol === COIN, 'coin amount must contain COIN');
    const isInOrder = body.time('ratification_deadline') < body.time('escrow_expiration');
    require(isInOrder, 'ratification deadline must be before escrow expiration');
    checkDue(parameters, body.time('escrow_expiration'));
    checkMetadata(body.text('json_meta'));
  },
  apply(body, state) {
    const [from, to, agent] = [body.text('from'), body.text('to'), body.text('agent')];
    checkKnown(state, from, to, agent);
    const [deadline, expiration] = [body.time('ratification_deadline'), body.time('escrow_expiration')];
    require(deadline > state.headTime, 'The escorw ratification deadline must be after head block time.');
    require(expiration > state.headTime, 'The escrow expiration must be after head block time.');
    const [balance, pendingFee] = [body.asset('coin_amount').amount, body.asset('escrow_fee').amount];
    require(state.account(from).balance >= balance + pendingFee, 'Account cannot cover COIN costs of escrow.');
    const escrowId = body.number('escrow_id');
    const key = pairKey(from, escrowId);
    require(!state.escrows.has(key), 'uniqueness');
    adjustBalance(state, from, -(balance + pendingFee));
    const parties = { from, to, agent, escrowId };
    const flags = { toApproved: false, agentApproved: false, disputed: false };
    state.escrows.set(key, {
      id: state.nextId('escrow'),
      ...parties,
      deadline,
      expiration,
      balance,
      pendingFee,
      ...flags,
    });
  },
};

/** 7.11 */
const escrowApprove: OperationRules = {
  ...common,
  validate: (body) =>
    require([body.text('to'), body.text('agent')].includes(body.text('who')), 'to or agent must approve escrow'),
  apply(body, state) {
    const escrow = requireEscrow(state, body);
    checkParties(escrow, body);
    require(escrow.deadline >=
      state.headTime, 'The escrow ratification deadline has passed-> Escrow can no longer be ratified->');
    const isTo = body.text('who') === escrow.to;
    if (isTo) require(!escrow.toApproved, "Account 'to' has already approved the escrow.");
    else require(!escrow.agentApproved, "Account 'agent' has already approved the escrow.");
    if (!body.flag('approve')) {
      refundEscrow(state, escrow);
      return;
    }
    const [toApproved, agentApproved] = [escrow.toApproved || isTo, escrow.agentApproved || !isTo];
    change(state, escrow, { toApproved, agentApproved });
    if (!toApproved || !agentApproved) return;
    adjustBalance(state, escrow.agent, escrow.pendingFee);
    change(state, escrow, { toApproved, agentApproved, pendingFee: 0n });
  },
};

/** 7.11 */
const escrowDispute: OperationRules = {
  ...common,
  validate: (body) =>
    require([body.text('from'), body.text('to')].includes(body.text('who')), 'who must be from or to'),
  apply(body, state) {
    checkKnown(state, body.text('from'));
    const escrow = requireEscrow(state, body);
    require(state.headTime < escrow.expiration, 'Disputing the escrow must happen before expiration.');
    require(escrow.toApproved &&
      escrow.agentApproved, 'The escrow must be approved by all parties before a dispute can be raised.');
    require(!escrow.disputed, 'The escrow is already under dispute.');
    checkParties(escrow, body);
    change(state, escrow, { disputed: true });
  },
};

/** 7.11 */
const escrowRelease: OperationRules = {
  ...common,
  validate(body) {
    const [from, to, agent] = [body.text('from'), body.text('to'), body.text('agent')];
    require([from, to, agent].includes(body.text('who')), 'who must be from or to or agent');
    require([from, to].includes(body.text('receiver')), 'receiver must be from or to');
    require(body.asset('coin_amount').amount > 0n, 'coin amount must be positive');
    require(body.asset('coin_amount').symbol === COIN, 'coin amount must contain COIN');
  },
  apply(body, state) {
    checkKnown(state, body.text('from'));
    const escrow = requireEscrow(state, body);
    const { amount } = body.asset('coin_amount');
    require(escrow.balance >= amount, 'Release amount exceeds escrow balance.');
    checkParties(escrow, body);
    checkReleaser(state, escrow, body.text('who'), body.text('receiver'));
    adjustBalance(state, body.text('receiver'), amount);
    if (escrow.balance === amount) remove(state, escrow);
    else change(state, escrow, { balance: escrow.balance - amount });
  },
};

function checkReleaser(state: State, escrow: Escrow, who: string, receiver: string): void {
  const { from, to, agent } = escrow;
  require(receiver === from || receiver === to, "Funds must be released to 'from' or 'to'");
  require(escrow.toApproved && escrow.agentApproved, 'Funds cannot be released prior to escrow approval.');
  if (escrow.disputed) {
    require(who === agent, "Only 'agent' can release funds in a disputed escrow.");
    return;
  }
  require(who === from || who === to, "Only 'from' and 'to' can release funds from a non-disputed escrow");
  if (escrow.expiration <= state.headTime) return;
  if (who === from) require(receiver === to, "Only 'from' can release funds to 'to'.");
  else require(receiver === from, "Only 'to' can release funds to 'from'.");
}

export const escrowOperations: OperationTable = {
  escrow_transfer: escrowTransfer,
  escrow_approve: escrowApprove,
  escrow_dispute: escrowDispute,
  escrow_release: escrowRelease,
};
