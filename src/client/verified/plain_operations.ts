import { signedTransaction, type SignedTransaction } from '../../blocks/transaction.ts';
import type { Json } from '../../codec/json.ts';
import { neutralEncoding } from '../../codec/encoding_options.ts';
import { operationShapes } from '../method_shapes.ts';
import { plainValue } from '../plain_values.ts';
import type { Operation } from '../transaction.ts';

/** No symbol is taken for another one: those of amounts are in the bytes. */
const symbols = { coinSymbol: '', vestsSymbol: '' };

/** The operations of a transaction as programs see them. */
export async function plainOperations(
  transaction: SignedTransaction,
  keyPrefix: string,
): Promise<readonly Operation[]> {
  const json = signedTransaction.toJson(transaction, { ...neutralEncoding, keyPrefix });
  const shape = { operations: ['operation'] } as const;
  return operationList(plainValue(json, shape, { symbols, operations: await operationShapes() }));
}

function operationList(json: Json): readonly Operation[];
function operationList(json: Json): unknown {
  return typeof json === 'object' && json !== null && !Array.isArray(json) ? json['operations'] : [];
}
