import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { assert, present } from '../src/base/assert.ts';
import { readCpuMicros } from '../src/load_test/process_cpu.ts';
import type { Measured } from './bench.ts';
import { nextEvent } from './next_event.ts';

/** A way to post. */
export interface Client {
  readonly connections: number;
  /** Posts that are sent over one connection before its answers are read. */
  readonly atOnce: number;
  /** A header of each post besides, whole; `{number}` counts the bodies. */
  readonly header?: string;
}

/** The process whose CPU time counts. */
export interface Server {
  readonly port: number;
  readonly pid: number;
}

/** Fewer posts teach the compiler nothing. */
const LEAST_BEFORE = 10;

/**
 * CPU time of the server while a client in another process posts; a tenth as many posts go before, for the compiler:
 * with other bodies, where the server would remember its answers.
 */
export async function measured(
  server: Server,
  client: Client,
  posts: number,
  body: string,
  bodyBefore = body,
): Promise<Measured> {
  const postsBefore = Math.ceil(posts / 10);
  if (postsBefore >= LEAST_BEFORE) await post(server, client, postsBefore, bodyBefore);
  const before = present(readCpuMicros(server.pid), 'CPU time');
  await post(server, client, posts, body);
  return { work: posts, cpuMicros: present(readCpuMicros(server.pid), 'CPU time') - before };
}

/** Posts from a process of its own, until all is answered; `@file` names a file with bodies that take turns. */
export async function post(
  { port }: Server,
  { connections, atOnce, header = '' }: Client,
  posts: number,
  body: string,
): Promise<void> {
  const args = [port, connections, atOnce, posts, body, '', header].map(String);
  const client = fork(fileURLToPath(new URL('./http_load.js', import.meta.url)), args);
  await nextEvent(client, 'exit');
  const { exitCode, signalCode } = client;
  assert(exitCode === 0, `the client gets all its answers, and does not end with ${signalCode ?? exitCode}`);
}
