import { blockNumberOf, ZERO_HASH160, type BlockId } from '../values/hash.ts';
import type { Mark } from './sink.ts';
import type { SinkChain } from './sink_chain.ts';

/** Where a stream is, the messages included that it has not accepted yet. */
export interface StreamPlace {
  head: BlockId;
  /** Undefined where only the stream knows. */
  previous: BlockId | undefined;
  /** Messages of the head that are there, while it is not complete. */
  told: number | undefined;
  irreversible: number;
}

/** Behind a message; an empty stream begins with the first block that is kept. */
export function placeBehind(mark: Mark | undefined, chain: SinkChain): StreamPlace {
  if (mark === undefined) {
    const before = chain.end.oldest - 1;
    return { head: chain.idAt(before) ?? ZERO_HASH160, previous: undefined, told: undefined, irreversible: before };
  }
  const isOfHead = mark.block === mark.head && (mark.event === 'block' || mark.event === 'operation');
  return {
    head: mark.head,
    previous: isOfHead ? mark.previous : undefined,
    told: isOfHead && !mark.isEnd ? mark.message + 1 : undefined,
    irreversible: mark.irreversible,
  };
}

/** The number of the last block that has been begun. */
export function numberAt({ head }: StreamPlace): number {
  return blockNumberOf(head);
}
