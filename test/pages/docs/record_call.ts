import { Refusal } from '../../../src/base/refusal.ts';
import type { NodeConnection } from '../../../src/client/connection.ts';
import type { Json } from '../../../src/codec/json.ts';
import { withoutSecrets } from '../../../src/jsonrpc/envelope/openrpc.ts';
import type { Sample } from '../../../src/pages/docs/samples.ts';

/** More than any call of a recording takes. */
export const CALL_MS = 60_000;

/** Calls a method and keeps what was answered. */
export async function recordCall(connection: NodeConnection, name: string, params: Json): Promise<Sample> {
  try {
    const result = await connection.call(name, params, { timeoutMs: CALL_MS, repeatable: true });
    const shown = withoutSecrets('params', params);
    return name === 'rpc.discover'
      ? { params: shown, page: 'openrpc.json' }
      : { params: shown, result: withoutSecrets('result', result) };
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return { params, refused: { name: error.code, message: error.message } };
  }
}
