import type { CallSignal } from './abort.ts';
import type { Json } from '../codec/json.ts';
import { member } from './chain_of_node.ts';
import type { Result } from '../rpc/method_types.ts';
import type { Shape } from './plain_values.ts';
import type { Operation } from './transaction.ts';
import { unheard } from './unheard.ts';

/** The start of following, and the level at which items are told. */
export interface FollowOptions {
  /** The position after which to go on, of any item of any of these kinds, heard from any node of the chain. */
  readonly resume?: string | undefined;
  /** Without `resume`: the first block that is wanted; what comes from now on when left out. */
  readonly startBlock?: number | undefined;
  /**
   * `head`, unless said: as soon as a block has it, and `undone` may take it back. `irreversible`: when nothing can
   * undo it. `pending`: as `head`, and before that what the node has accepted for a block to come.
   */
  readonly level?: 'pending' | 'head' | 'irreversible' | undefined;
  /**
   * The reaction to an item that can't be read: `stop`, the default, ends in `failed`; `skip` calls `unreadable` and
   * continues behind it.
   */
  readonly unreadable?: 'stop' | 'skip' | undefined;
  /**
   * Ends the subscription: nothing more is heard. The call rejects with the signal's reason where no node has accepted it.
   */
  readonly signal?: CallSignal | undefined;
}

/** Which operations are followed: those of these accounts, of these kinds, or both; all when neither is said. */
export interface OperationOptions extends FollowOptions {
  readonly accounts?: readonly string[] | undefined;
  readonly kinds?: readonly Operation[0][] | undefined;
}

/** A block; `block_api.get_block` has the rest of it. */
export interface FollowedBlock {
  readonly number: number;
  readonly id: string;
  readonly previous: string;
  readonly timestamp: string;
  readonly witness: string;
  readonly transaction_count: number;
}

/** An operation and its place in the chain, as histories have it. */
export type FollowedOperation = Result<'account_history_api.get_ops_in_block'>['ops'][number];

/**
 * An operation of a transaction that waits for a block: which one of the transaction it is, and when that is good for
 * nothing any more.
 */
export type PendingOperation = Pick<FollowedOperation, 'trx_id' | 'op_in_trx' | 'op' | 'fee_payer'> & {
  readonly expiration: string;
};

/** A transaction that waits for a block. */
export interface PendingTransaction {
  readonly trx_id: string;
  readonly expiration: string;
  readonly operation_count: number;
}

/** A transaction that no block has, and that the node doesn't wait with any more. */
export interface DroppedTransaction {
  readonly trx_id: string;
  readonly expiration: string;
}

/** The reason for dropping it: a stable name, and a sentence. */
export interface DropReason {
  readonly name: string;
  readonly message: string;
}

type Transfer = Extract<Operation, readonly ['transfer', unknown]>[1];

/** A transfer and its place in the chain. */
export type FollowedTransfer = Transfer & Pick<FollowedOperation, 'trx_id' | 'block' | 'timestamp'>;

/** A transfer that waits for a block. */
export type PendingTransfer = Transfer & Pick<PendingOperation, 'trx_id' | 'expiration'>;

/** The balance of an account; without members when the account does not exist. */
export interface FollowedBalance {
  readonly account: string;
  readonly balance?: string;
  readonly vesting_shares?: string;
}

/**
 * Calls of every listener besides its items. Whatever is thrown while it listens ends the subscription, and comes to
 * `failed`; where there is none, nobody catches it.
 */
interface ChainListener {
  /**
   * Another branch has replaced the blocks above this one: what was heard of them is not so, and what now is follows.
   */
  undone(block: { readonly number: number; readonly id: string }, position: string): void;
  /** This program reads more slowly than the chain goes on. Nothing is lost; what follows comes later. */
  behind?(position: string): void;
  /**
   * Nothing comes for this reason, such as a node that has not come as far as the position to resume from; it is asked
   * again until it has.
   */
  stalled?(error: unknown): void;
  /** An item was left out because it can't be read; the error says where it stands. */
  unreadable?(error: unknown, position: string): void;
  /** The node refused, sent something unreadable, or a listener has thrown; nothing more follows. */
  failed?(error: unknown): void;
}

/**
 * Further calls at level `pending`. Nothing of it has a position, and nothing is heard of it twice: what came while the
 * connection was lost, or behind `behind`, shows in a block, or is void when it expires.
 */
interface WaitingListener extends ChainListener {
  /**
   * The node has dropped a transaction that waited for a block; sent again, it may still get into one until it expires.
   */
  dropped?(transaction: DroppedTransaction, reason: DropReason): void;
  /** So many transactions came too fast to be told that they wait, or are dropped. */
  missed?(count: number): void;
}

/** Hears blocks. */
export interface BlockListener extends WaitingListener {
  block(block: FollowedBlock, position: string): void;
  pendingTransaction?(transaction: PendingTransaction): void;
}

/** Hears operations. */
export interface OperationListener extends WaitingListener {
  operation(operation: FollowedOperation, position: string): void;
  pending?(operation: PendingOperation): void;
}

/** Hears transfers. */
export interface TransferListener extends WaitingListener {
  transfer(transfer: FollowedTransfer, position: string): void;
  pending?(transfer: PendingTransfer): void;
}

/** Hears balances. */
export interface BalanceListener extends ChainListener {
  balance(balance: FollowedBalance, position: string): void;
}

/** The subscription to ask a node for, and its listener. */
export interface FollowTarget {
  readonly method: string;
  readonly params: { readonly [member: string]: Json };
  readonly resume: string | undefined;
  take(type: string, item: Json, position: string): void;
  /** Takes what no block has: an item without a position. */
  takeWaiting(type: string, item: Json): void;
  /** True to leave out an item that can't be read; otherwise it ends the subscription. */
  readonly skipsUnreadable?: boolean;
  unreadable?(error: unknown, position: string): void;
  stalled?(error: unknown): void;
  failed(error: unknown): void;
}

/** Takes an item of one kind of following; those of all kinds are not its concern. */
interface OwnItems {
  take(type: string, item: Json, position: string): void;
  takeWaiting?(type: string, item: Json): void;
}

/** Shows a part of a notice as programs see it. */
export type ShowItem = (json: Json, shape: Shape) => unknown;

const BALANCE_SHAPE = { balance: 'amount', vesting_shares: 'amount' } as const;

const WAITING: ReadonlySet<string> = new Set(['pending', 'pending_transaction', 'dropped', 'missed']);

/** True when items of that type belong to transactions without a block: they have no position. */
export function isWaiting(type: string): boolean {
  return WAITING.has(type);
}

export function blockTarget(listener: BlockListener, options: FollowOptions): FollowTarget {
  return target('subscribe_blocks', followParams(options), options, listener, {
    take(type, item, position) {
      if (type === 'block') listener.block(readBlock(item), position);
    },
    takeWaiting(type, item) {
      if (type === 'pending_transaction') listener.pendingTransaction?.(readPendingTransaction(item));
    },
  });
}

/** `shape` is that of an operation and its place. */
export function operationTarget(
  listener: OperationListener,
  options: OperationOptions,
  show: ShowItem,
  shape: Shape,
): FollowTarget {
  const { accounts, kinds } = options;
  const filter = { ...(accounts && { accounts: [...accounts] }), ...(kinds && { kinds: [...kinds] }) };
  return target('subscribe_operations', { ...followParams(options), ...filter }, options, listener, {
    take(type, item, position) {
      if (type === 'operation') listener.operation(readOperation(item, show, shape), position);
    },
    takeWaiting(type, item) {
      if (type === 'pending') listener.pending?.(readPendingOperation(item, show, shape));
    },
  });
}

/** The operations of a listener of transfers: those that the account sent or received. */
export function transferListener(listener: TransferListener): OperationListener {
  return {
    operation({ op: [kind, body], trx_id, block, timestamp }, position) {
      if (kind === 'transfer') listener.transfer({ ...body, trx_id, block, timestamp }, position);
    },
    pending({ op: [kind, body], trx_id, expiration }) {
      if (kind === 'transfer') listener.pending?.({ ...body, trx_id, expiration });
    },
    dropped: (transaction, reason) => listener.dropped?.(transaction, reason),
    missed: (count) => listener.missed?.(count),
    undone: (block, position) => listener.undone(block, position),
    behind: (position) => listener.behind?.(position),
    stalled: (error) => listener.stalled?.(error),
    unreadable: (error, position) => listener.unreadable?.(error, position),
    failed: (error) => tellFailure(listener, error),
  };
}

export function balanceTarget(
  listener: BalanceListener,
  account: string,
  options: FollowOptions,
  show: ShowItem,
): FollowTarget {
  return target('subscribe_balances', { account_name: account }, options, listener, {
    take(type, item, position) {
      if (type === 'balance') listener.balance(readBalance(item, show), position);
    },
  });
}

function followParams({ startBlock, level }: FollowOptions): FollowTarget['params'] {
  return {
    ...(startBlock === undefined ? {} : { start_block: startBlock }),
    ...(level === undefined ? {} : { level }),
  };
}

function target(
  method: string,
  params: FollowTarget['params'],
  { resume, unreadable }: FollowOptions,
  listener: WaitingListener,
  own: OwnItems,
): FollowTarget {
  return {
    method: `subscribe_api.${method}`,
    params,
    resume,
    take(type, item, position) {
      if (type === 'undone') listener.undone(readBlock(item), position);
      else if (type === 'behind') listener.behind?.(position);
      else own.take(type, item, position);
    },
    takeWaiting(type, item) {
      if (type === 'dropped') listener.dropped?.(readPendingTransaction(item), readDropReason(item));
      else if (type === 'missed') listener.missed?.(Number(getMember(item, 'count')));
      else own.takeWaiting?.(type, item);
    },
    skipsUnreadable: unreadable === 'skip',
    unreadable: (error, position) => listener.unreadable?.(error, position),
    stalled: (error) => listener.stalled?.(error),
    failed: (error) => tellFailure(listener, error),
  };
}

function tellFailure(listener: ChainListener, error: unknown): void {
  if (listener.failed === undefined) unheard(error);
  else listener.failed(error);
}

function readBlock(item: Json): FollowedBlock;
function readBlock(item: Json): unknown {
  return getMember(item, 'block');
}

function readOperation(item: Json, show: ShowItem, shape: Shape): FollowedOperation;
function readOperation(item: Json, show: ShowItem, shape: Shape): unknown {
  return show(getMember(item, 'operation'), shape);
}

function readPendingOperation(item: Json, show: ShowItem, shape: Shape): PendingOperation;
function readPendingOperation(item: Json, show: ShowItem, shape: Shape): unknown {
  return show(getMember(item, 'operation'), shape);
}

function readPendingTransaction(item: Json): PendingTransaction;
function readPendingTransaction(item: Json): unknown {
  return getMember(item, 'transaction');
}

function readDropReason(item: Json): DropReason;
function readDropReason(item: Json): unknown {
  return getMember(item, 'error');
}

function readBalance(item: Json, show: ShowItem): FollowedBalance;
function readBalance(item: Json, show: ShowItem): unknown {
  return show(getMember(item, 'balance'), BALANCE_SHAPE);
}

function getMember(item: Json, name: string): Json {
  return member(item, name) ?? null;
}
