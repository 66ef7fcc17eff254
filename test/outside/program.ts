import assert from 'node:assert/strict';
import { spawn, type ChildProcessByStdio } from 'node:child_process';
import type { ReadStream } from 'node:fs';
import { Agent, request, type ClientRequest, type IncomingMessage, type RequestOptions } from 'node:http';
import { Socket as PipeEnd } from 'node:net';
import type { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import type { AnswerParts } from '../builders/declared_answers.ts';
import { ownEnvironment } from '../builders/own_environment.ts';
import { declareNode, type Declared } from './declare_node.ts';
import { at, optionalMember, numberMember, textMember, type Json } from './json.ts';
import { Socket } from './socket.ts';
import { waitUntil, within } from './wait_until.ts';

/** The compiled program. */
export const CLI = fileURLToPath(new URL('../../program/node/cli.js', import.meta.url));

/** An HTTP answer as it came. */
export interface HttpAnswer {
  readonly status: number;
  readonly contentType: string;
  readonly body: string;
}

/** The members of a refusal. */
export interface Refused {
  readonly code: number;
  readonly name: string;
  readonly message: string;
  readonly data: Json;
}

/** A machine of its own: what starts a program there, and where it is reached. */
export interface Machine {
  readonly command: readonly string[];
  readonly host: string;
}

const OWN_MACHINE: Machine = { command: [], host: '127.0.0.1' };

/** One run of the program in a process of its own, spoken to over its port only; `input` is an open file. */
export class Program {
  readonly #process: ChildProcessByStdio<null, Readable, Readable>;
  // An idle connection is left before the node, which waits 10 s, closes it under a new request.
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 64, timeout: 5000 });
  /** The exit code; null after a signal. When all that it printed has been read. */
  readonly exited: Promise<number | null>;
  /** The same when it has ended, read or not. */
  readonly ended: Promise<number | null>;
  readonly #host: string;
  readonly #args: readonly string[];
  readonly #environment: Readonly<Record<string, string>>;
  #stdout = '';
  #stderr = '';
  #isRunning = true;
  #declared: Promise<Declared> | undefined;

  constructor(
    args: readonly string[],
    folder: string,
    environment: Readonly<Record<string, string>>,
    input: ReadStream | 'ignore' = 'ignore',
    machine = OWN_MACHINE,
  ) {
    this.#host = machine.host;
    this.#args = args;
    this.#environment = environment;
    const [command = process.execPath, ...words] = [...machine.command, process.execPath, CLI, ...args];
    this.#process = spawn(command, words, {
      cwd: folder,
      env: { ...ownEnvironment, ...environment },
      stdio: [input, 'pipe', 'pipe'],
    });
    this.#process.stdout.setEncoding('utf8').on('data', (text: string) => (this.#stdout += text));
    this.#process.stderr.setEncoding('utf8').on('data', (text: string) => (this.#stderr += text));
    this.ended = new Promise((resolve) => this.#process.once('exit', resolve));
    this.exited = new Promise((resolve) => {
      this.#process.once('close', (code) => {
        this.#isRunning = false;
        this.#agent.destroy();
        resolve(code);
      });
    });
  }

  get stdout(): string {
    return this.#stdout;
  }

  get stderr(): string {
    return this.#stderr;
  }

  /** Its output to stderr, without lines about a busy machine: tests run beside others. */
  get complaints(): string {
    return this.#stderr
      .split('\n')
      .filter((line) => !line.includes(' of the last 10 seconds'))
      .join('\n');
  }

  get isRunning(): boolean {
    return this.#isRunning;
  }

  /** The number of its process. */
  get pid(): number {
    return this.#process.pid ?? assert.fail('the program has not started');
  }

  get port(): number {
    const match = /http:\/\/127\.0\.0\.1:(\d+)|listening on (\d+)/.exec(this.#stdout + this.#stderr);
    return Number(match?.[1] ?? match?.[2] ?? assert.fail('the program has printed no port'));
  }

  /** Waits for the line that says where the program listens. */
  async ready(): Promise<void> {
    await waitUntil('the program to print where it listens', () => {
      if (!this.#isRunning)
        assert.fail(
          `the program has stopped with code ${this.#process.exitCode} ${this.#process.signalCode} instead of starting:\n${this.#stdout}\n${this.#stderr}`,
        );
      return /Ctrl-C stops|listening on \d/.test(this.#stdout + this.#stderr) || undefined;
    });
  }

  /** Posts a body as it is. */
  async raw(body: string | Uint8Array, headers: Readonly<Record<string, string>> = {}): Promise<HttpAnswer> {
    return await this.http('POST', '/', { 'content-type': 'application/json', ...headers }, body);
  }

  async http(
    method: string,
    path: string,
    headers: Readonly<Record<string, string>>,
    body: string | Uint8Array = '',
  ): Promise<HttpAnswer> {
    const length = Buffer.byteLength(body);
    const all = { ...(length > 0 ? { 'content-length': length } : {}), ...headers };
    const answer = this.#exchange(
      { host: this.#host, port: this.port, method, path, agent: this.#agent, headers: all },
      body,
    );
    try {
      return await within(`an answer to ${method} ${path}`, answer);
    } catch (error) {
      throw new Error(
        `no answer to ${method} ${path}; the program ${this.#isRunning ? 'runs' : 'has stopped'} and said: ${this.#stderr}`,
        {
          cause: error,
        },
      );
    }
  }

  /**
   * Once more where the node closes an idle connection just as it is taken, which happens to testers that are held up.
   */
  async #exchange(options: RequestOptions, body: string | Uint8Array): Promise<HttpAnswer> {
    const sent = request(options);
    try {
      return await awaitAnswer(sent, body);
    } catch (error) {
      const wasIdle =
        sent.reusedSocket &&
        error instanceof Error &&
        'code' in error &&
        error.code === 'ECONNRESET' &&
        this.#isRunning;
      if (!wasIdle) throw error;
      return await awaitAnswer(request(options), body);
    }
  }

  /** One call's envelope: `result` or `error`. */
  async call(method: string, params: Json = {}): Promise<Json> {
    const { status, body } = await this.raw(JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }));
    assert.equal(status, 200, body);
    const envelope: Json = JSON.parse(body);
    assert.equal(at(envelope, 'id'), 1);
    await this.#checkDeclared(method, params, envelope);
    return envelope;
  }

  /** Fails when a call or its answer is not what the program itself declares in its document. */
  async #checkDeclared(method: string, params: Json, envelope: Json): Promise<void> {
    this.#declared ??= declareNode(
      this.#args,
      this.#environment,
      async () => (await this.http('GET', '/openrpc.json', {})).body,
    );
    (await this.#declared).check(method, params, envelopeParts(envelope));
  }

  /** The result of a call that must not be refused. */
  async result(method: string, params: Json = {}): Promise<Json> {
    const envelope = await this.call(method, params);
    assert.equal(
      optionalMember(envelope, 'error'),
      undefined,
      `${method} is refused: ${JSON.stringify(envelope).slice(0, 1000)}`,
    );
    return at(envelope, 'result');
  }

  /** Returns the required refusal of a call. */
  async refusal(method: string, params: Json): Promise<Refused> {
    const envelope = await this.call(method, params);
    return readRefusal(envelope);
  }

  /** Several calls in one body; the answers in their order. */
  async batch(calls: readonly { readonly method: string; readonly params: Json }[]): Promise<readonly Json[]> {
    const { status, body } = await this.raw(JSON.stringify(calls.map((call, id) => ({ jsonrpc: '2.0', id, ...call }))));
    assert.equal(status, 200, body);
    const answers: readonly Json[] = JSON.parse(body);
    assert.deepEqual(
      answers.map((answer) => at(answer, 'id')),
      calls.map((_, id) => id),
    );
    for (const [k, { method, params }] of calls.entries())
      await this.#checkDeclared(method, params, answers[k] ?? null);
    return answers;
  }

  async socket(): Promise<Socket> {
    return await Socket.open(`ws://127.0.0.1:${this.port}`, (method, params, envelope) =>
      this.#checkDeclared(method, params, envelope),
    );
  }

  /** Returns GET /health. */
  async health(): Promise<Health> {
    const json: Json = JSON.parse((await this.http('GET', '/health', {})).body);
    return { number: numberMember(json, 'head_block_number'), stateHash: textMember(json, 'state_hash') };
  }

  /** Closes its output, as behind `| head`. */
  stopReading(): void {
    this.#process.stdout.destroy();
  }

  /** Stops reading, so that its output fills the pipe, as behind a program that never reads. */
  pauseReading(): void {
    this.#process.stdout.pause();
  }

  /** Reads the waiting output, and all that comes. */
  resumeReading(): void {
    this.#process.stdout.resume();
  }

  /** Ctrl-C. */
  interrupt(): void {
    this.#process.kill('SIGINT');
  }

  /** Ctrl-C; the exit code. */
  async stop(): Promise<number | null> {
    this.interrupt();
    return await within('the program to stop', this.exited);
  }

  /** Nothing of it runs until it is thawed. */
  freeze(): void {
    this.#process.kill('SIGSTOP');
  }

  thaw(): void {
    this.#process.kill('SIGCONT');
  }

  /** From now on it does not keep this process from its end. */
  unref(): void {
    this.#process.unref();
    for (const pipe of [this.#process.stdout, this.#process.stderr]) if (pipe instanceof PipeEnd) pipe.unref();
  }

  /** The end without a chance to do anything. */
  kill(): void {
    this.#process.kill('SIGKILL');
  }
}

function envelopeParts(envelope: Json): AnswerParts;
function envelopeParts(envelope: unknown): unknown {
  return envelope;
}

/** The committed head. */
export interface Health {
  readonly number: number;
  readonly stateHash: string;
}

/** The refusal in an envelope; fails when there is none. */
export function readRefusal(envelope: Json): Refused {
  return {
    code: numberMember(envelope, 'error.code'),
    message: textMember(envelope, 'error.message'),
    name: optionalMember(envelope, 'error.data.name') === undefined ? '' : textMember(envelope, 'error.data.name'),
    data: optionalMember(envelope, 'error.data') ?? null,
  };
}

function awaitAnswer(sent: ClientRequest, body: string | Uint8Array): Promise<HttpAnswer> {
  return new Promise((resolve, reject) => {
    sent.on('response', (response: IncomingMessage) => resolve(received(response)));
    sent.on('error', reject);
    sent.end(body);
  });
}

async function received(response: IncomingMessage): Promise<HttpAnswer> {
  const chunks: Buffer[] = [];
  for await (const chunk of response) chunks.push(chunk);
  return {
    status: response.statusCode ?? 0,
    contentType: response.headers['content-type'] ?? '',
    body: Buffer.concat(chunks).toString('utf8'),
  };
}
