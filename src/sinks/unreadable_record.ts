import { Fault } from '../base/fault.ts';

/** The place of a record on the chain, as far as that is known. */
export interface RecordPlace {
  readonly block?: number | undefined;
  /** Which transaction of the block, and which operation of that. */
  readonly transaction?: number | undefined;
  readonly operation?: number | undefined;
  /** Which operation of the block, those that the chain does itself included. */
  readonly op_in_block?: number | undefined;
  readonly kind?: string | undefined;
  /** The path of the member that is not as it should be. */
  readonly member?: string | undefined;
}

/**
 * A record that can't be indexed: its source, the database or the program has to change first. Nothing behind it is
 * indexed.
 */
export class UnreadableRecord extends Fault {
  readonly place: RecordPlace;

  constructor(place: RecordPlace, why: string, cause?: unknown) {
    super('unreadable_record', `${placeText(place)}: ${why}`, cause);
    this.place = place;
  }
}

/** Such as `block 7, transaction 2, operation 1 (transfer), memo`. */
function placeText({ block, transaction, operation, op_in_block, kind, member }: RecordPlace): string {
  const numbered = [
    ['block', block],
    ['transaction', transaction],
    ['operation', operation],
    ['op_in_block', op_in_block],
  ].flatMap(([name, value]) => (value === undefined ? [] : [`${name} ${value}`]));
  const place = numbered.join(', ') + (kind === undefined ? '' : ` (${kind})`);
  return member === undefined || member === '' ? place : `${place}, ${member}`;
}
