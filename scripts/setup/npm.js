import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { root } from '../place.js';

// A registry that is there answers within a second or two; npm by itself would try for many minutes.
const patienceMs = 30_000;
const networkCodes = /^(?:ENOTFOUND|EAI_AGAIN|EAI_FAIL|ECONN\w+|ENET\w+|EHOST\w+|EPIPE|ETIMEDOUT|EIDLETIMEOUT|ERR_SOCKET_TIMEOUT)$/;

/** Runs the npm that runs us, or the one on the path. What it prints goes to stderr: stdout belongs to the program. */
export function npm(args, options = {}) {
  const all = { cwd: root, stdio: ['ignore', 2, 2], ...options };
  const current = process.env.npm_execpath ?? '';
  if (basename(current) === 'npm-cli.js') return spawnSync(process.execPath, [current, ...args], all);
  return process.platform === 'win32' ? spawnSync('npm.cmd', args, { ...all, shell: true }) : spawnSync('npm', args, all);
}

/** Why no package can be fetched; undefined when the registry that npm is set to answers, whatever it says. */
export function networkMissing() {
  // In npm's own cache there may be an old answer, which it takes without a word where no new one comes.
  const cache = mkdtempSync(join(tmpdir(), 'pharos-npm-'));
  const { error, stderr } = npm(['view', 'commander', 'version', `--cache=${cache}`, '--fetch-retries=0', '--loglevel=error'], {
    stdio: ['ignore', 'ignore', 'pipe'],
    encoding: 'utf8',
    timeout: patienceMs,
    killSignal: 'SIGKILL',
  });
  rmSync(cache, { recursive: true, force: true });
  if (error?.code === 'ETIMEDOUT') return `no network: the package registry has not answered for ${patienceMs / 1000} s`;
  const code = /^npm (?:error|ERR!) code (\S+)/m.exec(stderr ?? '')?.[1] ?? '';
  if (!networkCodes.test(code)) return undefined;
  const reason = /reason: (.+)$/m.exec(stderr)?.[1] ?? code;
  return `no network: the package registry can't be reached (${reason})`;
}
