import { spawn } from 'node:child_process';
import { closeSync, existsSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { present } from '../../base/assert.ts';
import { systemClock } from '../../base/clock.ts';
import { Fault } from '../../base/fault.ts';
import { pause } from '../../client/abort.ts';
import { findHolder } from '../../data_folder/folder_lock.ts';
import { parseMembers } from '../../system/json_members.ts';
import { pageOfNode } from '../../system/page_of_node.ts';
import { onDisk } from '../../system/system_error.ts';
import { processStart } from '../../system/this_boot.ts';
import { writeWholeFile } from '../../system/whole_file.ts';
import { dataDirPath, settingsFilePath, type NetNode } from './net_folder.ts';

/** A node that has been told to stop, or to start, is given this time. */
const PATIENCE_MS = 60_000;
const ANSWER_MS = 5000;
const PAUSE_MS = 50;
/** The end of a log that is shown when its node has ended. */
const SHOWN_CHARACTERS = 2000;

/** The process of a node; undefined while none runs. */
export function findProcess(node: NetNode): number | undefined {
  const holder = findHolder(dataDirPath(node));
  // Another command may look at the folder of a node that is down.
  return holder?.command === 'run' ? holder.pid : startedProcess(node);
}

/** A process has no lock yet in the moment behind its start. */
function startedProcess(node: NetNode): number | undefined {
  const path = startedFile(node);
  const { pid, began } = (existsSync(path) ? parseMembers(readFileSync(path, 'utf8')) : undefined) ?? {};
  // Another process may have the number by now.
  return typeof pid === 'number' && typeof began === 'string' && processStart(pid) === began ? pid : undefined;
}

function startedFile({ folder }: NetNode): string {
  return join(folder, 'started.json');
}

function logFile({ folder }: NetNode): string {
  return join(folder, 'log');
}

/** Starts a node as a process of its own, which goes on without this one; its log goes into a file. */
export function startNode(node: NetNode): void {
  const log = onDisk(`cannot write ${logFile(node)}`, () => openSync(logFile(node), 'a'));
  try {
    const program = present(process.argv[1], 'the path of this program');
    const child = spawn(process.execPath, [program, 'run', '--config', settingsFilePath(node)], {
      detached: true,
      stdio: ['ignore', log, log],
      env: ownEnvironment(),
    });
    child.unref();
    const { pid } = child;
    if (pid !== undefined)
      writeWholeFile(startedFile(node), `${JSON.stringify({ pid, began: processStart(pid) ?? '' })}\n`);
  } finally {
    closeSync(log);
  }
}

/** Settings of the environment are for another node. */
function ownEnvironment(): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('PHAROS_')));
}

/** Waits until a node answers. Fault `runtime` with the end of its log when it has ended instead. */
export async function answering(node: NetNode): Promise<void> {
  const isThere = await eventually(async () => {
    if (findProcess(node) === undefined) throw ended(node);
    return (await fetchPage(node, '/livez')) !== undefined;
  });
  if (!isThere) throw new Fault('runtime', `node ${node.number} does not answer; its log is ${logFile(node)}`);
}

function ended(node: NetNode): Fault {
  const log = existsSync(logFile(node)) ? readFileSync(logFile(node), 'utf8').slice(-SHOWN_CHARACTERS) : '';
  return new Fault('runtime', `node ${node.number} has ended; its log, ${logFile(node)}, ends with:\n${log.trimEnd()}`);
}

/** A page of a node as an object of JSON, `{}` for any other text; undefined where it doesn't answer. */
export async function fetchPage(
  { port }: NetNode,
  path: string,
): Promise<Readonly<Record<string, unknown>> | undefined> {
  try {
    return parseMembers((await pageOfNode(`http://127.0.0.1:${port}`, path, ANSWER_MS)).text) ?? {};
  } catch {
    return undefined;
  }
}

/** Ends the processes of nodes and waits until they are gone; what does not stop is killed. */
export async function stopNodes(nodes: readonly NetNode[], signal: 'SIGTERM' | 'SIGKILL'): Promise<void> {
  const areGone = async (): Promise<boolean> => nodes.every((node) => findProcess(node) === undefined);
  for (const node of nodes) send(node, signal);
  if (await eventually(areGone)) return;
  for (const node of nodes) send(node, 'SIGKILL');
  if (!(await eventually(areGone))) throw new Fault('runtime', 'some nodes did not end; pharos net status names them');
}

function send(node: NetNode, signal: NodeJS.Signals): void {
  const pid = findProcess(node);
  if (pid === undefined) return;
  try {
    process.kill(pid, signal);
  } catch (error) {
    // It has ended meanwhile.
    if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error;
  }
}

/** Waits until it becomes true; false when time runs out. */
export async function eventually(isTrue: () => Promise<boolean>, patienceMs = PATIENCE_MS): Promise<boolean> {
  const endMs = systemClock.elapsedMs() + patienceMs;
  for (;;) {
    if (await isTrue()) return true;
    if (systemClock.elapsedMs() > endMs) return false;
    await pause(systemClock, PAUSE_MS);
  }
}
