import type { ByteWriter } from '../codec/bytes.ts';
import type { MutableRows } from '../storage/rows.ts';
import type { AccountName } from '../values/account_name.ts';
import type { Consequences } from './consequences.ts';
import type { ChainParameters } from './parameters.ts';
import { dynamicGlobalProperties, type DynamicGlobalProperties } from './tables/dynamic_global_property.ts';

/** Something that the chain did by itself: a virtual operation, as recorded in the history. */
export interface ChainEvent {
  readonly kind: object;
  writeBody(out: ByteWriter): void;
  impacted(): readonly AccountName[];
}

/**
 * The state that operations and block steps work on: the rows, the chain's constants, and a way to emit virtual
 * operations.
 */
export interface ChainState {
  readonly rows: MutableRows;
  readonly parameters: ChainParameters;
  /** The effects of a transaction beyond the rows that it names. */
  readonly consequences: Consequences;
  /**
   * True while this node accepts a transaction from a client, false inside blocks: a few checks of the lineage protect
   * a producer and are not consensus rules.
   */
  readonly isAccepting: boolean;
  /** Records a virtual operation at the point where it happens. */
  emit(event: ChainEvent): void;
  /** Logs a message for the operator; does not affect the state. */
  remark(sentence: string): void;
}

/**
 * The head block's data. While block N is being applied, the head is still N−1
 * (chain_rules.md#the-head-while-a-block-is-applied).
 */
export function headProperties(state: ChainState): DynamicGlobalProperties {
  return state.rows.only(dynamicGlobalProperties);
}
