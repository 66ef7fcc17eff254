import type { Subscriber } from './subscriber.ts';

/** Who sends a body. */
export interface Asker {
  /** The connection that can be sent notices later. */
  readonly subscriber: Subscriber | undefined;
  /** The one that calls are counted for. */
  readonly address: string;
  /** A program of this machine, as far as can be seen. */
  readonly isLocal: boolean;
  /** The head that all calls want at least, as the request says it; '' when it says nothing. */
  readonly minHead: string;
  /** The head that calls want is here: from now on they are read, and the answer may tell of a later head than before. */
  lookAtHead?(): void;
  /** The id of the sender that is accountable for what is handed on (http/sender_ids.ts). */
  senderIdOf(): number;
}

/** This process itself. */
export const ownProcess: Asker = { subscriber: undefined, address: '', isLocal: true, minHead: '', senderIdOf: () => 0 };
