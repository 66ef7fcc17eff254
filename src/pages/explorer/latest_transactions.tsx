import type { Client, Result } from '../../client/index.ts';
import { Answer, useAsked } from './asked.tsx';
import { blocks, headNumber, setbacks } from './live.tsx';
import { NO_TRANSACTION } from './no_transaction.ts';
import { Sentence, Time, TransactionLink } from './parts.tsx';
import type { SeenBlock } from '../../client/slots.ts';
import { counted } from '../../values/words.ts';

const SHOWN = 8;

type Entry = Result<'account_history_api.get_ops_in_block'>['ops'][number];

interface Latest {
  readonly first: Entry;
  /** Of the block. What an operation has is the time of the block before. */
  readonly time: string;
  readonly operations: number;
}

/** Transactions of blocks that were asked for; emptied when blocks are undone. */
const kept = new Map<number, readonly Latest[]>();
let keptSince = 0;

/** The newest transactions in blocks, the newest first. */
export function LatestTransactions() {
  const shown = blocks.value.filter(({ number }) => number <= headNumber.value);
  const filled = shown
    .filter(({ transaction_count: count }) => count > 0)
    .slice(-SHOWN)
    .reverse();
  const numbers = filled.map(({ number }) => number);
  const asked = useAsked('latest', async (client) => await newestTransactions(client, filled), numbers.join(' '));
  return (
    <Answer asked={asked}>
      {(latest) =>
        latest.length === 0 ? (
          <p class="notice">
            {shown.length === 0
              ? 'No transaction yet.'
              : `No transaction in the newest ${counted(shown.length, 'block')}.`}
          </p>
        ) : (
          <ol class="operations brief">
            {latest.map(({ first: { trx_id: id, op }, time, operations }) => (
              <li key={id}>
                <div class="clamped">
                  <Sentence operation={op} />
                </div>
                <small>
                  <TransactionLink id={id} />, <Time at={time} />
                  {operations > 1 && `, and ${counted(operations - 1, 'more operation')}`}
                </small>
              </li>
            ))}
          </ol>
        )
      }
    </Answer>
  );
}

async function newestTransactions(client: Client, filled: readonly SeenBlock[]): Promise<readonly Latest[]> {
  if (keptSince !== setbacks.peek()) kept.clear();
  keptSince = setbacks.peek();
  const latest: Latest[] = [];
  for (const block of filled) {
    const known = kept.get(block.number) ?? (await blockTransactions(client, block));
    kept.set(block.number, known);
    latest.push(...known);
    if (latest.length >= SHOWN) break;
  }
  for (const number of kept.keys()) if (filled.every((each) => each.number !== number)) kept.delete(number);
  return latest.slice(0, SHOWN);
}

async function blockTransactions(client: Client, { number, timestamp: time }: SeenBlock): Promise<readonly Latest[]> {
  const { ops } = await client.call('account_history_api.get_ops_in_block', {
    ...{ block_num: number, limit: 2 * SHOWN, cursor: null },
  });
  const byId = new Map<string, Latest>();
  for (const entry of ops.filter(({ trx_id: id, virtual_op: virtual }) => id !== NO_TRANSACTION && virtual === 0)) {
    const { first = entry, operations = 0 } = byId.get(entry.trx_id) ?? {};
    byId.set(entry.trx_id, { first, time, operations: operations + 1 });
  }
  return [...byId.values()].reverse();
}
