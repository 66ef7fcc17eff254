import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { errorMessage } from '../../base/error_message.ts';
import { builtFile } from '../../base/built_file.ts';
import { Fault } from '../../base/fault.ts';
import type { Uws } from './uws.ts';

/** The release that the server is tested with. */
export const UWS_VERSION = '20.56.0';
/** The command that installs it beside an installed package. */
const INSTALL_UWS = `npm install uWebSockets.js@npm:@btc-vision/uwebsockets.js@${UWS_VERSION}`;
/** ABIs of the Nodes that it has binaries for: 20, 22 and 24. */
const ABIS: ReadonlySet<string> = new Set(['115', '127', '137']);
/** The glibc that its Linux binaries are linked against. */
const OLDEST_GLIBC = [2, 38] as const;

/** The machine code for this machine and this Node, as every build names it. */
const binaryName = `uws_${process.platform}_${process.arch}_${process.versions.modules}.node`;
const require = createRequire(import.meta.url);
/** Bytes: the release by itself answers 431 to heads above 4 KiB. */
const LONGEST_HEAD = 65_536;

/** The path of the binary, or the reason why none would load. */
export type FoundUws = { readonly binary: string } | { readonly why: string; readonly install?: string };

/** The binary that set-up has put into build/, or that of the package beside this one. */
export function findUws(): FoundUws {
  if (!ABIS.has(process.versions.modules))
    return { why: `uWebSockets.js ${UWS_VERSION} has no binary for Node ${process.versions.node}` };
  const built = fileURLToPath(builtFile(`uws/${binaryName}`));
  if (existsSync(built)) return { binary: built };
  const folder = installedFolder();
  if (folder === undefined) return { why: 'uWebSockets.js is not installed', install: INSTALL_UWS };
  const version = packageVersion(folder);
  if (version !== UWS_VERSION)
    return { why: `uWebSockets.js ${version} is installed instead of ${UWS_VERSION}`, install: INSTALL_UWS };
  const binary = join(folder, binaryName);
  if (!existsSync(binary))
    return { why: `uWebSockets.js ${UWS_VERSION} has no binary for ${process.platform}-${process.arch}` };
  const lack = lackOfLibrary();
  return lack === undefined
    ? { binary }
    : { why: `uWebSockets.js ${UWS_VERSION} needs glibc ${OLDEST_GLIBC.join('.')}, and ${lack}` };
}

/** The package's `exports` hide its binaries, but not where it lies. */
function installedFolder(): string | undefined {
  try {
    return dirname(require.resolve('uWebSockets.js'));
  } catch {
    return undefined;
  }
}

function packageVersion(folder: string): string {
  try {
    return String(getMember(JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')), 'version'));
  } catch {
    return 'of another kind';
  }
}

/** Names this system's C library where the binary needs another one; undefined where it will do. */
function lackOfLibrary(): string | undefined {
  if (process.platform !== 'linux') return undefined;
  const glibc = getMember(getMember(process.report.getReport(), 'header'), 'glibcVersionRuntime');
  if (typeof glibc !== 'string') return 'this system has another C library';
  const [major = 0, minor = 0] = glibc.split('.').map(Number);
  const isOld = major < OLDEST_GLIBC[0] || (major === OLDEST_GLIBC[0] && minor < OLDEST_GLIBC[1]);
  return isOld ? `this system has ${glibc}` : undefined;
}

function getMember(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null && name in value ? Reflect.get(value, name) : undefined;
}

/**
 * The binary in a folder that holds a release of uWebSockets.js, or a file that is one. Fault `configuration` when
 * there is none.
 */
export function findUwsBinary(path: string): string {
  const here = createRequire(`${process.cwd()}/`);
  const place = path.startsWith('/') ? path : `./${path}`;
  for (const file of [
    `${place}/${binaryName}`,
    `${place}/binaries/${binaryName}`,
    ...(path.endsWith('.node') ? [place] : []),
  ]) {
    try {
      return here.resolve(file);
    } catch {
      // the next one
    }
  }
  throw new Fault(
    'configuration',
    `webserver-uws-module: ${path} holds no uWebSockets.js for Node ${process.versions.node} on this machine: a folder with ${binaryName} is expected`,
  );
}

/** Loads machine code. Fault `configuration` when it is none, or for another Node. */
export function loadUws(binary: string): Uws {
  const loaded = loadBinary(binary);
  if (isUws(loaded)) return loaded;
  throw new Fault('configuration', `${binary} is no uWebSockets.js`);
}

function loadBinary(binary: string): unknown {
  // Read once, by the first app. Our own limit is lower than this.
  process.env['UWS_HTTP_MAX_HEADERS_SIZE'] ??= `${LONGEST_HEAD}`;
  try {
    // No bundler follows a path that is known at run time only.
    return require(binary) as unknown;
  } catch (error) {
    const [reason = ''] = errorMessage(error).split('\n');
    throw new Fault(
      'configuration',
      `uWebSockets.js can't be loaded: ${reason} (${binary}); webserver-http-server = node needs none`,
    );
  }
}

function isUws(loaded: unknown): loaded is Uws {
  if (typeof loaded !== 'object' || loaded === null) return false;
  return ['App', 'us_listen_socket_close', 'us_socket_local_port'].every((name) => name in loaded);
}
