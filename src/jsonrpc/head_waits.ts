import { expectRefusal, catchRefusal, type Refusal } from '../base/refusal.ts';
import type { Answer } from './answer_writer.ts';
import { refuseCall } from './envelope/errors.ts';
import { HEAD_WAIT_MS } from './envelope/heads.ts';
import type { Host } from './envelope/host.ts';
import type { Limits } from './limits/limits.ts';
import type { MethodTimes } from './limits/method_times.ts';
import { SharedSum } from './limits/shared_sum.ts';

/** All calls that wait for a head, and those of one address: a few dozen of the largest. */
const WAITING_BYTES = 64 * 1024 * 1024;
const WAITING_BYTES_PER_ADDRESS = WAITING_BYTES / 4;

/** The limits and counts of calls that wait for a head. */
export interface HeadWaitParts {
  readonly host: Pick<Host<never>, 'heads' | 'clock'>;
  readonly limits: Pick<Limits, 'requestsInFlight' | 'requestsInFlightPerAddress'>;
  readonly times: Pick<MethodTimes, 'inFlight'>;
}

/** A call that wants a head which is not here yet. */
export interface HeadWait {
  /** The head, as it was asked for. */
  readonly asked: string;
  readonly address: string;
  /** Bytes that are kept for it. */
  readonly bytes: number;
  /** Answers it: the head is here. */
  readonly run: () => Answer | Promise<Answer>;
  readonly refuse: (refusal: Refusal) => Answer;
}

interface Waiting extends HeadWait {
  readonly resolve: (answer: Answer | Promise<Answer>) => void;
  readonly cancel: () => void;
}

/**
 * Calls until the head that they want is here. They cost a place and their bytes; nothing looks at them before the head
 * has moved.
 */
export class HeadWaits {
  readonly #parts: HeadWaitParts;
  readonly #waiting = new Set<Waiting>();
  readonly #count: SharedSum;
  readonly #bytes = new SharedSum({ inAll: WAITING_BYTES, perAddress: WAITING_BYTES_PER_ADDRESS });

  constructor(parts: HeadWaitParts) {
    this.#parts = parts;
    const { requestsInFlight: inAll, requestsInFlightPerAddress: perAddress } = parts.limits;
    this.#count = new SharedSum({ inAll, perAddress });
    parts.host.heads?.onMove(() => this.#look());
  }

  /**
   * The answer once the head is here, or the refusal when it has not come in time. Refuses a call for which there is no
   * room.
   */
  add(wait: HeadWait): Promise<Answer> {
    this.#requireRoom(wait);
    this.#hold(wait, 1);
    return new Promise((resolve) => {
      const cancel = this.#parts.host.clock.after(HEAD_WAIT_MS, () => this.#giveUp(waiting));
      const waiting: Waiting = { ...wait, resolve, cancel };
      this.#waiting.add(waiting);
    });
  }

  #requireRoom({ address, bytes }: HeadWait): void {
    const limit = this.#count.limitFor(address, 1) ?? this.#bytes.limitFor(address, bytes);
    if (limit !== undefined) refuseCall.too_busy({ limit: this.#waiting.size });
  }

  #hold({ address, bytes }: HeadWait, more: 1 | -1): void {
    this.#count.change(address, more);
    this.#bytes.change(address, more * bytes);
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
    const refusal = catchRefusal(() => void (standing = heads?.standing(asked) ?? 'here'));
    return refusal ?? standing;
  }

  #giveUp(waiting: Waiting): void {
    const head = this.#parts.host.heads?.number() ?? 0;
    const late = expectRefusal(() =>
      refuseCall.head_not_reached({ asked: waiting.asked, head, seconds: HEAD_WAIT_MS / 1000 }),
    );
    this.#end(waiting, waiting.refuse(late));
  }

  #end(waiting: Waiting, answer: Answer | Promise<Answer>): void {
    waiting.cancel();
    this.#waiting.delete(waiting);
    this.#hold(waiting, -1);
    waiting.resolve(answer);
  }
}
