import { Type } from '../../jsonrpc/envelope/typebox.ts';
import { Refusal } from '../../base/refusal.ts';

/** True if something was applied; `error` says why not. */
export const pushOutcome = Type.Object({ success: Type.Boolean(), error: Type.Optional(Type.String()) });

/** The outcome of applying something: a refusal is not an error of the call here. */
export async function awaitOutcome(
  applied: Promise<unknown>,
  asLineage: boolean,
): Promise<{ success: boolean; error?: string }> {
  try {
    await applied;
    return { success: true };
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    const text = asLineage ? (error.lineage ?? error.message) : error.message;
    return { success: false, error: `${error.lineageCode} ${error.code}: ${text}` };
  }
}
