import { spawnSync } from 'node:child_process';
import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { filesBelow, inProject, root } from '../place.js';
import { SetupFailure } from './failure.js';
import { bundleLibraries, bundleProgram, keepProgramCode, programFile } from './bundled.js';
import { packageProgram, wantedPackages } from './packages.js';
import { contentHash, fingerprint, isStamped, stamped } from './stamp.js';

const stampPath = 'build/.stamp_typescript';
const compiledFolders = ['src', 'test', 'bench', 'scripts'];

/** Compiles TypeScript into build/, where each file keeps its path, deletes what deleted sources left there, and bundles the program. */
export const typescript = {
  doing: 'compiling TypeScript',
  isCurrent() {
    const sources = sourceFiles();
    return isStamped(stampPath, wanted(sources)) && [programFile, ...sources.map(outputOf)].every((path) => existsSync(inProject(path)));
  },
  run(say) {
    stamped(stampPath, wanted(sourceFiles()), () => {
      deleteStaleOutputs();
      const [command, ...args] = packageProgram('typescript', 'bin/tsc');
      const { status } = spawnSync(command, [...args, '-p', '.', '--pretty', String(process.stderr.isTTY === true)], {
        cwd: root,
        stdio: ['ignore', 2, 2],
      });
      if (status !== 0) throw new SetupFailure('the types do not fit, see above');
      bundleProgram();
      bundleLibraries();
      writeBuildInfo();
      keepProgramCode(say);
    });
  },
};

/** What the program says of itself (`about`); zeros where this is no git checkout, and a container's build is told no revision. */
export function writeBuildInfo() {
  const git = (...args) => spawnSync('git', args, { cwd: root, encoding: 'utf8' }).stdout?.trim() ?? '';
  const info = {
    revision: git('rev-parse', 'HEAD') || process.env.REVISION || '0'.repeat(40),
    revisionTime: Number(git('log', '-1', '--format=%ct')) || 0,
    compileTime: Math.trunc(Date.now() / 1000),
  };
  writeFileSync(inProject('build/build_info.json'), `${JSON.stringify(info)}\n`);
}

function sourceFiles() {
  return compiledFolders.flatMap(filesBelow).filter((path) => path.endsWith('.ts') && !path.endsWith('.d.ts'));
}

function wanted(sources) {
  return fingerprint(sources, wantedPackages(), contentHash('tsconfig.json'), contentHash('package.json'), companions());
}

/** Files that take part in compiling without having an output: declarations, and the plain JS that tests import. */
function companions() {
  const paths = compiledFolders
    .flatMap(filesBelow)
    .filter((path) => path.endsWith('.d.ts') || (path.startsWith('scripts/') && path.endsWith('.js')));
  return fingerprint(paths);
}

function outputOf(source) {
  return `build/${source.replace(/\.ts$/, '.js')}`;
}

function deleteStaleOutputs() {
  for (const folder of compiledFolders) {
    for (const output of filesBelow(`build/${folder}`)) {
      const stem = output.slice('build/'.length).replace(/\.js(\.map)?$/, '');
      if (!existsSync(inProject(`${stem}.ts`)) && !existsSync(inProject(`${stem}.js`))) rmSync(inProject(output));
    }
  }
}
