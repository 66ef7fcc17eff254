import { writeJson } from '../codec/json_writer.ts';
import { getBlockNumber, type BlockId } from '../values/hash.ts';
import type { BlockRecord, EventRecord, OperationEvent, OperationRecord } from './event_schema.ts';
import { OperationsSum } from './operations_sum.ts';
import type { Mark } from './sink.ts';

/** A message as somebody reads it. */
export interface CheckedMessage {
  readonly sequence: number;
  readonly mark: Mark | undefined;
  readonly record: EventRecord;
}

/** A block as the stream tells it; the sum is an `OperationsSum`. */
export interface ToldBlock {
  readonly number: number;
  readonly id: BlockId;
  readonly previous: BlockId;
  readonly operations: string;
}

/**
 * A block of which the last part that came is known; of its operations only the sum, and the beginning of a value that
 * was cut.
 */
interface OpenBlock {
  readonly block: BlockRecord;
  readonly sum: OperationsSum;
  readonly cut: string[];
}

const MOST_PROBLEMS = 20;
/** Far more than any branch has: below them nothing is undone, and nothing has to be remembered. */
const KEPT_BLOCKS = 10_000;
/** They are handed over together. */
const SETTLED_TOGETHER = 1000;

/** Reads a stream from its beginning, and says where it is not what a node writes: gaps, repeats, wrong order. */
export class StreamCheck {
  readonly problems: string[] = [];
  /** The last blocks of the branch that the stream has told, without those that `settled` has handed over. */
  readonly blocks: ToldBlock[] = [];
  /** The number of the first block that is told whole; undefined before it. */
  first: number | undefined;
  #settledCount = 0;
  readonly counts = { messages: 0, blocks: 0, undone: 0, operations: 0 };
  irreversible = 0;
  #sequence: number | undefined;
  #open: OpenBlock | undefined;
  /** Operations of the last block that have no message of their own yet. */
  #alone: OperationRecord[] | undefined;

  take({ sequence, mark, record }: CheckedMessage): void {
    this.counts.messages++;
    if (this.#sequence !== undefined && sequence !== this.#sequence + 1)
      this.#note(sequence, `${sequence - this.#sequence - 1} messages are missing before it`);
    this.#sequence = sequence;
    if (mark === undefined) return this.#note(sequence, 'no node has written it');
    const { Block: block, Undo: undo, Irreversible: irreversible, OperationEvent: operation } = record;
    if (block !== undefined) return this.#takePart(sequence, block, mark);
    if (operation !== undefined) return this.#takeOperation(sequence, operation);
    if (undo !== undefined) return this.#takeUndo(sequence, undo.id, undo.previous);
    if (irreversible !== undefined) this.#takeIrreversible(sequence, irreversible.number, irreversible.id);
  }

  /** The number of blocks in all. */
  get length(): number {
    return this.#settledCount + this.blocks.length;
  }

  /** Blocks that are too deep to be undone, in order; each is handed over once, and not remembered any longer. */
  settled(): readonly ToldBlock[] {
    if (this.blocks.length < KEPT_BLOCKS + SETTLED_TOGETHER) return [];
    this.#settledCount += SETTLED_TOGETHER;
    return this.blocks.splice(0, SETTLED_TOGETHER);
  }

  /** Checks the end of the stream. */
  finish(): void {
    if (this.#open !== undefined)
      this.#note(this.#sequence ?? 0, 'the last block is not complete; a node that runs will complete it');
  }

  #takePart(sequence: number, block: BlockRecord, { form }: Mark): void {
    // A stream that keeps a limited number of messages may begin in the middle of a block.
    if (this.first === undefined && block.part > 0) return;
    if (block.part === 0) this.#begin(sequence, block);
    const open = this.#open;
    if (open === undefined || open.block.id !== block.id || (block.part > 0 && open.block.part !== block.part - 1))
      return this.#note(sequence, `part ${block.part} of block ${block.number} does not follow the one before it`);
    for (const record of block.operations) addRecord(open, record);
    this.#alone = form.endsWith('+operations') ? [...block.operations] : undefined;
    this.#open = block.is_last_part ? undefined : { ...open, block };
    if (!block.is_last_part) return;
    const { number, id, previous } = block;
    this.blocks.push({ number, id, previous, operations: open.sum.text });
    this.counts.blocks++;
    this.counts.operations += open.sum.count;
  }

  #begin(sequence: number, block: BlockRecord): void {
    const last = this.blocks.at(-1);
    if (this.#open !== undefined) this.#note(sequence, `block ${this.#open.block.number} before it is not complete`);
    if (this.#alone !== undefined && this.#alone.length > 0)
      this.#note(sequence, `${this.#alone.length} operations before it have no message`);
    if (last !== undefined && block.previous !== last.id) this.#note(sequence, this.#misplaced(block, last));
    this.#open = { block, sum: new OperationsSum(), cut: [] };
    this.first ??= block.number;
  }

  #misplaced({ number, id }: BlockRecord, last: ToldBlock): string {
    if (this.blocks.some((told) => told.id === id)) return `block ${number} is repeated`;
    return number > last.number + 1
      ? `blocks ${last.number + 1} to ${number - 1} are missing`
      : `block ${number} does not follow block ${last.number}`;
  }

  #takeOperation(sequence: number, { id, operation }: OperationEvent): void {
    if (this.first === undefined) return;
    const expected = this.#alone?.shift();
    const block = this.#open?.block.id ?? this.blocks.at(-1)?.id;
    if (expected === undefined || block !== id || recordText(expected) !== recordText(operation))
      this.#note(sequence, 'its operation is not the next one of the block before it');
  }

  #takeUndo(sequence: number, id: BlockId, previous: BlockId): void {
    this.counts.undone++;
    this.#alone = undefined;
    if (this.#open?.block.id === id) {
      this.#open = undefined;
      return;
    }
    const last = this.blocks.pop();
    if (last === undefined && this.#settledCount > 0)
      this.#note(
        sequence,
        `it undoes block ${id}, which is more than ${KEPT_BLOCKS} blocks deep: what follows is not compared with that`,
      );
    // What the stream has begun behind is unknown.
    if (last !== undefined && (last.id !== id || last.previous !== previous))
      this.#note(sequence, `it undoes block ${id}, the last one is ${last.id}`);
  }

  #takeIrreversible(sequence: number, number: number, id: BlockId): void {
    const first = this.blocks[0]?.number ?? number + 1;
    const told = this.blocks[number - first];
    if (number >= first && told?.id !== id)
      this.#note(sequence, `it calls block ${id} irreversible, which is not on the stream's branch`);
    this.irreversible = number;
  }

  #note(sequence: number, what: string): void {
    if (this.problems.length < MOST_PROBLEMS) this.problems.push(`message ${sequence}: ${what}`);
  }
}

/** Equal for equal records, in either form. */
function recordText({
  trx_id,
  trx_in_block,
  op_in_trx,
  virtual_op,
  timestamp,
  kind,
  fee_payer,
  accounts,
  value,
  continued,
  paid = '',
  given = '',
}: OperationRecord): string {
  return writeJson([
    trx_id,
    trx_in_block,
    op_in_trx,
    virtual_op,
    timestamp,
    kind,
    fee_payer,
    [...accounts],
    value,
    continued,
    paid,
    given,
  ]);
}

/** Takes the next operation of a block, or a piece of one whose value was cut. */
function addRecord({ sum, cut }: OpenBlock, record: OperationRecord): void {
  if (record.continued || cut.length > 0) cut.push(record.value);
  if (record.continued) return;
  // In messages of JSON a whole value is the object itself.
  sum.add(cut.length === 0 ? record : { ...record, value: cut.join('') });
  cut.length = 0;
}

/** Describes a stream's end for people. */
export function endText({ blocks }: Pick<StreamCheck, 'blocks'>): string {
  const last = blocks.at(-1);
  return last === undefined ? 'no block' : `block ${getBlockNumber(last.id)}, ${last.id}`;
}
