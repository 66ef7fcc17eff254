import { present } from '../../base/assert.ts';
import { escrowApprove } from '../../operations/escrow_approve.ts';
import { escrowDispute } from '../../operations/escrow_dispute.ts';
import { escrowRelease } from '../../operations/escrow_release.ts';
import { escrowTransfer } from '../../operations/escrow_transfer.ts';
import { operationBody, type Operation } from '../../operations/operation.ts';
import { transfer } from '../../operations/transfer.ts';
import { transferToVesting } from '../../operations/transfer_to_vesting.ts';
import { fillVestingWithdraw } from '../../operations/virtual/fill_vesting_withdraw.ts';
import { interest } from '../../operations/virtual/interest.ts';
import { producerReward } from '../../operations/virtual/producer_reward.ts';
import { promotionPoolWithdraw } from '../../operations/virtual/promotion_pool_withdraw.ts';
import type { BookedEscrow, EscrowBook } from './escrow_book.ts';

/** An operation's changes of balances, in units of the smallest coin and share. */
export interface Moves {
  coins(account: string, change: bigint): void;
  shares(account: string, change: bigint): void;
  /** An escrow behind the operation; `isOpen` false where it has ended. */
  escrow(escrow: BookedEscrow, isOpen: boolean): void;
}

type Mover = (
  operation: Operation,
  moves: Moves,
  book: EscrowBook,
  coinSymbol: string,
  at: readonly [number, number],
) => void;

/** By kind. Kinds that aren't here move nothing but their fee. */
const movers = new Map<string, Mover>([
  [
    transfer.name,
    (operation, moves) => {
      const { from, to, amount } = given(operationBody(transfer, operation));
      moves.coins(from, -amount.amount);
      moves.coins(to, amount.amount);
    },
  ],
  [
    transferToVesting.name,
    (operation, moves) => {
      const { from, to, amount } = given(operationBody(transferToVesting, operation));
      moves.coins(from, -amount.amount);
      moves.shares(to === '' ? from : to, amount.amount);
    },
  ],
  [
    fillVestingWithdraw.name,
    (operation, moves) => {
      const { from_account, to_account, withdrawn, deposited } = given(operationBody(fillVestingWithdraw, operation));
      moves.shares(from_account, -withdrawn.amount);
      moves.coins(to_account, deposited.amount);
    },
  ],
  [
    interest.name,
    (operation, moves, _book, coinSymbol) => {
      const { owner, interest: paid } = given(operationBody(interest, operation));
      if (paid.symbol === coinSymbol) moves.coins(owner, paid.amount);
      else moves.shares(owner, paid.amount);
    },
  ],
  [
    producerReward.name,
    (operation, moves) => {
      const { producer, vesting_shares } = given(operationBody(producerReward, operation));
      moves.shares(producer, vesting_shares.amount);
    },
  ],
  [
    promotionPoolWithdraw.name,
    (operation, moves) => {
      const { to_account, withdrawn } = given(operationBody(promotionPoolWithdraw, operation));
      moves.coins(to_account, withdrawn.amount);
    },
  ],
  [escrowTransfer.name, openEscrow],
  [escrowApprove.name, approveEscrow],
  [
    escrowDispute.name,
    (operation, moves, book) => {
      const { from, escrow_id } = given(operationBody(escrowDispute, operation));
      moves.escrow({ ...booked(book, from, escrow_id), disputed: true }, true);
    },
  ],
  [
    escrowRelease.name,
    (operation, moves, book) => {
      const { from, escrow_id, receiver, coin_amount } = given(operationBody(escrowRelease, operation));
      const escrow = booked(book, from, escrow_id);
      const coinBalance = escrow.coinBalance - coin_amount.amount;
      moves.coins(receiver, coin_amount.amount);
      moves.escrow({ ...escrow, coinBalance }, coinBalance > 0n);
    },
  ],
]);

/** Tells what an operation moves, its fee apart. `at` is its place: block and number there. */
export function tellMoves(
  operation: Operation,
  moves: Moves,
  book: EscrowBook,
  coinSymbol: string,
  at: readonly [number, number],
): void {
  movers.get(operation.kind.name)?.(operation, moves, book, coinSymbol, at);
}

/** Tells that an escrow goes back to its sender. */
export function refundEscrow(escrow: BookedEscrow, moves: Moves): void {
  moves.coins(escrow.from, escrow.coinBalance + escrow.pendingFee);
  moves.escrow({ ...escrow, coinBalance: 0n, pendingFee: 0n }, false);
}

function openEscrow(...[operation, moves, , , openedAt]: Parameters<Mover>): void {
  const body = given(operationBody(escrowTransfer, operation));
  moves.coins(body.from, -(body.coin_amount.amount + body.escrow_fee.amount));
  const { from, to, agent, escrow_id: escrowId, ratification_deadline, escrow_expiration } = body;
  const [coinBalance, pendingFee] = [body.coin_amount.amount, body.escrow_fee.amount];
  const nobodyYet = { toApproved: false, agentApproved: false, disputed: false };
  const until = { ratificationDeadline: ratification_deadline, escrowExpiration: escrow_expiration };
  moves.escrow({ from, to, agent, escrowId, coinBalance, pendingFee, ...nobodyYet, ...until, openedAt }, true);
}

function approveEscrow(...[operation, moves, book]: Parameters<Mover>): void {
  const { from, escrow_id, who, approve } = given(operationBody(escrowApprove, operation));
  const escrow = booked(book, from, escrow_id);
  if (!approve) return refundEscrow(escrow, moves);
  const approved = who === escrow.to ? { ...escrow, toApproved: true } : { ...escrow, agentApproved: true };
  if (!approved.toApproved || !approved.agentApproved) return moves.escrow(approved, true);
  moves.coins(escrow.agent, escrow.pendingFee);
  moves.escrow({ ...approved, pendingFee: 0n }, true);
}

function booked(book: EscrowBook, from: string, escrowId: number): BookedEscrow {
  return present(book.get(from, escrowId), `escrow ${from}/${escrowId}`);
}

function given<B>(body: B | undefined): B {
  return present(body, 'a body of its kind');
}
