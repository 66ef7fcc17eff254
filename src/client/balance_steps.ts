import { parseAmount } from './amounts.ts';
import type { BlockTimes } from './block_times.ts';
import { secondsText, toSeconds } from './chain_time.ts';
import type { Client } from './index.ts';
import type { Operation } from './transaction.ts';

/** An entry of a history, as far as balances are concerned. */
export interface MoneyEntry {
  readonly block: number;
  readonly timestamp: string;
  readonly op: Operation;
  readonly fee_payer: string;
}

/** The account whose balance is counted, and the rules of its chain. */
export interface Counted {
  readonly account: string;
  readonly coin: string;
  /** True on private nets, where operations name fees that nobody pays. */
  readonly isFree: boolean;
}

/** A balance in millionths of a coin, from a time on. */
export interface BalanceStep {
  /** By the history: before the time of the block where that has a number. */
  readonly seconds: number;
  /** The block that made the step; undefined for both ends, and for what comes back at a deadline. */
  readonly block: number | undefined;
  readonly millionths: bigint;
}

/** A course of a balance, counted back from its last value. */
export interface BalanceCourse {
  /** Ascending; the last is the given balance. */
  readonly steps: readonly BalanceStep[];
  /** The kind of operation whose effect its entry does not tell: the course begins behind it. */
  readonly unknown: string | undefined;
}

/** An escrow as the entries that are given have left it. */
interface KnownEscrow {
  readonly from: string;
  readonly held: bigint;
  readonly fee: bigint;
  readonly deadline: string;
  readonly approved: ReadonlySet<string>;
}

/** The change of the balance at a time; undefined where the entry does not tell it. */
interface Change {
  readonly seconds: number;
  readonly block: number | undefined;
  readonly kind: string;
  readonly millionths: bigint | undefined;
}

const PARTIES = 2;
/** Each block of a chain with money burns what this account holds, which no entry tells. */
const BURNING_ACCOUNT = 'none';

/** Counts a balance back over entries, which are given oldest first. `now` is the chain's time of that balance. */
export function countBack(balance: string, entries: readonly MoneyEntry[], of: Counted, now: string): BalanceCourse {
  const changes = new Changes(of, entries).until(now);
  const steps: BalanceStep[] = [
    { seconds: toSeconds(now), block: undefined, millionths: parseAmount(balance).millionths },
  ];
  let left = parseAmount(balance).millionths;
  for (const { seconds, block, kind, millionths } of changes.toReversed()) {
    if (millionths === undefined) return { steps: steps.toReversed(), unknown: kind };
    if (millionths === 0n) continue;
    steps.push({ seconds, block, millionths: left });
    left -= millionths;
  }
  const first = entries[0];
  if (first !== undefined) steps.push({ seconds: toSeconds(first.timestamp) - 1, block: undefined, millionths: left });
  return { steps: steps.toReversed(), unknown: undefined };
}

/** The steps at the times of their blocks. What comes back at a deadline comes with the next block, so never earlier. */
export async function datedSteps(
  client: Client,
  steps: readonly BalanceStep[],
  times: BlockTimes,
): Promise<readonly BalanceStep[]> {
  const made = steps.flatMap(({ block, seconds }) =>
    block === undefined ? [] : [{ block, timestamp: secondsText(seconds) }],
  );
  const found = (await times.findAll(client, made)).values();
  let latest = -Infinity;
  return steps.map((step) => {
    const seconds = step.block === undefined ? step.seconds : toSeconds(found.next().value ?? '');
    latest = Math.max(latest, seconds);
    return { ...step, seconds: latest };
  });
}

/** The changes of one account's coins, worked out forwards: approvals of an escrow follow its beginning. */
class Changes {
  readonly #of: Counted;
  readonly #escrows = new Map<string, KnownEscrow>();
  readonly #found: Change[] = [];
  /** Of escrows whose ids others have taken since. */
  readonly #refunds: Change[] = [];

  constructor(of: Counted, entries: readonly MoneyEntry[]) {
    this.#of = of;
    for (const entry of entries) this.#take(entry);
  }

  /** Ascending. Escrows that were not agreed to by their deadline have gone back, which no entry tells. */
  until(now: string): readonly Change[] {
    const open = [...this.#escrows.values()].filter(({ deadline }) => toSeconds(deadline) <= toSeconds(now));
    // An entry of the same second is of the block behind the deadline's.
    const refunds = [...this.#refunds, ...open.flatMap((escrow) => this.#refund(escrow))];
    return [...refunds, ...this.#found].toSorted((a, b) => a.seconds - b.seconds);
  }

  /** The change for the sender at the deadline of an escrow to which not all have agreed. */
  #refund({ from, held, fee, deadline, approved }: KnownEscrow): readonly Change[] {
    if (from !== this.#of.account || approved.size >= PARTIES) return [];
    return [{ seconds: toSeconds(deadline), block: undefined, kind: 'escrow_transfer', millionths: held + fee }];
  }

  #take(entry: MoneyEntry): void {
    const { account, isFree } = this.#of;
    if (account === BURNING_ACCOUNT && !isFree) return;
    const fee = this.#feeChange(entry);
    const moved = this.#moved(entry.op, entry.fee_payer);
    const millionths = fee === undefined || moved === undefined ? undefined : fee + moved;
    this.#found.push({ seconds: toSeconds(entry.timestamp), block: entry.block, kind: entry.op[0], millionths });
  }

  /** A fee in another symbol was paid at a price of its time. */
  #feeChange({ op: [kind, body], fee_payer }: MoneyEntry): bigint | undefined {
    const { account, coin, isFree } = this.#of;
    // No sponsor pays for an account, also where the entry names one.
    const payer = kind === 'account_create' ? body.creator : fee_payer;
    if (isFree || payer !== account || !('fee' in body)) return 0n;
    const fee = parseAmount(body.fee).millionths;
    return body.fee.endsWith(` ${coin}`) || fee === 0n ? -fee : undefined;
  }

  #moved([kind, body]: Operation, payer: string): bigint | undefined {
    const { account, coin, isFree } = this.#of;
    const to = (name: string, amount: string): bigint => (name === account ? parseAmount(amount).millionths : 0n);
    switch (kind) {
      case 'transfer':
        return to(body.to, body.amount) - to(body.from, body.amount);
      case 'transfer_to_vesting':
        return -to(body.from, body.amount);
      case 'fill_vesting_withdraw':
        return to(body.to_account, body.deposited);
      case 'interest':
        return body.interest.endsWith(` ${coin}`) ? to(body.owner, body.interest) : 0n;
      case 'promotion_pool_withdraw':
        return to(body.to_account, body.withdrawn);
      case 'account_create':
        // The part of the payment that the new account gets follows from votes of that time.
        return (body.creator === account || payer === account) && !isFree ? 0n : undefined;
      case 'escrow_transfer':
        return this.#open(body);
      case 'escrow_approve':
        return this.#approve(body);
      case 'escrow_release':
        return to(body.receiver, body.coin_amount);
      default:
        return 0n;
    }
  }

  #open({
    from,
    escrow_id: id,
    coin_amount: amount,
    escrow_fee: fee,
    ratification_deadline: deadline,
  }: Body<'escrow_transfer'>): bigint {
    const [held, offered] = [parseAmount(amount).millionths, parseAmount(fee).millionths];
    const key = `${from}/${id}`;
    // The id is free again, so the escrow that had it is over.
    const before = this.#escrows.get(key);
    if (before !== undefined) this.#refunds.push(...this.#refund(before));
    this.#escrows.set(key, { from, held, fee: offered, deadline, approved: new Set() });
    return from === this.#of.account ? -(held + offered) : 0n;
  }

  #approve({ from, escrow_id: id, who, agent, approve }: Body<'escrow_approve'>): bigint | undefined {
    const { account } = this.#of;
    const key = `${from}/${id}`;
    const escrow = this.#escrows.get(key);
    const mayChange = approve ? agent === account : from === account;
    if (escrow === undefined) return mayChange ? undefined : 0n;
    if (!approve) {
      this.#escrows.delete(key);
      return mayChange ? escrow.held + escrow.fee : 0n;
    }
    const approved = new Set([...escrow.approved, who]);
    this.#escrows.set(key, { ...escrow, approved });
    return mayChange && approved.size === PARTIES ? escrow.fee : 0n;
  }
}

type Body<N extends Operation[0]> = Extract<Operation, readonly [N, unknown]>[1];
