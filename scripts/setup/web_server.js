import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { inProject } from '../place.js';
import { installApart, removeApart } from './apart.js';
import { keepBuild, restoreBuild } from './cache.js';
import { SetupFailure } from './failure.js';
import { forOlderGlibc } from './older_glibc.js';
import { contentKey, isStamped, stamped } from './stamp.js';
import { findBinary, CHANGED_GLIBC, thisMachine, UWS_GLIBC, UWS_VERSION } from './uws_binaries.js';

const folder = 'build/uws';
const source = { what: 'uWebSockets.js', pinnedIn: 'scripts/setup/web_server', folder: 'build/uws_package' };
const inputs = ['uws_binaries.js', 'older_glibc.js', 'web_server.js', 'web_server/package-lock.json'].map(
  (name) => `scripts/setup/${name}`,
);

/** Puts the binary of uWebSockets.js that fits this Node into build/uws/: 7 MB of the 116 in its package. */
export const webServer = {
  name: 'web server',
  needs: [],
  doing: 'fetching the binary of uWebSockets.js',
  isCurrent: () =>
    isStamped(stampPath(), stampText('none')) ||
    (isStamped(stampPath(), stampText('there')) && existsSync(inProject(ownPath()))),
  async run(say) {
    const wanted = findBinary(thisMachine());
    if (wanted.why !== undefined) {
      await stamped(stampPath(), stampText('none'), () => say(`${wanted.why}: node:http answers`));
      return 'none fits';
    }
    let how = 'done';
    await stamped(stampPath(), stampText('there'), async () => {
      if (restoreBuild('uws', binaryKey(wanted), [binaryPath(wanted)])) how = 'taken from the cache';
      else await fetchBinary(wanted);
    });
    if (wanted.changedSha256 !== undefined) say(changedNotice(wanted));
    return how;
  },
};

/** One for each Node that has used this clone. */
function stampPath() {
  return `build/.stamp_uws_${process.versions.modules}`;
}

/** Without the version of glibc, which takes 15 ms to find out. @param {'there' | 'none'} outcome */
function stampText(outcome) {
  const { platform, arch, versions } = process;
  return contentKey({ files: inputs, texts: [platform, arch, versions.modules, outcome] });
}

/** Returns the path of the binary for this machine, if there is one. */
function ownPath() {
  const { platform, arch, versions } = process;
  return `${folder}/uws_${platform}_${arch}_${versions.modules}.node`;
}

function binaryPath({ file }) {
  return `${folder}/${file}`;
}

function binaryKey({ file, changedSha256, sha256 }) {
  return contentKey({ files: inputs, texts: [file, changedSha256 ?? sha256] });
}

async function fetchBinary(wanted) {
  await installApart(source);
  try {
    takeBinary(
      wanted,
      inProject(source.folder, 'node_modules/uWebSockets.js', wanted.file),
      inProject(binaryPath(wanted)),
    );
  } finally {
    removeApart(source.folder);
  }
  keepBuild('uws', binaryKey(wanted), [binaryPath(wanted)]);
}

/**
 * Writes a binary, or its copy for an older glibc, to where the program looks for it. SetupFailure for a file of another digest.
 * @param {{ file: string, sha256: string, changedSha256?: string }} wanted
 * @param {string} from
 * @param {string} to
 */
export function takeBinary({ file, sha256, changedSha256 }, from, to) {
  if (!existsSync(from)) throw new SetupFailure(`the package of uWebSockets.js ${UWS_VERSION} lacks ${file}`);
  const released = readFileSync(from);
  requireDigest(file, released, sha256);
  const taken = changedSha256 === undefined ? released : forOlderGlibc(released);
  if (changedSha256 !== undefined) requireDigest(`the copy of ${file} for an older glibc`, taken, changedSha256);
  mkdirSync(inProject(folder), { recursive: true });
  writeFileSync(`${to}.new`, taken);
  // A running node may have the file open.
  rmSync(to, { force: true });
  renameSync(`${to}.new`, to);
}

function requireDigest(name, bytes, wanted) {
  const digest = createHash('sha256').update(bytes).digest('hex');
  if (digest === wanted) return;
  throw new SetupFailure(
    `${name} is not the file that uWebSockets.js ${UWS_VERSION} was pinned with: sha256 ${digest}, expected ${wanted}`,
  );
}

function changedNotice({ file }) {
  return `uWebSockets.js needs glibc ${UWS_GLIBC}, this system has less: ${folder}/${file} is a copy, changed to ask for ${CHANGED_GLIBC} (src/pages/guides/http_servers.md)`;
}
