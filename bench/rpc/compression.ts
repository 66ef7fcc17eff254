import { randomBytes } from 'node:crypto';
import { assert } from '../../src/base/assert.ts';
import { Compression, PackedAnswer } from '../../src/jsonrpc/http/compression.ts';
import { row, type BenchOptions, type Row } from '../bench.ts';

const KIB = 1024;
const ROUNDS_BYTES = 64 * KIB * KIB;
/** Slower compression would not pay for itself on a line of 200 Mbit/s. */
const LEAST_KIB = 40_000;

const hex = (bytes: number): string => randomBytes(bytes).toString('hex');

/** A history as a node answers it: ids do not compress, all else does. */
function history(entries: number): string {
  const list = Array.from({ length: entries }, (_, k) => {
    const body = {
      fee: '0.010000 COIN',
      from: 'alice',
      to: `bob${k % 50}`,
      amount: `${k}.000000 COIN`,
      memo: `memo ${k}`,
    };
    const place = {
      trx_id: hex(20),
      block: 1000 + k,
      trx_in_block: k % 7,
      op_in_trx: 0,
      virtual_op: 0,
      timestamp: '2026-01-31T12:00:00',
    };
    return [k, { ...place, op: ['transfer', body], fee_payer: 'alice' }];
  });
  return JSON.stringify({ jsonrpc: '2.0', result: { history: list, cursor: null }, id: 1 });
}

/** Transactions with their signatures: the answers that compress least. */
function transactions(count: number): string {
  const list = Array.from({ length: count }, (_, k) => ({
    ...{
      ref_block_num: k,
      ref_block_prefix: 1_000_000 + k,
      expiration: '2026-01-31T12:00:00',
      extensions: [],
      signatures: [hex(65)],
    },
    operations: [
      ['transfer', { fee: '0.010000 COIN', from: 'alice', to: 'bob', amount: `${k}.000000 COIN`, memo: '' }],
    ],
  }));
  return JSON.stringify({ jsonrpc: '2.0', result: { transactions: list }, id: 1 });
}

/** Measures the time and the size of compressed answers. */
export function run({ quick }: BenchOptions): Row[] {
  const answers = [history(5), history(20), history(400), transactions(20), transactions(350)];
  const compression = new Compression('all');
  return ['br', 'gzip'].flatMap((acceptEncoding) =>
    answers.map((answer) => {
      const pack = (): number => {
        const packed = compression.pack(answer, { acceptEncoding, isLocal: false });
        assert(packed instanceof PackedAnswer, 'the answer is compressed');
        return packed.body.length;
      };
      const percent = Math.round((100 * pack()) / answer.length);
      const times = quick ? 1 : Math.ceil(ROUNDS_BYTES / answer.length);
      const before = process.cpuUsage();
      for (let k = 0; k < times; k++) pack();
      const { user, system } = process.cpuUsage(before);
      const kind = answer.includes('"history"') ? 'history' : 'transactions';
      const measured = { work: (times * answer.length) / KIB, cpuMicros: user + system };
      return row(`${kind}, ${(answer.length / KIB).toFixed(1)} KiB, ${acceptEncoding}`, 'KiB compressed', measured, {
        ...(answer.length < 4 * KIB ? {} : { budget: { perCpuSecond: LEAST_KIB } }),
        note: `to ${percent} %`,
      });
    }),
  );
}
