import { refusalBy, refusalOf, type Refusal } from '../base/refusal.ts';
import type { Answer } from './answer_writer.ts';
import { refuseCall } from './errors.ts';
import { HEAD_WAIT_MS } from './heads.ts';
import type { Host } from './host.ts';
import type { Limits } from './limits.ts';
import type { MethodTimes } from './method_times.ts';

/** All calls that wait for a head, and those of one sender: a few dozen of the largest. */
const WAITING_BYTES = 64 * 1024 * 1024;
const WAITING_BYTES_OF_SENDER = WAITING_BYTES / 4;

/** What calls that wait for a head are limited and counted with. */
export interface HeadWaitParts {
  readonly host: Pick<Host<never>, 'heads' | 'clock'>;
  readonly limits: Pick<Limits, 'requestsInFlight' | 'callsPerSocket'>;
  readonly times: Pick<MethodTimes, 'inFlight'>;
}

/** A call that wants a head which is not here yet. */
export interface HeadWait {
  /** The head, as it was asked for. */
  readonly asked: string;
  readonly senderId: number;
  /** What is kept for it. */
  readonly bytes: number;
  /** Answers it: the head is here. */
  readonly run: () => Answer | Promise<Answer>;
  readonly refuse: (refusal: Refusal) => Answer;
}

interface Held {
  count: number;
  bytes: number;
}

interface Waiting extends HeadWait {
  readonly resolve: (answer: Answer | Promise<Answer>) => void;
  readonly cancel: () => void;
}

/** Calls until the head that they want is here. They cost a place and their bytes; nothing looks at them before the head has moved. */
export class HeadWaits {
  readonly #parts: HeadWaitParts;
  readonly #waiting = new Set<Waiting>();
  readonly #bySender = new Map<number, Held>();
  #bytes = 0;

  constructor(parts: HeadWaitParts) {
    this.#parts = parts;
    parts.host.heads?.onMove(() => this.#look());
  }

  /** The answer once the head is here, or the refusal when it has not come in time. Refuses a call for which there is no room. */
  add(wait: HeadWait): Promise<Answer> {
    this.#requireRoom(wait);
    this.#hold(wait, 1);
    return new Promise((resolve) => {
      const cancel = this.#parts.host.clock.after(HEAD_WAIT_MS, () => this.#giveUp(waiting));
      const waiting: Waiting = { ...wait, resolve, cancel };
      this.#waiting.add(waiting);
    });
  }

  #requireRoom({ senderId, bytes }: HeadWait): void {
    const { requestsInFlight, callsPerSocket } = this.#parts.limits;
    const { count = 0, bytes: ofSender = 0 } = this.#bySender.get(senderId) ?? {};
    if (count >= callsPerSocket || ofSender + bytes > WAITING_BYTES_OF_SENDER) refuseCall.too_busy({ limit: callsPerSocket });
    if (this.#waiting.size >= requestsInFlight || this.#bytes + bytes > WAITING_BYTES) refuseCall.too_busy({ limit: requestsInFlight });
  }

  #hold({ senderId, bytes }: HeadWait, more: 1 | -1): void {
    const held = this.#bySender.get(senderId) ?? { count: 0, bytes: 0 };
    held.count += more;
    held.bytes += more * bytes;
    if (held.count === 0) this.#bySender.delete(senderId);
    else this.#bySender.set(senderId, held);
    this.#bytes += more * bytes;
    this.#parts.times.inFlight += more;
  }

  #look(): void {
    for (const waiting of [...this.#waiting]) {
      const standing = this.#standing(waiting.asked);
      if (standing === 'soon') continue;
      this.#end(waiting, standing === 'here' ? waiting.run() : waiting.refuse(standing));
    }
  }

  #standing(asked: string): 'here' | 'soon' | Refusal {
    let standing: 'here' | 'soon' = 'soon';
    const { heads } = this.#parts.host;
    const refusal = refusalOf(() => void (standing = heads?.standing(asked) ?? 'here'));
    return refusal ?? standing;
  }

  #giveUp(waiting: Waiting): void {
    const head = this.#parts.host.heads?.number() ?? 0;
    const late = refusalBy(() => refuseCall.head_not_reached({ asked: waiting.asked, head, seconds: HEAD_WAIT_MS / 1000 }));
    this.#end(waiting, waiting.refuse(late));
  }

  #end(waiting: Waiting, answer: Answer | Promise<Answer>): void {
    waiting.cancel();
    this.#waiting.delete(waiting);
    this.#hold(waiting, -1);
    waiting.resolve(answer);
  }
}
