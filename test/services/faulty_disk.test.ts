import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { cpSync } from 'node:fs';
import { after, before, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { seeded } from '../faults/damage.ts';
import { at, optionalMember, numberMember, textMember, type Json } from '../outside/json.ts';
import type { Program } from '../outside/program.ts';
import { signed, makeTransaction, transfer } from '../outside/signer.ts';
import { Site } from '../outside/site.ts';
import { waitUntil } from '../outside/wait_until.ts';

// A node on a disk that fails, is slow, or loses what was not synced, at the n-th call that concerns its folder.

const isLong = process.env['PHAROS_SERVICES_FORM'] === 'long';
const POINTS = isLong ? 80 : 16;
const AT_ONCE = 2;
const STREAMS = 4;
/** A node that goes on is killed so long behind its first acknowledgement. */
const LIFE_MS = 2000;
const STANDSTILL = ['--block-interval-ms', '900000000'];

const source = fileURLToPath(new URL('../../../test/services/faulty_disk.c', import.meta.url));
const site = new Site();
const shim = site.path('faulty_disk.so');

before(() => {
  const { status, stderr, error } = spawnSync(
    'cc',
    ['-shared', '-fPIC', '-O2', '-o', shim, source, '-ldl', '-lpthread'],
    {
      encoding: 'utf8',
    },
  );
  assert.equal(status, 0, `a C compiler, cc, is needed: ${error?.message ?? stderr}`);
});

after(() => site.clear());

interface Fault {
  readonly call: 'write' | 'sync' | 'rename' | 'open';
  readonly number: number;
  readonly what: string;
}

const [EIO, EMFILE, ENOSPC] = [5, 24, 28];

/** Faults at points that a node meets at its start or in its first seconds. */
function chooseFault(random: () => number): Fault {
  const one = <T>(items: readonly [T, ...T[]]): T => items[Math.trunc(random() * items.length)] ?? items[0];
  const below = (most: number): number => 1 + Math.trunc(random() * most);
  return one<() => Fault>([
    () => ({
      call: 'write',
      number: below(300),
      what: one([String(EIO), String(ENOSPC), `once-${EIO}`, 'short', 'delay', 'kill']),
    }),
    () => ({ call: 'write', number: below(300), what: one(['lose', 'tear', 'spoil']) }),
    () => ({ call: 'sync', number: below(120), what: one([String(EIO), `once-${EIO}`, 'delay', 'kill']) }),
    () => ({ call: 'sync', number: below(120), what: one(['lose', 'tear', 'spoil']) }),
    () => ({ call: 'rename', number: below(6), what: one([String(EIO), String(ENOSPC), 'kill', 'lose']) }),
    () => ({ call: 'open', number: below(40), what: one([String(EMFILE), `once-${EIO}`, 'kill', 'lose']) }),
  ])();
}

interface Acknowledged {
  readonly id: string;
  readonly block: number;
}

/** Sends transfers, each behind the answer to the one before, until the node is gone. */
async function stream(program: Program, acknowledged: Acknowledged[], name: string): Promise<void> {
  for (let count = 0; program.isRunning; count++) {
    try {
      const trx = await signed(
        program,
        await makeTransaction(program, [transfer('alice', 'bob', '0.000001', `${name} ${count}`)]),
        'alice',
      );
      const done: Json = await program.call('network_broadcast_api.broadcast_transaction_synchronous', { trx });
      if (optionalMember(done, 'result') === undefined) continue;
      acknowledged.push({ id: textMember(done, 'result.id'), block: numberMember(done, 'result.block_num') });
    } catch {
      // A node that has ended does not answer.
      await pause(2);
    }
  }
}

/** A life on the faulty disk; what was acknowledged in it. */
async function live(folder: string, { call, number, what }: Fault): Promise<Acknowledged[]> {
  const environment = { LD_PRELOAD: shim, FAULTY_DISK_FOLDER: folder, FAULTY_DISK_RULE: `${call}:${number}:${what}` };
  const program = site.start(['dev', '--data-dir', folder, '--port', '0', '--block-interval-ms', '100'], environment);
  const acknowledged: Acknowledged[] = [];
  const isUp = await program.ready().then(
    () => true,
    () => false,
  );
  if (isUp) {
    const streams = Array.from({ length: STREAMS }, (_, index) =>
      stream(program, acknowledged, `${call} ${number} ${what} ${index}`),
    );
    await waitUntil('an acknowledgement', () => acknowledged.length > 0 || !program.isRunning || undefined);
    await Promise.race([program.exited, pause(LIFE_MS)]);
    program.kill();
    await Promise.all(streams);
  }
  const code = await program.exited;
  // Killed, or stopped by itself with the cause in one line.
  if (code !== null) {
    assert.ok(code === 1 || code === 3, `code ${code}: ${program.stderr}`);
    assert.match(
      program.stderr,
      /^pharos: [^\n]*(?:EIO|ENOSPC|EMFILE|Input\/output error|No space left|Too many open files|i\/o error)[^\n]*\n$/m,
    );
    assert.doesNotMatch(program.stderr, /Seen error|^\s+at /m);
  }
  return acknowledged;
}

/** Started again on a sound disk: everything acknowledged is there, or the program says that it is not. */
async function assertKept(folder: string, acknowledged: readonly Acknowledged[]): Promise<'kept' | 'said'> {
  const program = site.start(['dev', '--data-dir', folder, '--port', '0', ...STANDSTILL]);
  try {
    await program.ready();
  } catch {
    assert.equal(await program.exited, 3, program.stderr);
    assert.match(program.stderr, /^pharos: [^\n]*(?:lacks block|is damaged|is missing)[^\n]*--accept-head \d+\n$/m);
    return 'said';
  }
  for (const { id, block } of acknowledged) {
    const found = await program.result('alexandria_api.get_transaction', { tx_id: id });
    assert.equal(at(found, 'tx.block_num'), block);
  }
  assert.equal(await program.stop(), 0);
  const { code, stdout } = await site.run(['verify', '--data-dir', `${folder}/chain`]);
  assert.deepEqual([code, /: intact$/m.test(stdout)], [0, true], stdout);
  return 'kept';
}

test(`on a disk that fails at ${POINTS} points nothing acknowledged is lost in silence, and each exit has its cause`, async () => {
  const random = seeded(isLong ? Date.now() % 65_536 : 17);
  const faults = Array.from({ length: POINTS }, () => chooseFault(random));
  let [acknowledgements, kept] = [0, 0];
  const begun = site.path('begun');
  const first = await live(begun, { call: 'write', number: 1e9, what: 'kill' });
  const one = async (): Promise<void> => {
    for (let fault = faults.pop(); fault !== undefined; fault = faults.pop()) {
      const folder = site.path(`chain ${faults.length}`);
      // A chain that is there already, and some that are being begun.
      const isNew = faults.length % 4 === 0;
      if (!isNew) cpSync(begun, folder, { recursive: true });
      try {
        const acknowledged = [...(isNew ? [] : first), ...(await live(folder, fault))];
        acknowledgements += acknowledged.length;
        if ((await assertKept(folder, acknowledged)) === 'kept') kept++;
      } catch (error) {
        throw new Error(`${fault.call}:${fault.number}:${fault.what} in ${folder}`, { cause: error });
      }
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, one));
  assert.ok(acknowledgements > POINTS, `${acknowledgements} acknowledgements`);
  // A disk that keeps what it has synced loses nothing.
  assert.equal(kept, POINTS);
});
