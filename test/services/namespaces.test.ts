import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { after, test } from 'node:test';
import { waitUntil } from '../outside/wait_until.ts';
import { Namespaces } from './namespaces.ts';

/** Makes a machine with a program in it, which says the maker's address of it and the program's number. */
const MAKER = `
  const { Namespaces } = await import(process.argv[1]);
  const { spawn } = await import('node:child_process');
  const { command: [program, ...words], host } = new Namespaces(1).nodeMachine(0);
  const server = spawn(program, [...words, 'python3', '-c', process.argv[2], host], { detached: true });
  server.stdout.once('data', () => console.log(JSON.stringify({ host, pid: server.pid })));
`;
const SERVER = `
import socket, sys, time
listening = socket.create_server((sys.argv[1], 9000))
print('listening', flush=True)
while True: listening.accept()[0].sendall(sys.argv[1].encode())
`;
const ASKING = 'import socket, sys; print(socket.create_connection((sys.argv[1], 9000), 30).recv(100).decode())';

/** Also of those that have said nothing: a maker that is left holds the output of the tests open. */
const kills: (() => Promise<void>)[] = [];

after(async () => {
  for (const kill of kills) await kill();
  new Namespaces(0).remove();
});

interface Made {
  readonly host: string;
  readonly pid: number;
  /** Resolves when it is gone. */
  kill(): Promise<void>;
}

async function make(): Promise<Made> {
  const module = new URL('namespaces.js', import.meta.url).href;
  const maker = spawn(process.execPath, ['--input-type=module', '--eval', MAKER, module, SERVER], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = new Promise<void>((resolve) => void maker.once('exit', () => resolve()));
  const kill = async (): Promise<void> => {
    maker.kill('SIGKILL');
    await ended;
  };
  kills.push(kill);
  const [said = ''] = await maker.stdout.setEncoding('utf8').take(1).toArray();
  const { host, pid }: { host: string; pid: number } = JSON.parse(said);
  return { host, pid, kill };
}

test('machines of tests that run at once answer for themselves, and those of a killed test go with their programs', async () => {
  const [one, other] = [await make(), await make()];
  assert.notEqual(one.host, other.host);
  for (const { host } of [one, other])
    assert.equal(execFileSync('python3', ['-c', ASKING, host], { encoding: 'utf8' }).trim(), host);

  await one.kill();
  await other.kill();
  // Two that begin at once both clear what is left.
  const next = await Promise.all([make(), make()]);
  for (const { pid } of [one, other])
    await waitUntil('a program to be gone', () => !existsSync(`/proc/${pid}`) || undefined);
  for (const { host } of next)
    assert.equal(execFileSync('python3', ['-c', ASKING, host], { encoding: 'utf8' }).trim(), host);
  for (const maker of next) await maker.kill();
  new Namespaces(0).remove();
  const left = execFileSync('ip', ['-oneline', 'addr', 'show'], { encoding: 'utf8' });
  for (const { host } of [one, other, ...next])
    assert.ok(!left.includes(`${host.slice(0, host.lastIndexOf('.'))}.`), left);
});
