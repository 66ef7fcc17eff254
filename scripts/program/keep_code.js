// Run by set-up: lets the program do what most starts do, so that each of its parts keeps the functions that it has
// compiled (load.js).
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inProject } from '../place.js';
import { programFile, programFolder } from '../setup/bundled.js';

const patienceMs = 60_000;

const folder = mkdtempSync(join(tmpdir(), 'pharos-set-up-'));
mkdirSync(inProject(programFolder, 'code', `${process.version}-${process.arch}`), { recursive: true });
const chain = start('dev', '--data-dir', join(folder, 'chain'), '--port', '0', '--p2p-endpoint', '127.0.0.1:0');
try {
  const [, url] = await said(chain, /JSON-RPC +(\S+)/);
  await ended(start('wallet', '--wallet-file', join(folder, 'wallet.json'), '--server', url, 'get_account', 'alice'));
  chain.kill('SIGINT');
  await ended(chain);
} finally {
  chain.kill('SIGKILL');
  rmSync(folder, { recursive: true, force: true });
}

function start(...args) {
  return spawn(process.execPath, [inProject(programFile), ...args], {
    cwd: folder,
    env: { ...plainEnvironment(), KEEP_PROGRAM_CODE: '1' },
    stdio: ['ignore', 'pipe', 'ignore'],
    timeout: patienceMs,
  });
}

/** Neither settings of a node nor flags of this one's reach the program. */
function plainEnvironment() {
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^(?:PHAROS|NODE)_/.test(name)));
}

async function said(program, pattern) {
  let text = '';
  for await (const piece of program.stdout) {
    text += piece;
    const match = pattern.exec(text);
    if (match !== null) return match;
  }
  throw new Error(`the program has ended and said ${text}`);
}

async function ended(program) {
  program.stdout?.resume();
  if (program.exitCode === null && program.signalCode === null) await once(program, 'exit');
  if (program.exitCode !== 0) throw new Error(`the program has ended with ${program.signalCode ?? program.exitCode}`);
}
