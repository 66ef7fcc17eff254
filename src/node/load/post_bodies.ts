import type { Refusal } from '../../base/refusal.ts';
import type { LoadedNode } from './loaded_node.ts';
import { idIn, type SignedBody } from './signing_request.ts';

/** What became of all posts. */
export interface Posting {
  /** Ids of what the node took, in the order of its answers. */
  readonly accepted: readonly string[];
  /** How many were refused, by reason. */
  readonly refused: ReadonlyMap<string, number>;
  /** Of each post, from its first byte to its whole answer, ascending. */
  readonly latenciesMs: readonly number[];
}

const LONGEST_REASON = 120;

/** Posts all bodies over so many connections; each sends its next as soon as it has the answer to its last. */
export async function postBodies(client: LoadedNode, bodies: readonly SignedBody[], connections: number): Promise<Posting> {
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
        else {
          const reason = reasonOf(answer.refusal);
          refused.set(reason, (refused.get(reason) ?? 0) + 1);
        }
      });
    }
  };
  await Promise.all(Array.from({ length: connections }, postInTurn));
  return { accepted, refused, latenciesMs: latenciesMs.sort((a, b) => a - b) };
}

/** The stable code and the text: what differs from asker to asker is cut, so that equal reasons can be counted. */
function reasonOf({ code, message }: Refusal): string {
  return `${code}: ${message.slice(0, LONGEST_REASON)}`;
}
