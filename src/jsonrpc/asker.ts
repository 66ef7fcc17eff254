import type { Subscriber } from './subscriber.ts';

/** Who sends a body. */
export interface Asker {
  /** The connection that can be sent notices later. */
  readonly subscriber: Subscriber | undefined;
  /** The one that calls are counted for. */
  readonly address: string;
  /** A program of this machine, as far as can be seen. */
  readonly isLocal: boolean;
  /** The id of the sender that is accountable for what is handed on (http/sender_ids.ts). */
  senderIdOf(): number;
}

/** This process itself. */
export const ownProcess: Asker = { subscriber: undefined, address: '', isLocal: true, senderIdOf: () => 0 };
