import type { RpcClient } from './rpc_client.ts';
import { idIn, type SignedBody } from './signing_order.ts';

/** What became of all posts. */
export interface Posting {
  /** Ids of what the node took, in the order of its answers. */
  readonly accepted: readonly string[];
  /** How many were refused, by reason. */
  readonly refused: ReadonlyMap<string, number>;
  /** Of each post, from its first byte to its whole answer, ascending. */
  readonly latenciesMs: readonly number[];
}

/** Posts all bodies over so many connections; each sends its next as soon as it has the answer to its last. */
export async function postBodies(client: RpcClient, bodies: readonly SignedBody[], connections: number): Promise<Posting> {
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
        if ('result' in answer) accepted.push(idIn(signed, index));
        else refused.set(answer.refusal, (refused.get(answer.refusal) ?? 0) + 1);
      });
    }
  };
  await Promise.all(Array.from({ length: connections }, postInTurn));
  return { accepted, refused, latenciesMs: latenciesMs.sort((a, b) => a - b) };
}
