import type { CommittedState } from '../queries/committed_state.ts';
import type { EncodingOptions } from '../codec/encoding_options.ts';
import { coins, vests, type ChainParameters } from '../state/parameters.ts';
import { accounts } from '../state/tables/account.ts';
import { dynamicGlobalProperties } from '../state/tables/dynamic_global_property.ts';
import type { AccountName } from '../values/account_name.ts';
import { noticeText } from '../queries/notices/chain_notices.ts';
import type { Delivery } from './deliveries.ts';
import { positionNumber, type Position } from '../queries/notices/position.ts';
import type { Following, Stream } from './stream.ts';

/** Accounts read at once. */
const ACCOUNTS_AT_ONCE = 100;

/** The balances of an account; both undefined when the account does not exist. */
interface Holdings {
  readonly balance: bigint | undefined;
  readonly vesting: bigint | undefined;
}

/**
 * Balances of followed accounts. Rows are those of the head alone, so a balance is told as of the head, when all blocks
 * up to it were looked through: of several changes between two looks the last.
 */
export class BalanceWatch {
  readonly #rows: CommittedState;
  readonly #parameters: ChainParameters;
  readonly #encoding: EncodingOptions;
  /** The balances that were told last. */
  readonly #told = new WeakMap<Stream, Holdings>();
  /** Streams whose account a block has changed, and those of `#owed`. */
  readonly #touched = new Set<Stream>();
  /** Subscriptions that are owed a balance, whatever was told last. */
  readonly #owed = new WeakSet<Following>();

  constructor(rows: CommittedState, parameters: ChainParameters, encoding: EncodingOptions) {
    this.#rows = rows;
    this.#parameters = parameters;
    this.#encoding = encoding;
  }

  /** It is told the balance at the next look, whether that has changed or not. */
  welcome(following: Following): void {
    this.#owed.add(following);
    this.touch(following.stream);
  }

  /** Its account may have another balance. */
  touch(stream: Stream): void {
    this.#touched.add(stream);
  }

  /**
   * Returns deliveries for touched streams, as of that position. Undefined when none were, or it isn't the head any
   * more.
   */
  changes(position: Position): Delivery[] | undefined {
    const streams = [...this.#touched].slice(0, ACCOUNTS_AT_ONCE);
    if (streams.length === 0) return undefined;
    const found = this.#rows.consistentRead(() => this.#read(streams, position));
    if (found === undefined) return undefined;
    return streams.flatMap((stream, k) => this.#balanceDeliveries(stream, found[k] ?? nothing, position));
  }

  #read(streams: readonly Stream[], { block }: Position): readonly Holdings[] | undefined {
    if (this.#rows.only(dynamicGlobalProperties).head_block_id !== block) return undefined;
    const read = this.#rows.getMany(accounts, streams.map(streamAccount));
    return read.map((row) => ({ balance: row?.balance, vesting: row?.vesting_shares }));
  }

  #balanceDeliveries(stream: Stream, now: Holdings, position: Position): Delivery[] {
    this.#touched.delete(stream);
    const before = this.#told.get(stream);
    const hasChanged = before === undefined || before.balance !== now.balance || before.vesting !== now.vesting;
    const to = [...stream.live].filter((following) => this.#owed.delete(following) || hasChanged);
    if (to.length === 0) return [];
    this.#told.set(stream, now);
    return [
      {
        items: this.#text(streamAccount(stream), now, position),
        to: to.values(),
        before: position,
        number: positionNumber(position),
      },
    ];
  }

  #text(account: AccountName, { balance, vesting }: Holdings, position: Position): string {
    const shown = {
      account,
      balance: balance === undefined ? undefined : coins(this.#parameters, balance),
      vesting_shares: vesting === undefined ? undefined : vests(this.#parameters, vesting),
    };
    return noticeText('balance', { position, balance: shown }, this.#encoding);
  }
}

const nothing: Holdings = { balance: undefined, vesting: undefined };

function streamAccount({ subject }: Stream): AccountName {
  return subject.kind === 'balances' ? subject.account : '';
}
