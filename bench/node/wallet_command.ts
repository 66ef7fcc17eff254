import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { assert } from '../../src/base/assert.ts';
import { newLock } from '../../src/wallet/key_file/sealed_file.ts';
import { sha256 } from '../../src/crypto/hashes.ts';
import { amountRow, type BenchOptions, type Row } from '../bench.ts';
import { DevNode } from '../dev_node.ts';
import { QUIET_RECOVER_MICROS, recoverMicros } from '../recovery.ts';

const PROGRAM = fileURLToPath(new URL('../../program/node/cli.js', import.meta.url));
/** The bound of one command: a script calls hundreds, and a person waits. */
const COMMAND_MS = 300;
/** The usual scrypt takes half a second on purpose, so the wallet of this bench has a cheap one. */
const CHEAP = { n: 1024, r: 8, p: 1 };
/** The last thing that a process says is what it has spent. */
const TELLS_CPU = `data:text/javascript,process.on('exit',()=>{const{user,system}=process.cpuUsage();process.stderr.write('\\ncpu '+(user+system))})`;

/**
 * Measures one command of the wallet, from the shell to its end: without a node, a read, and a transfer that is signed.
 */
export async function run({ quick }: BenchOptions): Promise<Row[]> {
  const rounds = quick ? 1 : 5;
  const folder = mkdtempSync(join(tmpdir(), 'pharos-bench-'));
  const node = await DevNode.start({});
  try {
    const walletFile = join(folder, 'wallet.json');
    const lock = await newLock('pw', CHEAP);
    writeFileSync(walletFile, lock.close({ chain: undefined, server: '' }, [sha256(Buffer.from('alice'))]), {
      mode: 0o600,
    });
    const flags = ['wallet', '--wallet-file', walletFile, '--server', node.url, '--trust-time', '--yes'];
    const row = (name: string, args: readonly string[]): Row => {
      const runs = Array.from({ length: rounds }, () => scaled(() => measureCpuMs([...flags, ...args])));
      const value = Math.min(...runs);
      const note = `as on a machine where a recovery takes ${QUIET_RECOVER_MICROS} µs`;
      return {
        ...amountRow(name, 'CPU milliseconds', { value, unit: 'ms' }, { note }),
        budget: { atMost: COMMAND_MS },
      };
    };
    return [
      row('wallet, one command without a node', ['--offline', 'help']),
      row('wallet, one read', ['get_account', 'alice']),
      row('wallet, one transfer that is signed and previewed, without its scrypt', [
        'transfer',
        'alice',
        'bob',
        '1 COIN',
        '',
        'false',
      ]),
    ];
  } finally {
    await node.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** By what a recovery takes around it: neighbours on the machine make everything dearer. */
function scaled(measure: () => number): number {
  const before = recoverMicros() ?? QUIET_RECOVER_MICROS;
  const value = measure();
  const after = recoverMicros() ?? QUIET_RECOVER_MICROS;
  return (value * QUIET_RECOVER_MICROS) / Math.max(QUIET_RECOVER_MICROS, (before + after) / 2);
}

function measureCpuMs(args: readonly string[]): number {
  const environment = { ...process.env, PHAROS_WALLET_PASSWORD: 'pw' };
  const { status, stderr } = spawnSync(process.execPath, ['--import', TELLS_CPU, PROGRAM, ...args], {
    encoding: 'utf8',
    env: environment,
  });
  const told = /\ncpu (\d+)$/.exec(stderr)?.[1];
  assert(status === 0 && told !== undefined, `the wallet does what it is asked: ${stderr}`);
  return Number(told) / 1000;
}
