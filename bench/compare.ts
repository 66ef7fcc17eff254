import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { grouped } from './table.ts';
import type { Row } from './bench.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
/** Each runs so often; the cheapest of them counts, because neighbours can only make it dearer. */
const ROUNDS = 3;

/** Runs one bench of the build whose bench/ folder this is. */
export type RunBench = (benchFolder: URL, file: string) => Promise<readonly Row[]>;

/** Builds another revision beside this one, lets both run the same benches in turns, and answers the ratios as text. */
export async function compare(revision: string, files: readonly string[], runBench: RunBench): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'pharos-compare-'));
  const tree = join(folder, 'tree');
  try {
    build(revision, tree);
    const theirs = pathToFileURL(join(tree, 'build', 'bench', '/'));
    const ours = new URL('./', import.meta.url);
    const best = { ours: new Map<string, number>(), theirs: new Map<string, number>() };
    for (const file of files) {
      for (let round = 0; round < ROUNDS; round++) {
        process.stdout.write(`${file}, round ${round + 1} of ${ROUNDS}\n`);
        // Who begins changes, so that a machine that warms up or slows down favours nobody.
        const order = [['theirs', theirs] as const, ['ours', ours] as const];
        for (const [whose, from] of round % 2 === 0 ? order : order.reverse())
          keepBest(best[whose], await rowsOr(runBench, from, file));
      }
    }
    return ratios(best.ours, best.theirs, revision);
  } finally {
    spawnSync('git', ['worktree', 'remove', '--force', tree], { cwd: ROOT, stdio: 'ignore' });
    rmSync(folder, { recursive: true, force: true });
  }
}

const COMPILER = "await (await import('./scripts/setup/wasm.js')).installCompiler();";

const BUNDLE =
  "const bundled = await import('./scripts/setup/bundled.js'); bundled.bundleProgram?.(); bundled.bundleLibraries(); bundled.keepProgramCode?.(console.log);";

/** The build step that keeps compiled code for the start; revisions before it have none. */
const KEEP_CODE = 'scripts/program/keep_code.js';

/**
 * A tree of its own for the revision, with our packages: they are pinned, and installing takes longer than measuring.
 */
function build(revision: string, tree: string): void {
  command('git', ['worktree', 'add', '--detach', tree, revision], ROOT);
  if (spawnSync('git', ['diff', '--quiet', revision, '--', 'package-lock.json'], { cwd: ROOT }).status !== 0)
    process.stdout.write(`${revision} pins other packages: it is built with those of this tree\n`);
  mkdirSync(join(tree, 'build'));
  linkPackages(revision, tree);
  // Compiled anew only where its C sources are others.
  for (const name of ['pharos_crypto.wasm', 'pharos_crypto.wasm.inputs'])
    cpSync(join(ROOT, 'build', name), join(tree, 'build', name));
  command(process.execPath, ['scripts/build_wasm.js'], tree);
  rmSync(join(ROOT, 'build/compiler'), { recursive: true, force: true });
  // Types that don't fit keep nothing from running; where nothing was written, the benches say so.
  command(
    process.execPath,
    ['node_modules/typescript/bin/tsc', '-p', '.', '--noCheck', '--noEmitOnError', 'false'],
    tree,
  );
  // Older revisions bundle less, or nothing.
  if (existsSync(join(tree, 'scripts/setup/bundled.js')))
    command(process.execPath, ['--input-type=module', '-e', BUNDLE], tree);
  if (existsSync(join(tree, 'scripts/setup/start_code.js'))) command(process.execPath, [KEEP_CODE], tree);
}

/** Our packages, and the compiler of native/ where the revision compiles another module: set-up has removed it. */
function linkPackages(revision: string, tree: string): void {
  const isSameModule =
    spawnSync('git', ['diff', '--quiet', revision, '--', 'native', 'scripts/build_wasm.js'], { cwd: ROOT }).status ===
    0;
  if (!isSameModule) command(process.execPath, ['--input-type=module', '-e', COMPILER], ROOT);
  mkdirSync(join(tree, 'node_modules'));
  const link = (from: string, name: string): void => symlinkSync(join(ROOT, from, name), join(tree, from, name), 'dir');
  for (const name of readdirSync(join(ROOT, 'node_modules'))) link('node_modules', name);
  if (isSameModule) return;
  // Older revisions look for it among their packages, later ones in build/.
  link('build', 'compiler');
  symlinkSync(join(ROOT, 'build/compiler/node_modules/@yowasp'), join(tree, 'node_modules/@yowasp'), 'dir');
}

function command(program: string, args: readonly string[], cwd: string): void {
  const { status, stderr, stdout } = spawnSync(program, args, { cwd, encoding: 'utf8' });
  if (status !== 0) throw new Error(`${program} ${args.join(' ')}: ${stderr}${stdout}`);
}

/** A bench that the other revision doesn't have, or that fails there, has nothing to be compared. */
async function rowsOr(runBench: RunBench, folder: URL, file: string): Promise<readonly Row[]> {
  try {
    return await runBench(folder, file);
  } catch (error) {
    process.stdout.write(
      `  ${file} of ${fileURLToPath(folder)}: ${error instanceof Error ? error.message : String(error)}\n`,
    );
    return [];
  }
}

function keepBest(best: Map<string, number>, rows: readonly Row[]): void {
  for (const { name, perCpuSecond, amount } of rows)
    if (amount === undefined) best.set(name, Math.max(best.get(name) ?? 0, perCpuSecond));
}

function ratios(ours: ReadonlyMap<string, number>, theirs: ReadonlyMap<string, number>, revision: string): string {
  const lines = [...ours].flatMap(([name, now]) => {
    const before = theirs.get(name);
    return before === undefined
      ? []
      : [`| ${name} | ${grouped(before)} | ${grouped(now)} | ${(now / before).toFixed(2)}× |`];
  });
  return [
    `| what, a CPU-second, best of ${ROUNDS} | ${revision} | this tree | ratio |`,
    '|---|---|---|---|',
    ...lines,
  ].join('\n');
}
