import type { Subscriber } from './subscriber.ts';

/** The sender of a body. */
export interface RequestSource {
  /** The connection that can be sent notices later. */
  readonly subscriber: Subscriber | undefined;
  /** The one that calls are counted for. */
  readonly address: string;
  /** A program of this machine, as far as can be seen. */
  readonly isLocal: boolean;
  /** The head that all calls want at least, as the request says it; '' when it says nothing. */
  readonly minHead: string;
  /**
   * The server closes its connection when another request comes before this answer: what can be answered at once should
   * be.
   */
  readonly losesConnection?: boolean;
  /**
   * Resolves to whether the connection still stands when all bytes read with the request were handled; undefined where
   * those can't end it. Changes wait for it, so that nothing is done whose answer can't arrive.
   */
  readonly isKept?: (() => Promise<boolean>) | undefined;
  /**
   * The head that calls want is here: from now on they are read, and the answer may tell of a later head than before.
   */
  lookAtHead?(): void;
  /** The id of the sender that is accountable for what is handed on (http/sender_ids.ts). */
  senderIdOf(): number;
}

/** Returns the same function for a part that acts for the sender later. */
export function keepSource(requestSource: RequestSource): RequestSource['isKept'] {
  return requestSource.isKept && (() => requestSource.isKept?.() ?? Promise.resolve(true));
}

/** This process itself. */
export const ownProcess: RequestSource = {
  subscriber: undefined,
  address: '',
  isLocal: true,
  minHead: '',
  senderIdOf: () => 0,
};
