import type { Refusal } from '../base/refusal.ts';
import type { LoadedNode } from './loaded_node.ts';
import { bodyId, type SignedBody } from './signing_request.ts';
import { inOrderOfRecovery } from './tally.ts';

/** The outcome of all posts. */
export interface Posting {
  /** Ids of accepted transactions, in the order of the responses. */
  readonly accepted: readonly string[];
  /** The number of refused calls, by reason, in the order of recovery. */
  readonly refused: ReadonlyMap<string, number>;
  /** For each post, the time from its first byte to its complete response, ascending. */
  readonly latenciesMs: readonly number[];
}

const LONGEST_REASON = 120;

/** Posts all bodies over that many connections; each sends its next body as soon as the last one is answered. */
export async function postBodies(
  client: LoadedNode,
  bodies: readonly SignedBody[],
  connections: number,
): Promise<Posting> {
  const accepted: string[] = [];
  const refused = new Map<string, number>();
  const latenciesMs: number[] = [];
  const rest = bodies.values();
  const postInTurn = async (): Promise<void> => {
    // The iterator is shared, so each body is taken once.
    for (const signed of rest) {
      const startedMs = performance.now();
      const answers = await client.post(signed.body, signed.count);
      latenciesMs.push(performance.now() - startedMs);
      answers.forEach((answer, index) => {
        if ('result' in answer) accepted.push(bodyId(signed, index));
        else {
          const reason = refusalReason(answer.refusal);
          refused.set(reason, (refused.get(reason) ?? 0) + 1);
        }
      });
    }
  };
  await Promise.all(Array.from({ length: connections }, postInTurn));
  return { accepted, refused: inOrderOfRecovery(refused), latenciesMs: latenciesMs.sort((a, b) => a - b) };
}

/**
 * The stable code and the message, truncated to drop what differs between requests, so that equal reasons can be
 * counted.
 */
function refusalReason({ code, message }: Refusal): string {
  return `${code}: ${message.slice(0, LONGEST_REASON)}`;
}
