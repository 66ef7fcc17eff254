import assert from 'node:assert/strict';
import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { after, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { encodeWif } from '../../src/crypto/wif.ts';
import { devGenesisText, devSecret } from '../../src/dev_chain/dev_genesis.ts';
import { profileNamed } from '../../src/settings/chain_settings.ts';
import { guideNamed } from '../pages/guides/guide.ts';
import { at, numberMember, optionalMember, textMember, type Json } from '../outside/json.ts';
import type { Machine, Program } from '../outside/program.ts';
import { makeTransaction, signed, transfer } from '../outside/signer.ts';
import { Site } from '../outside/site.ts';
import { waitUntil } from '../outside/wait_until.ts';

// A witness whose disk is filled while it makes blocks: room is made, and then the guide moves it to a larger disk.

const site = new Site();
const WITNESS = 'initminer';
const STREAMS = 4;
/** Another program takes what is free of the small disk, and again what the node has given back. */
const TAKE_ALL = `test "$(stat --file-system --format=%T data)" = tmpfs || exit 1
n=$(stat --file-system --format=%a data)
test $n -eq 0 || fallocate --length $((n * $(stat --file-system --format=%S data))) data/others.$n || true`;
/** The life of a node that was restarted on the full disk. */
const RESTARTED_MS = 5000;
/** A transaction of this test takes some room. */
const MEMO = 'x'.repeat(1500);
let holder: ChildProcess | undefined;

after(async () => {
  await site.clear();
  holder?.kill('SIGKILL');
});

/** A mount namespace with a small disk; it ends with its holder, however the test does. */
async function smallDisk(folder: string): Promise<Machine> {
  const script = 'mount -t tmpfs -o size=400m none "$0" && echo mounted && exec sleep 1000000';
  const child = spawn('unshare', ['--mount', '--kill-child', 'sh', '-c', script, folder], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  holder = child;
  let said = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (said += text));
  await waitUntil('the disk', () => said.includes('mounted') || undefined);
  // The folder is entered behind the mount: `--wd` of nsenter would lead below it, onto the machine's own disk.
  const within = 'cd "$0" && exec "$@"';
  const command = ['nsenter', '--target', String(child.pid), '--mount', 'sh', '-c', within, site.folder];
  return { command, host: '127.0.0.1' };
}

interface Acknowledged {
  readonly id: string;
  readonly block: number;
}

/** Sends transfers, each behind the answer to the one before, until the node is gone. */
async function stream(program: Program, acknowledged: Acknowledged[], name: string): Promise<void> {
  for (let count = 0; program.isRunning; count++) {
    try {
      const operation = transfer('alice', 'bob', '0.000001', `${name} ${count} ${MEMO}`);
      const trx = await signed(program, await makeTransaction(program, [operation]), 'alice');
      const done: Json = await program.call('network_broadcast_api.broadcast_transaction_synchronous', { trx });
      if (optionalMember(done, 'result') === undefined) continue;
      acknowledged.push({ id: textMember(done, 'result.id'), block: numberMember(done, 'result.block_num') });
    } catch {
      // So the end of the node looks to a client.
      await pause(20);
    }
  }
}

/** The machine of a witness. */
class SmallMachine {
  readonly #machine: Machine;
  readonly acknowledged: Acknowledged[] = [];

  constructor(machine: Machine) {
    this.#machine = machine;
  }

  type(...words: readonly string[]): string {
    const [command = '', ...before] = this.#machine.command;
    return execFileSync(command, [...before, ...words], { encoding: 'utf8' });
  }

  start(): Program {
    return site.start(['run', '--config', 'node.ini'], {}, this.#machine);
  }

  /** Fills the disk while clients call; returns once the node has ended. */
  async fill(program: Program): Promise<void> {
    const name = `${this.acknowledged.length}`;
    const streams = Array.from({ length: STREAMS }, (_, k) => stream(program, this.acknowledged, `${name} ${k}`));
    await waitUntil(
      () => `the end on a full disk; ${this.acknowledged.length} were acknowledged, ${this.type('df', 'data')}`,
      () => {
        this.type('sh', '-c', TAKE_ALL);
        return !program.isRunning || undefined;
      },
    );
    assert.equal(await program.exited, 1, program.stderr);
    await Promise.all(streams);
    assert.match(program.stderr, /^pharos: [^\n]*(?:ENOSPC|No space left|disk is full)[^\n]*\n$/m);
  }

  /** Everything that clients have an answer for is in the chain, and no slot was signed twice. */
  async assertKept(program: Program): Promise<void> {
    for (const { id, block } of this.acknowledged) {
      const found = await program.result('alexandria_api.get_transaction', { tx_id: id });
      assert.equal(at(found, 'tx.block_num'), block);
    }
    const lines = this.type('cat', 'data/node.signed').split('\n').slice(0, -1);
    const slots = lines.map((line) => {
      const entry: Json = JSON.parse(line);
      return numberMember(entry, 'slot');
    });
    assert.equal(new Set(slots).size, slots.length);
  }
}

async function assertProduces(program: Program): Promise<void> {
  await program.ready();
  const { number } = await program.health();
  await waitUntil('more blocks', async () => (await program.health()).number > number + 1 || undefined);
}

test('a disk is full at night: nothing acknowledged is lost, no slot is signed twice, and the node goes on with room or on a larger disk', async (t) => {
  for (const name of ['data', 'mnt', 'larger']) mkdirSync(site.path(name));
  const genesis: object = JSON.parse(devGenesisText(profileNamed('default'), Math.trunc(Date.now() / 1000) - 60));
  writeFileSync(site.path('genesis.json'), JSON.stringify({ ...genesis, block_interval: 1 }));
  writeFileSync(site.path('signing.key'), encodeWif(devSecret(WITNESS)), { mode: 0o600 });
  const lines = [
    ...['genesis-json = genesis.json', 'data-dir = data/node', 'webserver-http-endpoint = 127.0.0.1:0'],
    ...[`witness = ${WITNESS}`, 'private-key-file = signing.key', 'enable-stale-production = true'],
    ...['required-participation = 0', 'accept-low-participation = true', ''],
  ];
  writeFileSync(site.path('node.ini'), lines.join('\n'), { mode: 0o600 });
  const machine = new SmallMachine(await smallDisk(site.path('data')));

  const first = machine.start();
  await assertProduces(first);
  await machine.fill(first);
  const { length } = machine.acknowledged;
  assert.ok(length > 0);
  // As systemd does. Until it needs room it may run.
  const restarted = machine.start();
  await Promise.race([restarted.exited, pause(RESTARTED_MS)]);
  restarted.kill();
  assert.ok([1, null].includes(await restarted.exited), restarted.stderr);

  machine.type('sh', '-c', 'rm data/others.*');
  const second = machine.start();
  await assertProduces(second);
  await machine.assertKept(second);
  await machine.fill(second);
  assert.ok(machine.acknowledged.length > length);

  const [stop, ...move] = guideNamed('disk_full').commands;
  assert.deepEqual([stop, move.pop()], ['systemctl stop pharos', 'systemctl start pharos']);
  for (const line of move) {
    const own = line
      .replace('/dev/sdb1', `--bind ${site.path('larger')}`)
      .replaceAll('/var/lib/pharos/data', site.path('data'))
      .replaceAll('/mnt', site.path('mnt'));
    machine.type('sh', '-c', own);
  }
  const third = machine.start();
  await assertProduces(third);
  await machine.assertKept(third);
  assert.equal(await third.stop(), 0);
  t.diagnostic(`${machine.acknowledged.length} acknowledged transactions`);
});
