import { sha256Hex } from '../crypto/hashes.ts';
import { readJsonText } from '../codec/json_reader.ts';
import { writeJson } from '../codec/json_writer.ts';
import type { OperationRecord } from './event_schema.ts';

/** An operation as a chain and a stream tell it. */
export type ComparedOperation = Pick<
  OperationRecord,
  'trx_id' | 'trx_in_block' | 'op_in_trx' | 'virtual_op' | 'timestamp' | 'kind' | 'fee_payer'
> & {
  /** As JSON, or read from it. */
  readonly value: unknown;
};

/**
 * Of the operations of a block in order: equal for what is equal. None of them is kept, so that a block may have any
 * number.
 */
export class OperationsSum {
  text = '';
  count = 0;

  add({ trx_id, trx_in_block, op_in_trx, virtual_op, timestamp, kind, fee_payer, value }: ComparedOperation): void {
    const body = typeof value === 'string' ? readJsonText(value) : value;
    const own = writeJson([trx_id, trx_in_block, op_in_trx, virtual_op, timestamp, kind, fee_payer, body]);
    this.text = sha256Hex(Buffer.from(`${this.text}${own}`));
    this.count++;
  }
}
