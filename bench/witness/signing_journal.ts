import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SigningJournalFile } from '../../src/witness/signing/signing_journal_file.ts';
import { amountRow, type BenchOptions, type Row } from '../bench.ts';

/** Of the 3000 that a slot has: what a witness gives for never signing one twice. */
const MOST_MS = 5;

/** Measures the signing journal in a slot: wall time, because the disk is most of it. */
export function run({ quick }: BenchOptions): Row[] {
  const folder = mkdtempSync(join(tmpdir(), 'pharos-journal-bench-'));
  try {
    const rounds = quick ? 5 : 500;
    const journal = new SigningJournalFile(join(folder, 'signed'));
    const [chain, key, digest, id] = ['ab'.repeat(32), `02${'cd'.repeat(32)}`, '12'.repeat(32), '34'.repeat(20)];
    const times = Array.from({ length: rounds }, (_, slot) => {
      const startMs = performance.now();
      journal.record({ chain, key, slot, digest, id, previous: id });
      return performance.now() - startMs;
    }).toSorted((a, b) => a - b);
    journal.close();
    const median = times[rounds >> 1] ?? 0;
    const note = `on the disk of ${tmpdir()}; worst of ${rounds}: ${(times.at(-1) ?? 0).toFixed(2)} ms`;
    return [
      amountRow('signing journal', 'of a slot', { value: median, unit: 'ms' }, { budget: { atMost: MOST_MS }, note }),
    ];
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
