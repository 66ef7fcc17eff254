// npm run bench: every bench, one table. `-- --quick` smallest form, `-- --only NAME` those whose path contains it (it
// may be given several times), `-- --compare REV` in turns with another revision, `-- --figures` also keeps what each
// bench has found of its budgets in bench/figures.json, draws bench/figures.svg and writes bench/figures.md of all that
// are kept; `-- --draw` measures nothing and does that again. `-- --costs` records the sheet of costs instead.
import { fork } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { availableParallelism, cpus } from 'node:os';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import type { Row } from './bench.ts';
import { compare } from './compare.ts';
import { drawSheet, loadsNamed, recordSheet } from './costs.ts';
import { figuresPage } from './figures_page.ts';
import { plot, withNewer, type Figures } from './plot.ts';
import type { SmallResult } from './small.ts';
import { table } from './table.ts';

const here = new URL('./', import.meta.url); // build/bench/
const values = readOptions();

/** Many benches wait for blocks. The one that judges in its small form counts CPU time against that of the same process. */
const SMALL_AT_ONCE = Math.min(2, availableParallelism());

const chosen = benchFiles().filter((file) => values.only.some((part) => file.includes(part)));
const loads = loadsNamed(values.only);
if (values.costs && loads.length === 0) refuse(`no load of the sheet has ${values.only.join(' or ')} in its name`);
if (!values.costs && chosen.length === 0) refuse(`no bench has ${values.only.join(' or ')} in its path`);
const machine = `${cpus()[0]?.model.trim() ?? 'unknown'}, ${availableParallelism()} cores, Node ${process.version}`;
const rows: Row[] = [];
const failed: { readonly file: string; readonly message: string }[] = [];
if (values.costs) await recordSheet(machine, loads);
else if (values.draw) drawKept();
else if (values.compare === undefined) {
  if (values.quick) await runSmall();
  else for (const file of chosen) await runOne(file);
  report();
} else console.log(`\n${await compare(values.compare, chosen, readRows)}`);

/** `only` is a part of a bench's path; without it, all of them. */
function readOptions() {
  try {
    return parseArgs({
      options: {
        quick: { type: 'boolean', default: false },
        only: { type: 'string', multiple: true, default: [''] },
        compare: { type: 'string' },
        figures: { type: 'boolean', default: false },
        draw: { type: 'boolean', default: false },
        costs: { type: 'boolean', default: false },
      },
    }).values;
  } catch (error) {
    return refuse(error instanceof Error ? error.message : String(error));
  }
}

function refuse(reason: string): never {
  process.stderr.write(`pharos: ${reason}; bench/README.md says how to run them\n`);
  process.exit(2);
}

/**
 * Paths below build/bench/, such as `crypto/signatures.js`, of the files that export `run`; the others there are their
 * parts.
 */
function benchFiles(): string[] {
  const folders = readdirSync(here, { withFileTypes: true }).filter((entry) => entry.isDirectory());
  const files = folders.flatMap(({ name }) => readdirSync(new URL(`${name}/`, here)).map((file) => `${name}/${file}`));
  return files
    .filter(
      (file) =>
        file.endsWith('.js') && /^export (?:async )?function run\(/m.test(readFileSync(new URL(file, here), 'utf8')),
    )
    .sort();
}

async function runOne(file: string): Promise<void> {
  process.stdout.write(`${file} … `);
  try {
    const own = await readRows(here, file);
    rows.push(...own);
    if (values.figures) keepFigures([{ bench: file, machine, when: new Date().toISOString(), rows: own }]);
    process.stdout.write(`${own.length} lines\n`);
  } catch (error) {
    noteFailure(file, error instanceof Error ? error.message : String(error));
  }
}

function noteFailure(file: string, message: string): void {
  failed.push({ file, message });
  console.log(`${file}: ${message}`);
}

/** The small form of all that are chosen, in few processes: to start one takes longer than most benches. */
async function runSmall(): Promise<void> {
  const left = [...chosen];
  const runAll = async (): Promise<void> => {
    while (left.length > 0) {
      const broken = await runSmallBenches(left);
      if (broken !== undefined) noteFailure(broken, 'the process has ended');
    }
  };
  await Promise.all(Array.from({ length: SMALL_AT_ONCE }, runAll));
}

/** Takes benches of the list into one process, one after another; the one in which the process has broken down. */
function runSmallBenches(left: string[]): Promise<string | undefined> {
  const child = fork(fileURLToPath(new URL('small.js', here)));
  let current: string | undefined;
  const next = (): void => {
    current = left.shift();
    if (current === undefined) child.disconnect();
    else child.send(current);
  };
  child.on('message', ({ file, failure }: SmallResult) => {
    if (failure === undefined) console.log(`runs: ${file}`);
    else noteFailure(file, failure);
    next();
  });
  next();
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('exit', () => resolve(current));
  });
}

function readRows(folder: URL, file: string): Promise<readonly Row[]> {
  const child = fork(fileURLToPath(new URL('one.js', folder)), [
    new URL(file, folder).href,
    values.quick ? 'quick' : 'full',
  ]);
  return new Promise((resolve, reject) => {
    let received: readonly Row[] | undefined;
    child.on('message', (sent: readonly Row[]) => {
      received = sent;
    });
    child.on('error', reject);
    child.on('exit', (code, signal) => {
      if (code === 0 && received !== undefined) resolve(received);
      else reject(new Error(`ended with ${signal ?? `code ${code}`}`));
    });
  });
}

function report(): void {
  // The small form proves that everything runs; its figures would only mislead.
  if (!values.quick && rows.length > 0) {
    console.log(`\n${table(rows)}\n\n${machine}. Work per CPU-second of the working process, all its threads.`);
    writeFileSync(
      new URL('../bench.json', here),
      `${JSON.stringify({ machine, when: new Date().toISOString(), rows }, null, 1)}\n`,
    );
    console.log('also in build/bench.json');
  }
  if (failed.length === 0 && chosen.length > 0) return;
  console.log(
    chosen.length === 0
      ? `no bench has "${values.only.join('" or "')}" in its path`
      : `failed: ${failed.map(({ file }) => file).join(', ')}`,
  );
  // Once more at the end, behind whatever the benches have written.
  for (const { file, message } of failed) console.log(`${file}: ${message.split('\n', 1)[0]}`);
  process.exitCode = 1;
}

/** Replaces the kept figures of these benches, one after the other, so that a run that is ended early has lost nothing; and draws and writes all. */
function keepFigures(newer: Figures): void {
  const file = new URL('../../bench/figures.json', here);
  const kept: unknown = JSON.parse(readFileSync(file, 'utf8'));
  if (!isFigures(kept)) throw new Error('bench/figures.json: a list of benches with rows expected');
  const figures = withNewer(kept, newer);
  writeFileSync(file, `${JSON.stringify(figures, null, 1)}\n`);
  writeFileSync(new URL('../../bench/figures.svg', here), plot(figures));
  writeFileSync(new URL('../../bench/figures.md', here), figuresPage(figures));
}

function isFigures(kept: unknown): kept is Figures {
  const isBench = (one: unknown): boolean =>
    typeof one === 'object' && one !== null && 'bench' in one && 'rows' in one && Array.isArray(one.rows);
  return Array.isArray(kept) && kept.every(isBench);
}

/** Draws and writes the kept figures again, as after a change of how they look. */
function drawKept(): void {
  keepFigures([]);
  drawSheet();
}
