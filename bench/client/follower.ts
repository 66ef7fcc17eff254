import { connect, type Client } from '../../src/client/index.ts';
import { amountRow, measureAsync, type BenchOptions, type Row } from '../bench.ts';
import { load } from '../dev_load.ts';
import { DevNode } from '../dev_node.ts';
import { QUIET_RECOVER_MICROS, recoverMicros } from '../recovery.ts';

/** A fifth of a core at 10 000 operations a second. */
const BUDGET_MICROS = 20;

/** The price of an operation in a program that follows all transfers, from the node's notice to the listener. */
export async function run({ quick }: BenchOptions): Promise<Row[]> {
  const [transfers, rounds] = quick ? [20, 1] : [20_000, 4];
  const node = await DevNode.start({ blockIntervalMs: 500, largeBlocks: !quick });
  const client = await connect(node.url.replace('http', 'ws'));
  try {
    const start = await positionNow(client);
    await load(node, transfers, {});
    const measured = await measureAsync(transfers, rounds, () => heard(client, start, transfers));
    const scale = (recoverMicros() ?? QUIET_RECOVER_MICROS) / QUIET_RECOVER_MICROS;
    return [
      amountRow(
        'an operation in a follower of the client',
        'CPU time of the program that follows',
        { value: measured.cpuMicros / transfers, unit: 'µs' },
        {
          budget: { atMost: BUDGET_MICROS * scale },
          note: `${transfers} transfers of full blocks, over WebSocket; the budget is a fifth of a core at 10 000 a second where a recovery takes ${QUIET_RECOVER_MICROS} µs`,
        },
      ),
    ];
  } finally {
    client.close();
    await node.stop();
  }
}

async function positionNow(client: Client): Promise<string> {
  const following = await client.followBlocks({}, { block: () => undefined, undone: () => undefined });
  following.stop();
  return following.position;
}

async function heard(client: Client, from: string, most: number): Promise<void> {
  let count = 0;
  for await (const _ of client.operations({ kinds: ['transfer'], from })) if (++count === most) break;
}
