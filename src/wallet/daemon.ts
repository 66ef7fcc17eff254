import { Fault } from '../base/fault.ts';
import { Refusal } from '../base/refusal.ts';
import type { Json } from '../codec/json.ts';
import { readJson } from '../codec/json_reader.ts';
import { writeJson } from '../codec/json_writer.ts';
import { speaksLineage } from '../codec/encoding_options.ts';
import type { Answer } from '../jsonrpc/answer_writer.ts';
import { Dispatcher } from '../jsonrpc/dispatcher.ts';
import { FailureLines } from '../base/failure_lines.ts';
import { listen } from '../jsonrpc/http/listen.ts';
import type { HttpServer } from '../jsonrpc/http/http_server.ts';
import { isLoopback } from '../jsonrpc/http/loopback.ts';
import { defaultLimits, type Limits } from '../jsonrpc/limits/limits.ts';
import type { Host } from '../jsonrpc/envelope/host.ts';
import { registerMethods, type Method } from '../jsonrpc/envelope/method.ts';
import { coded } from '../jsonrpc/envelope/params.ts';
import { refuseCommand, type Command } from './command.ts';
import { anyJson } from './params.ts';
import type { Session } from './session.ts';
import { knownChainSymbols, type Wallet } from './wallet.ts';

/** The address that the wallet listens on, and its session. */
export interface DaemonOptions {
  readonly host: string;
  readonly port: number;
  readonly session: Session;
  /**
   * Returns the token of every call: other programs of this machine must not spend. Asked for once nothing is wrong
   * with the rest.
   */
  readonly token: () => string;
  /** Called with internal errors. */
  readonly report: (text: string) => void;
}

const limits: Limits = {
  ...defaultLimits,
  /** Enough for one user and a few programs. */
  connections: 256,
};

/**
 * Opens the wallet's RPC: HTTP and WebSocket on one port of this machine. Throws Fault `port_in_use` or
 * `configuration`.
 */
export async function openDaemon({ host, port, session, token, report }: DaemonOptions): Promise<HttpServer> {
  if (!isLoopback(host))
    throw new Fault(
      'configuration',
      `${host}: whoever reaches the wallet's RPC spends its coins, so it listens on this machine only (127.0.0.1, ::1)`,
    );
  return await listen({
    host,
    port,
    limits,
    clock: session.wallet.clock,
    allowedHosts: [],
    corsOrigins: [],
    trustedProxies: [],
    compresses: undefined,
    token: token(),
    answer: makeAnswers(session, report),
    page: () => undefined,
  });
}

/** Handles request bodies with the commands of a session. */
export function makeAnswers(
  session: Session,
  report: DaemonOptions['report'],
): (body: Buffer) => Answer | Promise<Answer> {
  const methods = registerMethods(session.commands.map((command) => commandMethod(command, session)));
  const dispatcher = new Dispatcher({ methods, host: makeHost(session.wallet, report), limits, bareNamesOf: '' });
  return (body) => dispatcher.dispatch(withoutCall(body));
}

/** A command as a method: positional params, any JSON as its result. */
function commandMethod(command: Command, session: Session): Method<undefined> {
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
    needsPrivateKey: false,
    // Most of them send transactions, and wait for their blocks.
    changes: true,
    weight: {},
    paramNames: command.params.map(({ name }) => name),
    run: {
      kind: 'wait',
      answer: async ({ json }) => await explained(session.run(command, servedArguments(command, paramList(json)))),
    },
  };
}

function servedArguments(command: Command, args: readonly Json[]): readonly Json[] {
  return command.answersOverRpc(args) ? args : refuseCommand.prompt_only({ command: command.name });
}

function paramList(params: Json | undefined): readonly Json[] {
  if (params === undefined) return [];
  return Array.isArray(params) ? params : refuseParams();
}

function refuseParams(): never {
  throw new Refusal('params_not_array', 'params stand by position, in an array');
}

/** Faults such as an unreachable node or a full disk are reported to the client, not only to the operator. */
async function explained<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof Fault) throw new Refusal(error.code, error.message, {}, 0);
    throw error;
  }
}

/** Converts the lineage's other form, `"method":"call","params":[0,"<command>",[…]]`, into a plain call. */
function withoutCall(body: Buffer): Buffer {
  if (!body.includes('"call"')) return body;
  try {
    const request = readJson(body);
    if (typeof request !== 'object' || request === null || Array.isArray(request) || request['method'] !== 'call')
      return body;
    const [api, method, params = []] = Array.isArray(request['params']) ? request['params'] : [];
    return api === 0 && typeof method === 'string' ? Buffer.from(writeJson({ ...request, method, params })) : body;
  } catch (error) {
    if (error instanceof Refusal) return body;
    throw error;
  }
}

/** The host of the dispatcher: commands are passed no context, because each already has its session. */
function makeHost(wallet: Wallet, report: DaemonOptions['report']): Host<undefined> {
  const { clock } = wallet;
  const failures = new FailureLines({
    clock,
    write: (line, stack) => report(stack === undefined ? line : `${line}\n${stack}`),
  });
  return {
    clock,
    contextOf: () => undefined,
    withSubscriber: () => undefined,
    privateKeyMethods: 'local',
    // Nobody else waits.
    paramsBytes: Infinity,
    speaksLineage: ({ name: dialect }) => speaksLineage({ ...knownChainSymbols(wallet), dialect }),
    report: (error, method) => failures.report(error, method),
  };
}
