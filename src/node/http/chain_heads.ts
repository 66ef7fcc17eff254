import type { CommittedState } from '../../queries/committed_state.ts';
import { refuseCall } from '../../jsonrpc/envelope/errors.ts';
import { HEAD_WAIT_MS, type Heads } from '../../jsonrpc/envelope/heads.ts';
import { requireKept } from '../../queries/pruned.ts';
import { blockRow } from '../../state/stored_blocks.ts';
import { dynamicGlobalProperties } from '../../state/tables/dynamic_global_property.ts';
import { getBlockNumber, ZERO_HASH160 } from '../../values/hash.ts';
import type { ChainFollower } from '../../feed/chain_feed.ts';

/** Blocks that a node which catches up may take within the wait, some hundred a second at the least. */
const MOST_CAUGHT_UP = 1000;
/** One is on its way while the next is made. */
const ON_ITS_WAY = 1;

export interface ChainHeadsParts {
  readonly rows: CommittedState;
  readonly blockIntervalMs: number;
  /** The number of blocks that peers have and this node lacks. */
  readonly behindBy: () => number;
  /**
   * True if a certified branch may be shorter than the one that it replaces: then it comes as far in a moment. False by
   * default.
   */
  readonly mayFall?: boolean;
}

/** The head of the committed chain: what is read now, and whether what is asked for is here or may come in a moment. */
export class ChainHeads implements Heads, ChainFollower {
  readonly #parts: ChainHeadsParts;
  readonly #moved: (() => void)[] = [];
  /** The highest head so far. */
  #highest = 0;
  #version: number | undefined;
  #head = { number: 0, line: '', json: '' };

  constructor(parts: ChainHeadsParts) {
    this.#parts = parts;
  }

  json(): string {
    return this.#present().json;
  }

  line(): string {
    return this.#present().line;
  }

  number(): number {
    return this.#present().number;
  }

  standing(asked: string): 'here' | 'soon' {
    const id = /^[0-9a-f]{40}$/i.test(asked) ? asked.toLowerCase() : undefined;
    if (id === undefined && !/^\d{1,10}$/.test(asked)) refuseCall.bad_min_head();
    const number = id === undefined ? Number(asked) : getBlockNumber(id);
    const { number: head } = this.#present();
    if (number > head) return this.#requireReachable(number, asked, head);
    if (id !== undefined) this.#requireOfChain(number, id);
    return 'here';
  }

  onMove(run: () => void): void {
    this.#moved.push(run);
  }

  takeUpdate(): void {
    this.#highest = Math.max(this.#highest, this.number());
    for (const run of this.#moved) run();
  }

  takeGap(): void {
    this.takeUpdate();
  }

  #requireReachable(number: number, asked: string, head: number): 'soon' {
    const { blockIntervalMs, behindBy, mayFall = false } = this.#parts;
    const reach = Math.ceil(HEAD_WAIT_MS / blockIntervalMs) + ON_ITS_WAY + Math.min(behindBy(), MOST_CAUGHT_UP);
    const isInReach = number <= head + reach;
    if (number <= this.#highest && !(isInReach && mayFall)) refuseCall.head_undone({ asked, head });
    if (!isInReach) refuseCall.head_out_of_reach({ asked, head });
    return 'soon';
  }

  /** A branch that was left may come back, but nothing says so: another node may be asked in the meantime. */
  #requireOfChain(number: number, asked: string): void {
    const { rows } = this.#parts;
    const id = number === 0 ? ZERO_HASH160 : blockRow(rows, number)?.id;
    if (id === undefined) requireKept(rows, number);
    if (id !== asked) refuseCall.head_of_another_branch({ asked, id: id ?? 'no block' });
  }

  #present(): { readonly number: number; readonly line: string; readonly json: string } {
    const { rows } = this.#parts;
    const version = rows.version();
    if (version === this.#version) return this.#head;
    const { head_block_number: number, head_block_id: id } = rows.only(dynamicGlobalProperties);
    // Of this version or a later one: what is read behind it is no older.
    this.#head = { number, line: `${number} ${id}`, json: `{"number":${number},"id":"${id}"}` };
    this.#version = version;
    return this.#head;
  }
}
