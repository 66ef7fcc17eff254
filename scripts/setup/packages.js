import { spawnSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { inProject, root } from '../place.js';
import { SetupFailure } from './failure.js';
import { networkMissing, npm } from './npm.js';
import { contentHash, isStamped, readText, stamped } from './stamp.js';
import { isTrimmedElsewhere, trimPackages } from './trim.js';

// Inside node_modules, so that deleting the folder also deletes what says that it is complete.
const stampPath = 'node_modules/.pharos_packages';

// Packages with machine code. Their install scripts would build it where no ready-made file fits the machine.
const nativeModules = [
  { name: '@nxtedition/rocksdb', load: '@nxtedition/rocksdb', without: undefined },
  {
    name: 'secp256k1',
    load: 'secp256k1/bindings',
    without: 'it falls back to JavaScript, so comparisons in bench/ are meaningless',
  },
];

/** Installs exactly what package-lock.json names, and sees that its machine code loads on this machine. */
export const packages = {
  name: 'packages',
  needs: [],
  doing: 'installing packages',
  isCurrent: () => isStamped(stampPath, wantedAndTrimmed()),
  async run(say) {
    if (readText('package-lock.json') === undefined)
      throw new SetupFailure('package-lock.json is missing: it pins every package');
    refuseUnpinned();
    await stamped(stampPath, wantedAndTrimmed(), async () => {
      // What another machine has left lacks what fits this one.
      if (isTrimmedElsewhere()) rmSync(inProject('node_modules'), { recursive: true });
      // Somebody who ran npm themselves has nothing to wait for.
      if (!isInstalled()) await install(say);
      for (const module of nativeModules) await ensureLoads(module, say);
      await trimPackages();
    });
  },
};

function wantedAndTrimmed() {
  return `${wantedPackages()} ${contentHash('scripts/setup/trim.js')}`;
}

/** Changes with the pinned packages and with the machine that their machine code must fit. */
export function wantedPackages() {
  return `${contentHash('package-lock.json')} ${process.platform} ${process.arch} ${process.versions.modules}`;
}

/**
 * True when npm's own record of node_modules names each pinned package in its pinned version; optional packages may be
 * missing.
 */
function isInstalled() {
  const record = readText('node_modules/.package-lock.json');
  if (record === undefined) return false;
  const installed = JSON.parse(record).packages;
  const { '': _project, ...wanted } = lockedPackages();
  const isThere = ([path, entry]) => (path in installed ? isSame(installed[path], entry) : isOptional(entry));
  const isWanted = ([path, entry]) => path in wanted || isOptional(entry);
  return Object.entries(wanted).every(isThere) && Object.entries(installed).every(isWanted);
}

function isOptional(entry) {
  return entry.optional === true || entry.devOptional === true;
}

function isSame(installed, wanted) {
  return installed.version === wanted.version && installed.integrity === wanted.integrity;
}

function lockedPackages() {
  return JSON.parse(readText('package-lock.json')).packages;
}

function refuseUnpinned() {
  const project = JSON.parse(readText('package.json'));
  const { '': locked } = lockedPackages();
  for (const kind of ['dependencies', 'devDependencies', 'peerDependencies']) {
    const names = Object.keys({ ...project[kind], ...locked[kind] });
    const differs = names.find((name) => project[kind]?.[name] !== locked[kind]?.[name]);
    if (differs !== undefined) {
      throw new SetupFailure(
        `package.json and package-lock.json differ in ${differs}: run npm install --ignore-scripts, and commit both`,
      );
    }
  }
}

async function install(say) {
  const missing = await networkMissing();
  if (missing !== undefined) say(`${missing}; perhaps npm's cache has everything`);
  // Not `npm ci`: it fails where the lock file lacks a package for another platform that the registry it was made from
  // doesn't have. So the lock file is compared before, and npm's record after. Install scripts stay off: npm 10 runs
  // them unasked, npm 11 asks first. What needs one is built below, by name.
  const flags = [
    '--no-save',
    '--ignore-scripts',
    '--include=dev',
    '--include=optional',
    '--no-audit',
    '--no-fund',
    '--no-update-notifier',
  ];
  const { status, error, output } = await npm([
    'install',
    ...flags,
    ...(missing === undefined ? [] : ['--offline']),
    '--loglevel=error',
  ]);
  if (error) throw new SetupFailure(`npm could not be started: ${error.message}`);
  if (status !== 0 && missing !== undefined)
    throw new SetupFailure(
      `${missing}, and npm's cache lacks packages: connect to the network, and run the same command again`,
      output,
    );
  if (status !== 0) throw new SetupFailure('installing packages failed, npm says why above', output);
  if (!isInstalled())
    throw new SetupFailure(
      'npm installed other packages than package-lock.json names: delete node_modules and try again',
    );
}

/** Builds a package's machine code where no ready-made one fits. */
export async function ensureLoads({ name, load, without }, say) {
  if (loads(load)) return;
  say(`no ready-made machine code of ${name} fits ${process.platform}-${process.arch}: building it`);
  const missing = ['python3', 'make', 'g++'].filter(
    (tool) => spawnSync(tool, ['--version'], { stdio: 'ignore' }).error,
  );
  const built = missing.length === 0 ? await npm(['explore', name, '--', 'node-gyp', 'rebuild']) : undefined;
  if (built?.status === 0 && loads(load)) return;
  const reason =
    missing.length > 0
      ? `building it needs ${missing.join(', ')}, which this machine does not have: install them, and run the same command again`
      : 'building it failed, see above';
  if (without === undefined) throw new SetupFailure(`${name} does not load here, and ${reason}`, built?.output);
  say(`${name}: ${reason}; ${without}`);
}

/** In a process of its own: machine code that doesn't fit may take the process with it. */
function loads(module) {
  return (
    spawnSync(process.execPath, ['-e', `require(${JSON.stringify(module)})`], { cwd: root, stdio: 'ignore' }).status ===
    0
  );
}

/**
 * The start of a command line that runs a package's program with this Node, from its own file and not from a shell
 * wrapper.
 */
export function packageProgram(name, file) {
  return [process.execPath, inProject('node_modules', name, file)];
}
