import { u32 } from '../../codec/primitives.ts';
import { struct } from '../../codec/struct.ts';
import { virtualOperation } from '../virtual_operation.ts';

/** A hardfork was applied: new rules are in force from here on. */
export const hardfork = virtualOperation({
  name: 'hardfork',
  doc: 'The rules of this hardfork hold from here on.',
  fields: struct({ hardfork_id: u32 }),
  impacts: () => [],
});
