import type { SignedTransaction } from '../blocks/transaction.ts';
import type { EncodingOptions } from '../codec/encoding_options.ts';
import type { Operation } from '../operations/operation.ts';
import { getBlock } from '../queries/blocks.ts';
import type { CommittedRows } from '../storage/rows.ts';
import { ID_BYTES, getBlockNumber, type BlockId } from '../values/hash.ts';
import { timeText } from '../values/time.ts';
import { membersInLine } from '../wallet/show/history.ts';
import { escapeControls } from '../wallet/show/terminal.ts';
import type { ChainFollower, ChainGap, ChainUpdate, FeedBlock } from '../feed/chain_feed.ts';

/** The destination of lines. */
export interface ConsoleOutput {
  write(text: string): unknown;
  /** Bytes that nobody has read yet. */
  readonly writableLength: number;
}

export interface ConsoleParts {
  readonly rows: CommittedRows;
  readonly encoding: EncodingOptions;
  readonly output: ConsoleOutput;
}

/** More than anybody reads between two blocks, and as many as cost the front a millisecond. */
const MOST_TRANSACTIONS = 20;
/** A block of more is counted only: it would have to be read and cut up again. */
const MOST_READ = 1000;
const LONGEST_DETAILS = 200;
/** A program that started the node may never read what it says. */
const MOST_UNREAD_BYTES = 256 * 1024;

/** Says what happens on a development chain: a line a block, and a line a transaction. */
export class Console implements ChainFollower {
  readonly #parts: ConsoleParts;
  #unsaid = 0;

  constructor(parts: ConsoleParts) {
    this.#parts = parts;
  }

  takeUpdate({ undone, applied }: ChainUpdate): void {
    const lines = undone.length === 0 ? [] : [undoneLine(undone)];
    for (const block of applied) lines.push(blockLine(block), ...this.#transactionLines(block));
    this.#say(lines);
  }

  takeGap({ keptNumber, head }: ChainGap): void {
    this.#say([`blocks after ${keptNumber} up to ${head.number}: more than there are lines for`]);
  }

  #transactionLines({ number, id, transactionIds }: FeedBlock): string[] {
    const count = transactionIds.length / ID_BYTES;
    if (count === 0) return [];
    if (count > MOST_READ) return [`  block_api.get_block shows them`];
    const block = getBlock(this.#parts.rows, number);
    // Another one may have taken its place meanwhile, and will be told of.
    if (block?.id !== id) return [];
    const lines = block.transactions
      .slice(0, MOST_TRANSACTIONS)
      .map(({ transaction, id: txId }) => `  ${txId}  ${this.#describeOperations(transaction)}`);
    return count > lines.length ? [...lines, `  and ${count - lines.length} more`] : lines;
  }

  #describeOperations({ operations }: SignedTransaction): string {
    return operations.map((operation) => this.#wordsOfOne(operation)).join('; ');
  }

  /** `transfer to vesting: from=alice amount=1.000000 COIN`. */
  #wordsOfOne(operation: Operation): string {
    const words = operation.kind.name.replaceAll('_', ' ');
    const said = escapeControls(membersInLine(operation.bodyToJson(this.#parts.encoding))).replaceAll('\n', ' ');
    const details = said.length > LONGEST_DETAILS ? `${said.slice(0, LONGEST_DETAILS)}…` : said;
    return details === '' ? words : `${words}: ${details}`;
  }

  #say(lines: readonly string[]): void {
    const { output } = this.#parts;
    if (output.writableLength > MOST_UNREAD_BYTES) {
      this.#unsaid += lines.length;
      return;
    }
    const left = this.#unsaid === 0 ? [] : [`${this.#unsaid} lines were not read and left out`];
    this.#unsaid = 0;
    output.write([...left, ...lines, ''].join('\n'));
  }
}

function blockLine({ number, time, witness, transactionIds }: FeedBlock): string {
  const count = transactionIds.length / ID_BYTES;
  const transactions = count === 0 ? 'empty' : count === 1 ? '1 transaction' : `${count} transactions`;
  return `block ${number}  ${timeText(time)}  by ${witness}  ${transactions}`;
}

function undoneLine(undone: readonly BlockId[]): string {
  const [first = 0, last = first] = [undone[0], undone.at(-1)].map((id) =>
    id === undefined ? undefined : getBlockNumber(id),
  );
  return first === last ? `undone: block ${first}` : `undone: blocks ${first} to ${last}`;
}
