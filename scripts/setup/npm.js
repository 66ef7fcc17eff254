import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { runCommand } from './command.js';

// A registry that is there answers within a second or two; npm by itself would try for many minutes.
const patienceMs = 30_000;
const networkCodes =
  /^(?:ENOTFOUND|EAI_AGAIN|EAI_FAIL|ECONN\w+|ENET\w+|EHOST\w+|EPIPE|ETIMEDOUT|EIDLETIMEOUT|ERR_SOCKET_TIMEOUT)$/;

/** Runs the npm that runs us, or the one on the path, beside other steps; what it prints is kept. */
export function npm(args, options = {}) {
  const current = process.env.npm_execpath ?? '';
  if (basename(current) === 'npm-cli.js') return runCommand(process.execPath, [current, ...args], options);
  return process.platform === 'win32'
    ? runCommand('npm.cmd', args, { ...options, shell: true })
    : runCommand('npm', args, options);
}

/**
 * Returns the reason why no package can be fetched; undefined when npm's registry answers, whatever the answer is.
 * Asked once by each set-up.
 */
export function networkMissing() {
  asked ??= askRegistry();
  return asked;
}

let asked;

async function askRegistry() {
  // In npm's own cache there may be an old answer, which it takes without a word where no new one comes.
  const cache = mkdtempSync(join(tmpdir(), 'pharos-npm-'));
  const startedAt = performance.now();
  const { status, output } = await npm(
    ['view', 'commander', 'version', `--cache=${cache}`, '--fetch-retries=0', '--loglevel=error'],
    {
      timeout: patienceMs,
      killSignal: 'SIGKILL',
    },
  );
  rmSync(cache, { recursive: true, force: true });
  if (status === null && performance.now() - startedAt >= patienceMs)
    return `no network: the package registry has not answered for ${patienceMs / 1000} s`;
  const code = /^npm (?:error|ERR!) code (\S+)/m.exec(output)?.[1] ?? '';
  if (!networkCodes.test(code)) return undefined;
  const reason = /reason: (.+)$/m.exec(output)?.[1] ?? code;
  return `no network: the package registry can't be reached (${reason})`;
}
