import { systemClock } from '../../src/base/clock.ts';
import { Broadcasts } from '../../src/node/threads/broadcasts/broadcasts.ts';
import { encodeVerdicts } from '../../src/verifiers/verdicts.ts';
import { SampledTracer } from '../../src/tracing/sampled_tracer.ts';
import { present } from '../../src/base/assert.ts';
import { epochMs } from '../../src/system/epoch_ms.ts';
import { decodeRawBatch } from '../../src/verifiers/raw_batch.ts';
import { profiles } from '../../src/values/profile.ts';
import { against, measureAsync, row, type BenchOptions, type Measured, type Row } from '../bench.ts';

const BATCH = 1024;
const LIMITS = { queuedBroadcasts: 4096, parkedBroadcasts: 3, waitingForFinality: 2, finalityMs: 600_000 };

/** Broadcasts through the front alone, from a call to its answer: without traces, with some, and with all of them. */
export async function run({ quick }: BenchOptions): Promise<Row[]> {
  const [rounds, batches] = quick ? [1, 1] : [7, 100];
  const measured = async (every: number | undefined): Promise<Measured> =>
    await measureAsync(batches * BATCH, rounds, async () => {
      for (let batch = 0; batch < batches; batch++) await answerBatch(every);
    });
  const named = (name: string, some: Measured): Row => row(`the front's work, ${name}`, 'broadcast, answered', some);
  const off = named('traces off', await measured(undefined));
  return [
    off,
    against(named('one broadcast of 100 traced', await measured(100)), off),
    against(named('each broadcast traced', await measured(1)), off),
  ];
}

async function answerBatch(every: number | undefined): Promise<void> {
  const broadcasts = new Broadcasts(LIMITS, systemClock);
  if (every !== undefined)
    broadcasts.traceWith(new SampledTracer(every, { add() {}, stop: async () => await Promise.resolve() }));
  broadcasts.start({
    threads: 1,
    async verify(bytes) {
      const verdicts = [...decodeRawBatch(bytes)].map(({ ticket }) => ({
        ticket,
        id: ticket.toString(16).padStart(40, '0'),
        expiration: 1000,
        refusal: undefined,
      }));
      setImmediate(() => broadcasts.takeVerdicts(encodeVerdicts(verdicts), epochMs()));
      return await Promise.resolve({ told: [], refused: [], misled: [], elapsedMicros: 1 });
    },
  });
  const encoding = {
    ...present(profiles['default'], 'a profile'),
    dialect: 'default',
    operationForm: 'pair',
  } as const;
  const params = Buffer.from('{}');
  const answers = Array.from({ length: BATCH }, async () => {
    await broadcasts.submit({ method: 'network_broadcast_api.broadcast_transaction', params, encoding, senderId: 1 });
  });
  await Promise.all(answers);
  broadcasts.stop();
}
