import type { Clock } from '../../base/clock.ts';
import type { Answer } from '../../jsonrpc/answer_writer.ts';
import { refuseBroadcast } from '../../rpc/broadcast_refusals.ts';
import type { FaultOrders } from '../../rpc/services.ts';

const USUAL_LIMIT = 20_000;

/** What a development chain does wrong because somebody tests with it how his program takes that. */
export class FaultsOnDemand implements FaultOrders {
  readonly #clock: Pick<Clock, 'after'>;
  #delayMs = 0;
  #delaysLeft = 0;
  #refusedEach = 0;
  #broadcasts = 0;

  constructor(clock: Pick<Clock, 'after'>) {
    this.#clock = clock;
  }

  /** Whether the next answer is to come late, and so from no cache. */
  get delaysNext(): boolean {
    return this.#delaysLeft > 0;
  }

  delayAnswers(delayMs: number, count: number): void {
    this.#delayMs = delayMs;
    this.#delaysLeft = delayMs === 0 ? 0 : count;
  }

  refuseBroadcasts(every: number): void {
    this.#refusedEach = every;
    this.#broadcasts = 0;
  }

  /** Throws the refusal of a busy node, where it is this one's turn. */
  beforeBroadcast(): void {
    if (this.#refusedEach === 0 || ++this.#broadcasts % this.#refusedEach !== 0) return;
    refuseBroadcast.too_many_broadcasts({ limit: USUAL_LIMIT });
  }

  /** The answer, late where that was asked for; what it answers was done in time. */
  late(answer: () => Answer | Promise<Answer>): Answer | Promise<Answer> {
    // Before the call: one that orders delays is not delayed itself.
    if (this.#delaysLeft === 0) return answer();
    this.#delaysLeft--;
    const delayMs = this.#delayMs;
    const given = answer();
    return new Promise<Answer>((resolve) => {
      // A node that stops ends its connections, and nobody waits for these any more.
      this.#clock.after(delayMs, () => void Promise.resolve(given).then(resolve), false);
    });
  }
}
