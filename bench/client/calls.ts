import { connect } from '../../src/client/index.ts';
import { http } from '../../src/client/transports.ts';
import { amountRow, measureAsync, type BenchOptions, type Row } from '../bench.ts';
import { DevNode } from '../dev_node.ts';
import { QUIET_RECOVER_MICROS, recoverMicros } from '../recovery.ts';

const BUDGET_MICROS = 50;

/** The price of a call of the client beside plain `fetch`, one after the other, to a node of its own process. */
export async function run({ quick }: BenchOptions): Promise<Row[]> {
  const [calls, rounds] = quick ? [5, 1] : [2000, 4];
  const node = await DevNode.start({});
  const client = await connect({ transport: http(node.url) });
  try {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'alexandria_api.info', params: {} });
    const plain = await measureAsync(calls, rounds, async () => {
      for (let count = 0; count < calls; count++) await (await fetch(node.url, { method: 'POST', body })).json();
    });
    const ours = await measureAsync(calls, rounds, async () => {
      for (let count = 0; count < calls; count++) await client.call('alexandria_api.info', {});
    });
    const [fetched, called] = [plain.cpuMicros / calls, ours.cpuMicros / calls];
    const scale = (recoverMicros() ?? QUIET_RECOVER_MICROS) / QUIET_RECOVER_MICROS;
    return [
      amountRow(
        'a call of the client',
        'CPU time of a call',
        { value: called, unit: 'µs' },
        {
          budget: { atMost: fetched + BUDGET_MICROS * scale },
          note: `plain fetch and JSON.parse take ${fetched.toFixed(0)} µs; the budget is ${BUDGET_MICROS} µs more where a recovery takes ${QUIET_RECOVER_MICROS} µs`,
        },
      ),
    ];
  } finally {
    client.close();
    await node.stop();
  }
}
