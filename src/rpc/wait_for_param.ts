import type { Codec } from '../codec/codec.ts';
import { mismatch } from '../codec/decode_error.ts';
import type { Json } from '../codec/json.ts';
import { enumeration } from '../codec/primitives.ts';
import { coded } from '../jsonrpc/envelope/params.ts';
import { WAIT_FOR, type WaitFor } from './wait_for.ts';

const stage: Codec<WaitFor, WaitFor> = {
  ...enumeration(...WAIT_FOR),
  read: (input) => parseStage(input.text()),
  toJson: (value) => value,
  fromJson: (json) => parseStage(json),
  initial: () => 'accepted',
};

function parseStage(given: Json): WaitFor {
  return WAIT_FOR.find((each) => each === given) ?? mismatch(`one of ${WAIT_FOR.join(', ')}`, given);
}

/** The param `wait_for`, which the lineage's broadcasts don't have. */
export function waitForParam<const D extends WaitFor>(byDefault: D) {
  return coded(
    {
      ...stage,
      isOwn: true,
      fromPlain: (from) => (from.text() ? WAIT_FOR.find((each) => each === from.lastText()) : undefined),
    },
    {
      default: byDefault,
      description:
        'when to answer: as soon as this node has accepted the transaction, when it stands in a block, or when that block is final, which no fork takes back',
    },
  );
}
