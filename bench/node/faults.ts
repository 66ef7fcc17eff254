import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chooseDamages, allDamages, type Damage } from '../../test/faults/damage.ts';
import { openOutcome, stoppedFolder } from '../../test/faults/stopped_folder.ts';
import { amountRow, type BenchOptions, type Row } from '../bench.ts';

const QUICK_POINTS = 1;
/** Of each kind of file; 10 000 points together take a night on two slow cores. */
const POINTS = 400;

/**
 * Damages each kind of file of a stopped folder at many points and starts from each: ends with an error at the first
 * that is started with fewer blocks than there were, without a word. `PHAROS_BENCH_FAULTS` is how many points a kind,
 * or `all`: every byte and every length.
 */
export async function run({ quick }: BenchOptions): Promise<Row[]> {
  const folder = mkdtempSync(join(tmpdir(), 'pharos-bench-'));
  const sound = join(folder, 'sound');
  const head = await stoppedFolder(sound);
  const asked = process.env['PHAROS_BENCH_FAULTS'];
  const damages: Iterable<Damage> =
    asked === 'all' && !quick
      ? allDamages(sound)
      : chooseDamages(sound, quick ? QUICK_POINTS : Number(asked ?? POINTS), Date.now() % 65_536);
  const outcomes = new Map<string, number>();
  let count = 0;
  for (const { point, apply } of damages) {
    const outcome = await openOutcome(sound, head, apply, point);
    outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
    count++;
  }
  rmSync(folder, { recursive: true });
  const note = [...outcomes].map(([outcome, times]) => `${times} ${outcome}`).join(', ');
  return [amountRow('damaged files', 'shorter in silence, or begun anew', { value: 0, unit: `of ${count}` }, { note })];
}
