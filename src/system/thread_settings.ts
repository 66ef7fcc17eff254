import { workerData } from 'node:worker_threads';
import { assert } from '../base/assert.ts';

/** A kind of thread, by the settings that it is started with. */
export interface ThreadKind<Settings> {
  readonly name: string;
  /** Only the compiler looks at it. */
  readonly settings?: Settings;
}

/** The `workerData` of a worker of that kind. */
export interface ThreadData<Settings> {
  readonly thread: string;
  readonly settings: Settings;
}

/** Settings for a worker of that kind, to be passed as its `workerData`. */
export function threadData<Settings>(
  { name }: ThreadKind<Settings>,
  settings: NoInfer<Settings>,
): ThreadData<Settings> {
  return { thread: name, settings };
}

/** In a worker: the settings that it was started with. A thread that was started as another kind fails. */
export function threadSettings<Settings>(kind: ThreadKind<Settings>): Settings {
  const data: unknown = workerData;
  assert(isThreadData(kind, data), `settings of the thread ${kind.name}`);
  return data.settings;
}

/** Only `threadData` writes the name, so the name proves the type. */
function isThreadData<Settings>({ name }: ThreadKind<Settings>, data: unknown): data is ThreadData<Settings> {
  return typeof data === 'object' && data !== null && 'thread' in data && data.thread === name && 'settings' in data;
}
