import type { ByteWriter } from '../codec/bytes.ts';
import type { MutableRows } from '../storage/rows.ts';
import type { AccountName } from '../values/account_name.ts';
import type { Consequences } from './consequences.ts';
import type { ChainParameters } from './parameters.ts';
import { dynamicGlobalProperties, type DynamicGlobalProperties } from './tables/dynamic_global_property.ts';

/** Something that the chain did by itself: what the history needs to know of a virtual operation. */
export interface ChainEvent {
  readonly kind: object;
  writeBody(out: ByteWriter): void;
  impacted(): readonly AccountName[];
}

/** What operations and block steps work on: the rows, the chain's constants, and where its own doings are noted. */
export interface ChainState {
  readonly rows: MutableRows;
  readonly parameters: ChainParameters;
  /** What follows from a transaction beyond the rows that it names. */
  readonly consequences: Consequences;
  /**
   * True while this node accepts a transaction from a client, false inside blocks: a few checks of the lineage protect
   * a producer and are no consensus.
   */
  readonly isAccepting: boolean;
  /** Notes a virtual operation at the place where it happens. */
  emit(event: ChainEvent): void;
  /** Says something to whoever runs the node; it changes nothing. */
  remark(sentence: string): void;
}

/** The head of the chain. While block N is applied, the head is still N−1 (chain.md, conventions). */
export function headOf(state: ChainState): DynamicGlobalProperties {
  return state.rows.only(dynamicGlobalProperties);
}
