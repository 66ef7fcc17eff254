import { present } from '../../base/assert.ts';
import { Type } from '../../jsonrpc/typebox.ts';
import { method } from '../method.ts';

const LONGEST_DELAY_MS = 600_000; // longer than any client waits
const MOST_ANSWERS = 1_000_000;

/** A slow way to the node. */
export const delayAnswers = method({
  name: 'debug_api.delay_answers',
  doc: 'The answers to the next `count` bodies come so many milliseconds late. What they ask for is done at once: a client that gives up has been served. 0 ms ends it.',
  params: {
    delay_ms: Type.Integer({ minimum: 0, maximum: LONGEST_DELAY_MS }),
    count: Type.Integer({ default: 1, minimum: 1, maximum: MOST_ANSWERS }),
  },
  result: Type.Object({}),
  example: { params: { delay_ms: 2000, count: 3 } },
  stability: 'experimental',
  thread: 'writer',

  async handler({ delay_ms, count }, { faults }) {
    present(faults, 'faults, where a chain is moved').delayAnswers(delay_ms, count);
    return await Promise.resolve({});
  },
});
