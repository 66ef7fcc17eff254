import { present } from '../../src/base/assert.ts';
import { devAccounts } from '../../src/node/dev/dev_genesis.ts';
import { percentile, type LoadReport } from '../../src/node/load/run_load.ts';
import { against, measure, row, type BenchOptions, type Row } from '../bench.ts';
import { nativeAddon } from '../crypto/peers.ts';
import { signedBatch } from '../crypto/signed_batch.ts';
import { BATCH, FLOOD, load } from '../dev_load.ts';
import { DevNode } from '../dev_node.ts';

const RECOVERED = 256;

/** Signed transfers over HTTP into durable blocks of the plain program, in CPU time of its process: JSON, proof, state, disk, all. */
export async function run({ quick }: BenchOptions): Promise<Row[]> {
  const blockIntervalMs = quick ? 100 : 500;
  const node = await DevNode.start({ blockIntervalMs, largeBlocks: !quick });
  try {
    if (!quick) await load(node, 10_000);
    const rounds = [];
    for (let round = 0; round < (quick ? 1 : 3); round++)
      rounds.push({ report: await load(node, quick ? 200 : 20_000), recover: recoverMicros() });
    const [ours, ...others] = rounds.map(({ report }) => rowOf(report, blockIntervalMs));
    const best = others.reduce((a, b) => (a.perCpuSecond > b.perCpuSecond ? a : b), present(ours, 'a round'));
    const recovered = rounds.flatMap(({ recover }) => recover ?? []);
    if (recovered.length === 0) return [best];
    const note = 'between the loads, nothing else done: how busy the machine was';
    const baseline = row('secp256k1 addon, recover alone', 'signature', { work: 1, cpuMicros: Math.min(...recovered) }, { note });
    return [against(best, baseline), baseline];
  } finally {
    await node.stop();
  }
}

/** What the native addon of npm takes to recover the key of one signature now, in CPU-µs; undefined where it has no binary. */
function recoverMicros(): number | undefined {
  const recover = nativeAddon();
  const batch = signedBatch(RECOVERED, 16);
  return recover && measure(RECOVERED, 5, () => recover(batch, RECOVERED)).cpuMicros / RECOVERED;
}

function rowOf(
  { threadCpuMicros, found, serverCpuMicros, maximumBlockSize, elapsedMs, posting }: LoadReport,
  blockIntervalMs: number,
): Row {
  const measured = { work: found.count, cpuMicros: present(serverCpuMicros, 'the CPU time of the node') };
  const blocks = found.lastBlock - found.firstBlock + 1;
  const wall = `${Math.round((found.count * 1000) / elapsedMs)} a second of wall time, posts took ${percentile(posting.latenciesMs, 0.5).toFixed(0)} ms`;
  const threads = threadCpuMicros.slice(0, 4).map((used) => (used / found.count).toFixed(1));
  const note = `posts of ${BATCH}, ${FLOOD} at once, ${devAccounts.length} keys; ${blocks} blocks, one every ${blockIntervalMs} ms, of at most ${maximumBlockSize} bytes; ${wall}; µs by thread, main first: ${threads.join(', ')}`;
  return row('end to end', 'signed transfer, HTTP in to synced block', measured, { budget: { perCpuSecond: 20_000 }, note });
}
