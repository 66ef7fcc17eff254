import { spawn } from 'node:child_process';
import type { Clock } from '../base/clock.ts';

/** The process as a service manager sees it. */
export interface Watched {
  /** Resolves when the parts that make a node have answered. */
  answers(): Promise<void>;
  /** Returns the text beside the name of the service. */
  status(): string;
}

/** The receiver of the node's state: systemd, or another program that knows its protocol. */
export interface ServiceManager {
  /** The node serves. From now on a word comes as often as was asked for, each time behind an answer of the node's. */
  ready(node: Watched): void;
  /** The node is about to stop. */
  stopping(): void;
}

/** Three words in the time after which one is missed: one may come late. */
const WORDS_A_TERM = 3;
/** The time limit of a helper program; a stuck one must not pile up. */
const NOTIFY_MS = 10_000;
const MICROSECONDS_A_MS = 1000;

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * The service manager that has started this process, as `NOTIFY_SOCKET` and `WATCHDOG_USEC` of the environment say;
 * undefined when none has. Node has no datagram sockets, so systemd's own program speaks for it. `failed` is told once
 * when that can't be done.
 */
export function serviceManager(
  environment: Environment,
  clock: Clock,
  failed: (why: string) => void,
): ServiceManager | undefined {
  const { NOTIFY_SOCKET: socket = '' } = environment;
  if (socket === '') return undefined;
  const everyMs = wordEachMs(environment);
  const tell = teller(failed);
  let [isStopping, cancel] = [false, (): void => {}];
  const watch = (node: Watched): void => {
    const word = (): void => {
      if (isStopping) return;
      tell('WATCHDOG=1', `STATUS=${node.status()}`);
      watch(node);
    };
    // Without an answer there is no word: that is what the manager waits for.
    if (everyMs !== undefined)
      cancel = clock.after(everyMs, () => void node.answers().then(word, () => undefined), false);
  };
  return {
    ready(node) {
      tell('READY=1', `STATUS=${node.status()}`);
      watch(node);
    },
    stopping() {
      isStopping = true;
      cancel();
      tell('STOPPING=1', 'STATUS=stopping');
    },
  };
}

/** Returns the interval of watchdog messages; undefined without a watchdog. */
function wordEachMs({ WATCHDOG_USEC: microseconds, WATCHDOG_PID: pid }: Environment): number | undefined {
  if (microseconds === undefined || (pid !== undefined && Number(pid) !== process.pid)) return undefined;
  return Number(microseconds) / MICROSECONDS_A_MS / WORDS_A_TERM;
}

function teller(failed: (why: string) => void): (...words: readonly string[]) => void {
  let hasFailed = false;
  const fail = (why: string): void => {
    if (!hasFailed) failed(`systemd-notify ${why}: the service manager is not told how this program is`);
    hasFailed = true;
  };
  return (...words) => {
    const child = spawn('systemd-notify', words, { stdio: 'ignore', timeout: NOTIFY_MS });
    child.once('error', (error) => fail(`can not be started (${error.message})`));
    child.once('exit', (code) => {
      if (code !== 0) fail(`has ended with code ${code}`);
    });
  };
}
