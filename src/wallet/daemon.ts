import type { Clock } from '../base/clock.ts';
import { AssertionFailure } from '../base/assert.ts';
import { Fault } from '../base/fault.ts';
import { Refusal } from '../base/refusal.ts';
import type { Json } from '../codec/json.ts';
import { readJson } from '../codec/json_reader.ts';
import { writeJson } from '../codec/json_writer.ts';
import type { ChainWords } from '../codec/notation.ts';
import { randomBytes } from '../crypto/random.ts';
import { Dispatcher, type Answer } from '../rpc/dispatch.ts';
import { FailureLines } from '../rpc/failure_lines.ts';
import { openDoor } from '../rpc/http/door.ts';
import type { Door } from '../rpc/http/door_options.ts';
import { isLoopback } from '../rpc/http/loopback.ts';
import { defaultLimits, type Limits } from '../rpc/limits.ts';
import { registerMethods, type Method } from '../rpc/method.ts';
import { coded } from '../rpc/params.ts';
import type { About, BroadcastOutcome, CommittedState, Services } from '../rpc/services.ts';
import type { Command } from './command.ts';
import { anyJson } from './params.ts';
import type { Session } from './session.ts';
import { wordsAtHand, type Wallet } from './wallet.ts';

/** Where the wallet listens. */
export interface DaemonOptions {
  readonly host: string;
  readonly port: number;
  readonly session: Session;
  /** Told of mistakes of the program. */
  readonly report: (text: string) => void;
}

const limits: Limits = {
  ...defaultLimits,
  /** A transaction lives for an hour at most, and its command with it. */
  callDeadlineMs: 3_700_000,
  /** One person, a few programs. */
  connections: 256,
};

/** Opens the wallet's RPC: HTTP and WebSocket on one port of this machine. Throws Fault `port_in_use` or `configuration`. */
export async function openDaemon({ host, port, session, report }: DaemonOptions): Promise<Door> {
  if (!isLoopback(host))
    throw new Fault(
      'configuration',
      `${host}: whoever reaches the wallet's RPC spends its coins, so it listens on this machine only (127.0.0.1, ::1)`,
    );
  return await openDoor({
    host,
    port,
    limits,
    clock: session.wallet.clock,
    allowedHosts: [],
    corsOrigin: undefined,
    foreignOrigins: 'refused',
    answer: answersOf(session, report),
    page: () => undefined,
  });
}

/** Answers bodies with the commands of a session. */
export function answersOf(session: Session, report: DaemonOptions['report']): (body: Buffer) => Answer | Promise<Answer> {
  const methods = registerMethods(session.commands.map((command) => methodOf(command, session)));
  const services = new WalletServices(session.wallet, report);
  const dispatcher = new Dispatcher({ methods, services, limits, bareNamesOf: '' });
  return (body) => dispatcher.dispatch(withoutCall(body));
}

/** A command as a method: positional params, any JSON as its result. */
function methodOf(command: Command, session: Session): Method {
  const any = coded(anyJson);
  return {
    name: command.name,
    group: '',
    doc: command.doc,
    params: any,
    result: any,
    example: { params: [] },
    stability: 'stable',
    refuses: {},
    refusesForOperations: false,
    needsPrivateKey: false,
    paramNames: command.params.map(({ name }) => name),
    run: { thread: 'writer', answer: async ({ json }) => await explained(session.run(command, listOf(json))) },
  };
}

function listOf(params: Json | undefined): readonly Json[] {
  if (params === undefined) return [];
  return Array.isArray(params) ? params : refuseParams();
}

function refuseParams(): never {
  throw new Refusal('params_not_array', 'params stand by position, in an array');
}

/** A node that can't be reached, a disk that is full: the asker is told, not only the operator. */
async function explained<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof Fault) throw new Refusal(error.code, error.message, {}, 0);
    throw error;
  }
}

/** The ancestor's other form: `"method":"call","params":[0,"<command>",[…]]` becomes the plain one. */
function withoutCall(body: Buffer): Buffer {
  if (!body.includes('"call"')) return body;
  try {
    const request = readJson(body);
    if (typeof request !== 'object' || request === null || Array.isArray(request) || request['method'] !== 'call') return body;
    const [api, method, params = []] = Array.isArray(request['params']) ? request['params'] : [];
    return api === 0 && typeof method === 'string' ? Buffer.from(writeJson({ ...request, method, params })) : body;
  } catch (error) {
    if (error instanceof Refusal) return body;
    throw error;
  }
}

/** What the dispatcher asks of whoever serves. The wallet has no chain: that part is there for the type and fails when it is used. */
class WalletServices implements Services {
  readonly #wallet: Wallet;
  readonly clock: Clock;
  readonly privateKeysAllowed = true;
  readonly report: (error: unknown, method: string) => void;

  constructor(wallet: Wallet, report: (text: string) => void) {
    this.#wallet = wallet;
    this.clock = wallet.clock;
    const failures = new FailureLines({
      clock: wallet.clock,
      write: (line, stack) => report(stack === undefined ? line : `${line}\n${stack}`),
    });
    this.report = (error, method) => failures.report(error, method);
  }

  get words(): ChainWords {
    return wordsAtHand(this.#wallet);
  }

  get rows(): CommittedState {
    return absent('rows');
  }

  get parameters(): Services['parameters'] {
    return absent('parameters');
  }

  get about(): About {
    return absent('about');
  }

  randomBytes(count: number): Uint8Array {
    return randomBytes(count);
  }

  recover(): Promise<undefined[]> {
    return absent('recover');
  }

  broadcast(): Promise<BroadcastOutcome> {
    return absent('broadcast');
  }

  pushBlock(): Promise<void> {
    return absent('pushBlock');
  }

  pushTransaction(): Promise<void> {
    return absent('pushTransaction');
  }

  subscribe(): ReturnType<Services['subscribe']> {
    return absent('subscribe');
  }

  pendingAccounts(): ReturnType<Services['pendingAccounts']> {
    return absent('pendingAccounts');
  }
}

function absent(part: string): never {
  throw new AssertionFailure(`no command of a wallet asks for ${part} of a chain`);
}
