import { spawnSync } from 'node:child_process';
import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { listFiles, inProject, root } from '../place.js';
import { bundleLibraries, bundleProgram, programFile } from './bundled.js';
import { builtOrRestored } from './cached.js';
import { runCommand } from './command.js';
import { SetupFailure } from './failure.js';
import { packages, packageProgram, wantedPackages } from './packages.js';
import { isUpToDate } from './stamp.js';

const stamp = 'build/.stamp_typescript';
const compiledFolders = ['src', 'test', 'bench', 'scripts'];
/** By which the compiler knows what it has compiled; kept with the outputs that it describes. */
const buildInfo = 'build/typescript.tsbuildinfo';
const outputs = [...[...compiledFolders, 'program'].map((name) => `build/${name}`), buildInfo];

/**
 * Compiles TypeScript into build/, where each file keeps its path, deletes what deleted sources left there, and bundles
 * the program.
 */
export const typescript = {
  name: 'typescript',
  needs: [packages],
  doing: 'compiling TypeScript',
  isCurrent() {
    const needed = [programFile, 'build/build_info.json', ...sourceFiles().map(outputPath)];
    return isUpToDate(stamp, inputs()) && needed.every((path) => existsSync(inProject(path)));
  },
  async run() {
    const how = await builtOrRestored({ name: 'typescript', stamp, inputs: inputs(), outputs, build });
    writeBuildInfo();
    return how;
  },
};

async function build() {
  deleteStaleOutputs();
  // The compiler writes no output again whose source has not changed since.
  if (!sourceFiles().every((path) => existsSync(inProject(outputPath(path)))))
    rmSync(inProject(buildInfo), { force: true });
  const [command, ...args] = packageProgram('typescript', 'bin/tsc');
  const pretty = String(process.stderr.isTTY === true);
  const incremental = ['--incremental', '--tsBuildInfoFile', buildInfo];
  const { status, output } = await runCommand(command, [...args, '-p', '.', '--pretty', pretty, ...incremental]);
  if (status !== 0) throw new SetupFailure('the types do not fit, see above', output);
  bundleProgram();
  bundleLibraries();
}

/**
 * Writes the build's version and revision (`about`); zeros outside a git checkout, and a container's build gets no
 * revision.
 */
export function writeBuildInfo({ isPackage = false } = {}) {
  const git = (...args) => spawnSync('git', args, { cwd: root, encoding: 'utf8' }).stdout?.trim() ?? '';
  const info = {
    revision: git('rev-parse', 'HEAD') || process.env.REVISION || '0'.repeat(40),
    revisionTime: Number(git('log', '-1', '--format=%ct')) || 0,
    compileTime: Math.trunc(Date.now() / 1000),
  };
  // The same sources give the same package, whenever it is made.
  if (isPackage) info.compileTime = info.revisionTime;
  writeFileSync(inProject('build/build_info.json'), `${JSON.stringify(info)}\n`);
}

function sourceFiles() {
  return compiledFolders.flatMap(listFiles).filter((path) => path.endsWith('.ts') && !path.endsWith('.d.ts'));
}

/** Sources, declarations, and the plain JavaScript that tests import. */
function inputs() {
  const files = compiledFolders
    .flatMap(listFiles)
    .filter((path) => path.endsWith('.ts') || (path.startsWith('scripts/') && path.endsWith('.js')));
  return { files: [...files, 'tsconfig.json', 'package.json'], texts: [wantedPackages()] };
}

function outputPath(source) {
  return `build/${source.replace(/\.ts$/, '.js')}`;
}

function deleteStaleOutputs() {
  for (const folder of compiledFolders) {
    for (const output of listFiles(`build/${folder}`)) {
      const stem = output.slice('build/'.length).replace(/\.(?:js(?:\.map)?|d\.ts)$/, '');
      if (!existsSync(inProject(`${stem}.ts`)) && !existsSync(inProject(`${stem}.js`))) rmSync(inProject(output));
    }
  }
}
