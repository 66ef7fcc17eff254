import type { Notation } from '../../codec/notation.ts';
import { adminWitnessUpdate } from '../../operations/admin_witness_update.ts';
import { bodyOf, type Operation } from '../../operations/operation.ts';
import { shutdownWitness } from '../../operations/virtual/shutdown_witness.ts';
import { witnessSetProperties } from '../../operations/witness_set_properties.ts';
import { witnessStop } from '../../operations/witness_stop.ts';
import { witnessUpdate } from '../../operations/witness_update.ts';
import { NULL_KEY, publicKeyText, type PublicKey } from '../../values/public_key.ts';
import { unpackProperties } from '../../values/witness_properties.ts';
import type { Cell } from './copy_text.ts';

/** The columns of what changes a witness, behind its place and time; undefined for other operations. */
export function witnessCells(operation: Operation, notation: Notation): readonly Cell[] | undefined {
  const { name } = operation.kind;
  const told = bodyOf(witnessUpdate, operation) ?? bodyOf(adminWitnessUpdate, operation);
  if (told !== undefined) return [told.owner, name, told.url, ...keyCells(told.block_signing_key, notation)];
  const stopped = bodyOf(witnessStop, operation) ?? bodyOf(shutdownWitness, operation);
  if (stopped !== undefined) return [stopped.owner, name, null, ...keyCells(NULL_KEY, notation)];
  const set = bodyOf(witnessSetProperties, operation);
  if (set === undefined) return undefined;
  const { url, new_signing_key: key } = unpackProperties(set.props);
  return [set.owner, name, url ?? null, ...(key === undefined ? [null, null] : keyCells(key, notation))];
}

/** A witness without a key makes no blocks. */
function keyCells(key: PublicKey, { keyPrefix }: Notation): readonly [key: string, isStopped: boolean] {
  return [publicKeyText(key, keyPrefix), key === NULL_KEY];
}
