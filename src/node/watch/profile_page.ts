import { Session } from 'node:inspector';
import type { Clock } from '../../base/clock.ts';
import type { Page, PageRequestSource } from '../../jsonrpc/http/http_server.ts';
import { parseMembers, toMembers } from '../../system/json_members.ts';
import { localJsonPage } from '../../jsonrpc/http/json_page.ts';

/** The path that `pharos doctor --bundle` asks. */
export const PROFILE_PATH = '/node/profile.json';

/** The time over which processors are profiled. */
export const PROFILE_MS = 10_000;
/** A result that nobody fetches is dropped after this time: it has some MiB. */
const KEPT_MS = 60_000;

/**
 * A page for programs of the node's own machine. The first request begins a CPU profile of all threads, and one after
 * ten seconds fetches it. There is one profile at a time.
 */
export function profilePage(
  clock: Clock,
): (path: string, requestSource: Pick<PageRequestSource, 'isLocal'>) => Page | undefined {
  let running: Profiling | undefined;
  let cancel = (): void => {};
  const forget = (): void => {
    cancel();
    running?.close();
    running = undefined;
  };
  // Profiles have the form of Chrome's developer tools.
  const answer = (): Readonly<Record<string, unknown>> => {
    if (running === undefined) {
      running = new Profiling();
      cancel = clock.after(
        PROFILE_MS,
        () => {
          running?.stop();
          cancel = clock.after(KEPT_MS, forget, false);
        },
        false,
      );
    }
    const { profiles } = running;
    if (profiles === undefined) return { state: 'under_way' };
    forget();
    return { state: 'ready', profiles };
  };
  const refusal = 'a profile is given to programs of the machine of the node that come through no proxy';
  return (path, requestSource) =>
    path === PROFILE_PATH ? localJsonPage(requestSource, refusal, () => JSON.stringify(answer())) : undefined;
}

const START_ID = 1;
const STOP_ID = 2;

/** A CPU profile of this thread and of those that it has started. */
class Profiling {
  readonly #session = new Session();
  readonly #ready: Record<string, unknown> = {};
  readonly #workers = new Map<string, string>();
  #isMainReady = false;

  constructor() {
    this.#session.connect();
    this.#session.post('Profiler.enable');
    this.#session.post('Profiler.start');
    this.#session.on('NodeWorker.attachedToWorker', ({ params: { sessionId, workerInfo } }) => {
      this.#workers.set(sessionId, `${workerInfo.url.split('/').at(-1) ?? ''} ${workerInfo.workerId}`);
      this.#tell(sessionId, START_ID - 1, 'Profiler.enable');
      this.#tell(sessionId, START_ID, 'Profiler.start');
    });
    this.#session.on('NodeWorker.detachedFromWorker', ({ params: { sessionId } }) => {
      this.#workers.delete(sessionId);
    });
    this.#session.on('NodeWorker.receivedMessageFromWorker', ({ params: { sessionId, message } }) => {
      const { id, result } = parseMembers(message) ?? {};
      const name = this.#workers.get(sessionId);
      if (id !== STOP_ID || name === undefined) return;
      this.#ready[name] = toMembers(result)?.['profile'] ?? null;
    });
    this.#session.post('NodeWorker.enable', { waitForDebuggerOnStart: false });
  }

  /** By thread; undefined before all threads have ended theirs. */
  get profiles(): Readonly<Record<string, unknown>> | undefined {
    const isReady = this.#isMainReady && [...this.#workers.values()].every((name) => name in this.#ready);
    return isReady ? this.#ready : undefined;
  }

  stop(): void {
    for (const sessionId of this.#workers.keys()) this.#tell(sessionId, STOP_ID, 'Profiler.stop');
    this.#session.post('Profiler.stop', (error, { profile }) => {
      this.#ready['front'] = error === null ? profile : null;
      this.#isMainReady = true;
    });
  }

  close(): void {
    this.#session.post('NodeWorker.disable');
    this.#session.disconnect();
  }

  #tell(sessionId: string, id: number, method: string): void {
    this.#session.post('NodeWorker.sendMessageToWorker', { sessionId, message: JSON.stringify({ id, method }) });
  }
}
