import type { Clock } from '../../base/clock.ts';
import { Refusal } from '../../base/refusal.ts';
import type { Json } from '../../codec/json.ts';
import { readJsonText } from '../../codec/json_reader.ts';
import type { Answer } from '../../jsonrpc/answer_writer.ts';
import { refuseBroadcast } from '../../rpc/broadcast_refusals.ts';
import { GROUP_OF_BARE_NAMES } from '../../rpc/methods.ts';
import type { DelayOrder, FaultOrders, RefusalOrder } from '../../rpc/services.ts';

const USUAL_LIMIT = 20_000;
const NO_DELAY: DelayOrder = { delayMs: 0, count: 0, methods: [] };
const NO_REFUSAL: RefusalOrder = { every: 0, methods: [] };

/** Has a development chain answer wrongly, so that users can test their programs. */
export class FaultsOnDemand implements FaultOrders {
  readonly methodNames: readonly string[];
  readonly #clock: Pick<Clock, 'after'>;
  #delay = NO_DELAY;
  #delaysLeft = 0;
  #refusal = NO_REFUSAL;
  #broadcasts = 0;

  constructor(clock: Pick<Clock, 'after'>, methodNames: readonly string[]) {
    this.#clock = clock;
    this.methodNames = methodNames;
  }

  delayAnswers(order: DelayOrder): void {
    this.#delay = order;
    this.#delaysLeft = order.delayMs === 0 ? 0 : order.count;
  }

  refuseBroadcasts(order: RefusalOrder): void {
    this.#refusal = order;
    this.#broadcasts = 0;
  }

  /** Returns whether the answer to a body is to come late, and so from no cache. */
  delays(body: Uint8Array): boolean {
    if (this.#delaysLeft === 0) return false;
    const { methods } = this.#delay;
    return methods.length === 0 || calledMethods(body).some((name) => methods.includes(name));
  }

  /**
   * Throws the refusal of a busy node, where it is this one's turn; `method` is what sends it, undefined for the node
   * itself.
   */
  beforeBroadcast(method: string | undefined): void {
    const { every, methods } = this.#refusal;
    const isMeant = methods.length === 0 || (method !== undefined && methods.includes(method));
    if (every === 0 || !isMeant || ++this.#broadcasts % every !== 0) return;
    refuseBroadcast.too_many_broadcasts({ limit: USUAL_LIMIT });
  }

  /** The answer to a body, late where that was asked for; what it answers was done in time. */
  late(body: Uint8Array, answer: () => Answer | Promise<Answer>): Answer | Promise<Answer> {
    // Before the call: one that orders delays is not delayed itself.
    if (!this.delays(body)) return answer();
    this.#delaysLeft--;
    const { delayMs } = this.#delay;
    const given = answer();
    return new Promise<Answer>((resolve) => {
      // A node that stops ends its connections, and nobody waits for these any more.
      this.#clock.after(delayMs, () => void Promise.resolve(given).then(resolve), false);
    });
  }
}

/**
 * The full names of the methods that a body calls, in whichever way old clients name them; none where it is no JSON.
 */
function calledMethods(body: Uint8Array): readonly string[] {
  try {
    const json = readJsonText(Buffer.from(body).toString());
    return (Array.isArray(json) ? json : [json]).flatMap(listMethods);
  } catch (error) {
    if (error instanceof Refusal) return [];
    throw error;
  }
}

function listMethods(call: Json): string[] {
  if (typeof call !== 'object' || call === null || Array.isArray(call)) return [];
  const { method, params } = call;
  if (typeof method !== 'string') return [];
  if (method === 'call') return Array.isArray(params) ? [params.slice(0, 2).join('.')] : [];
  return [method.includes('.') ? method : `${GROUP_OF_BARE_NAMES}.${method}`];
}
