import { assert } from '../../src/base/assert.ts';
import { fetchHead } from '../../src/load_test/chain_facts.ts';
import { row, type BenchOptions, type Row } from '../bench.ts';
import { BATCH, synchronousBodies } from '../dev_load.ts';
import { DevNode } from '../dev_node.ts';

/** Long enough for all to be accepted on a busy machine before the block. */
const BLOCK_MS = 6000;

/** Synchronous broadcasts that all wait for the same block: nothing is held for them but a line of a table. */
export async function run({ quick }: BenchOptions): Promise<Row[]> {
  const count = quick ? 200 : 5000;
  const node = await DevNode.start({ blockIntervalMs: quick ? 1000 : BLOCK_MS });
  try {
    const bodies = await synchronousBodies(node, count);
    await nextBlock(node);
    const threads = node.threads();
    const before = node.cpuMicros();
    const answersMs: number[] = [];
    const answers = bodies.map(async (body) => {
      const answered = await node.client.post(body, BATCH);
      answersMs.push(performance.now());
      return answered;
    });
    const blocks = nextBlock(node).then(() => performance.now());
    let mostThreads = threads;
    const watch = setInterval(() => (mostThreads = Math.max(mostThreads, node.threads())), 50);
    const numbers = (await Promise.all(answers)).flat().map(blockNumber);
    clearInterval(watch);
    const lastMs = Math.max(...answersMs) - (await blocks);
    const firstBlocks = new Set(numbers);
    const note = `${firstBlocks.size} block${firstBlocks.size === 1 ? '' : 's'}, ${mostThreads - threads} more threads than idle; the last answer ${lastMs.toFixed(0)} ms after a poll every 20 ms saw the block`;
    return [
      row(
        `${count} synchronous broadcasts at once`,
        'transfer, accepted, parked and answered',
        { work: count, cpuMicros: node.cpuMicros() - before },
        { note },
      ),
    ];
  } finally {
    await node.stop();
  }
}

function blockNumber(answer: object): unknown {
  assert(
    'result' in answer && typeof answer.result === 'object' && answer.result !== null,
    `it is in a block: ${JSON.stringify(answer)}`,
  );
  const found = /"block_num":(\d+)/.exec(JSON.stringify(answer.result))?.[1];
  assert(found !== undefined && Number(found) > 0, 'its sender is told which');
  return found;
}

async function nextBlock(node: DevNode): Promise<void> {
  const { number } = await fetchHead(node.client);
  while ((await fetchHead(node.client)).number === number) await new Promise((resolve) => setTimeout(resolve, 20));
}
