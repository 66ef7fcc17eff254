import type { OperationKind } from '../operations/operation.ts';
import type { Subscriber } from '../jsonrpc/limits/subscriber.ts';
import type { AccountName } from '../values/account_name.ts';
import type { HistoryWalk } from '../queries/notices/history_walk.ts';
import { positionNumber, type Position } from '../queries/notices/position.ts';

/**
 * When something is told: when a block has it, or when nothing can undo that block any more. `pending` is `head`, and
 * before that what this node has accepted for a block to come.
 */
export type Level = 'pending' | 'head' | 'irreversible';

/** The subject of a subscription. */
export type Subject =
  | { readonly kind: 'blocks'; readonly level: Level }
  | {
      readonly kind: 'operations';
      readonly level: Level;
      /** All kinds where it is undefined. */
      readonly kinds: ReadonlySet<OperationKind> | undefined;
      /** All accounts where it is undefined. */
      readonly accounts: ReadonlySet<AccountName> | undefined;
      /** True to tell each block after all of its operations, when all kinds and accounts are followed. */
      readonly withBlocks: boolean;
    }
  | { readonly kind: 'balances'; readonly level: 'head'; readonly account: AccountName };

/** One for equal subjects: subjects with the same key are the same. */
export function subjectKey(subject: Subject): string {
  const { kind, level } = subject;
  if (kind === 'operations' && subject.withBlocks) return `whole_blocks ${level}`;
  if (kind === 'blocks') return `${kind} ${level}`;
  if (kind === 'balances') return `${kind} ${subject.account}`;
  const kinds = subject.kinds === undefined ? '*' : [...subject.kinds].map(({ name }) => name).toSorted();
  const accounts = subject.accounts === undefined ? '*' : [...subject.accounts].toSorted();
  return `${kind} ${level} ${kinds.toString()} ${accounts.toString()}`;
}

/** A subject with its followers: equal subscriptions share one, and each notice is written once for all of them. */
export class Stream {
  readonly key: string;
  readonly subject: Subject;
  /** Those that have been told everything so far. */
  readonly live = new Set<Following>();
  /** All subscriptions, those that catch up included. */
  size = 0;

  constructor(subject: Subject) {
    this.key = subjectKey(subject);
    this.subject = subject;
  }
}

/** One subscription. */
export class Following {
  readonly subscriber: Subscriber;
  readonly stream: Stream;
  /** JSON text. */
  readonly returnId: string;
  /** The position up to which it was told, while it catches up. */
  position: Position;
  /** The last block that it was told of, or whose position it has: what undoes that is told. */
  lastNumber: number;
  /** When it was last seen to take something. */
  movedMs: number;
  /** The walk through its accounts' histories. */
  walk: HistoryWalk | undefined;

  constructor(subscriber: Subscriber, stream: Stream, returnId: string, position: Position, nowMs: number) {
    this.subscriber = subscriber;
    this.stream = stream;
    this.returnId = returnId;
    this.position = position;
    this.lastNumber = positionNumber(position);
    this.movedMs = nowMs;
  }

  /** Sends one notice of these items. */
  send(items: string): void {
    this.subscriber.push(makeFrame(this.returnId, items));
  }
}

export function makeFrame(returnId: string, items: string): string {
  return `{"method":"notice","params":[${returnId},[${items}]]}`;
}

/** A request of a connection to be told of blocks, operations or a balance. */
export interface ChainRequest {
  readonly subscriber: Subscriber;
  /** Chosen by the client; included in each notice, as JSON. */
  readonly returnId: string;
  readonly subject: Subject;
  /** Notices up to this position are not repeated. */
  readonly resume: Position | undefined;
  /** The first block that is wanted, where there is no position; from now on when undefined. */
  readonly start: number | undefined;
}
