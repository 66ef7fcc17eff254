import { present } from '../../base/assert.ts';
import { nearby } from '../../base/nearest.ts';
import { refusals } from '../../base/refusal.ts';
import { Type } from '../../jsonrpc/envelope/typebox.ts';
import { method } from '../method.ts';

const LONGEST_DELAY_MS = 600_000; // longer than any client waits
const MOST_ANSWERS = 1_000_000;
const MOST_METHODS = 100; // more than any program calls

const refuse = refusals({ no_method_to_delay: 'methods: no method of this node is named {method}; {known}' });

/** A slow way to the node. */
export const delayAnswers = method({
  name: 'debug_api.delay_answers',
  doc: 'The answers to the next `count` bodies come so many milliseconds late; with `methods`, to the next that call one of these. What they ask for is done at once: a client that gives up has been served. 0 ms ends it.',
  params: {
    delay_ms: Type.Integer({ minimum: 0, maximum: LONGEST_DELAY_MS }),
    count: Type.Integer({ default: 1, minimum: 1, maximum: MOST_ANSWERS }),
    methods: Type.Optional(Type.Array(Type.String({ maxLength: 256 }), { maxItems: MOST_METHODS })),
  },
  result: Type.Object({}),
  example: { params: { delay_ms: 2000, count: 3, methods: ['alexandria_api.get_account'] } },
  stability: 'experimental',
  refuses: refuse.texts,
  thread: 'writer',
  changes: true,

  async handler({ delay_ms: delayMs, count, methods = [] }, { development: { faults } }) {
    const orders = present(faults, 'faults, where a chain is moved');
    for (const each of methods) requireMethod(each, orders.methodNames);
    orders.delayAnswers({ delayMs, count, methods });
    return await Promise.resolve({});
  },
});

/** A mistyped one would be waited for in vain. */
function requireMethod(name: string, known: readonly string[]): void {
  if (known.includes(name)) return;
  const near = nearby(name, known);
  refuse.no_method_to_delay({
    method: name,
    known: near === undefined ? 'jsonrpc.get_methods has their names' : `did you mean ${near}?`,
  });
}
