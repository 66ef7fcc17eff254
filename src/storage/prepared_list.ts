import { assert } from '../base/assert.ts';
import type { Change, Column, PreparedChanges, WriteBatch } from './key_value.ts';

/** Prepared changes of a store that keeps its entries as objects. */
export class PreparedList implements PreparedChanges {
  readonly changesAtOnce = 1;
  readonly changes: Change[] = [];

  get size(): number {
    return this.changes.length;
  }

  put(column: Column, key: Uint8Array, value: Uint8Array): void {
    this.changes.push({ column, key: Buffer.from(key), value: Buffer.from(value) });
  }

  delete(column: Column, key: Uint8Array): void {
    this.changes.push({ column, key: Buffer.from(key), value: undefined });
  }

  clear(): void {
    this.changes.length = 0;
  }
}

/** All changes of a batch in their order, the prepared ones first. */
export function allChanges({ prepared, changes }: WriteBatch): readonly Change[] {
  if (prepared === undefined) return changes;
  assert(prepared instanceof PreparedList, 'a write was prepared by the store that it is for');
  return [...prepared.changes, ...changes];
}
