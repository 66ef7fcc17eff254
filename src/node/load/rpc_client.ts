import { Fault } from '../../base/fault.ts';

/** What a node says to one call. */
export type RpcAnswer = { readonly result: unknown } | { readonly refusal: string };

/** A client of any node's JSON-RPC; it keeps its connections. */
export class RpcClient {
  readonly url: URL;

  /** Fault `configuration` when the text is no URL. */
  constructor(url: string) {
    if (!URL.canParse(url)) throw new Fault('configuration', `not a URL: ${url}`);
    this.url = new URL(url);
  }

  /** The result of one call; Fault `runtime` when the node refuses it or can't be reached. */
  async call(method: string, params: object): Promise<unknown> {
    const [answer] = await this.callMany(method, [params]);
    if (answer !== undefined && 'result' in answer) return answer.result;
    throw new Fault('runtime', `${this.url.href} ${method}: ${answer?.refusal ?? 'no answer'}`);
  }

  /** The answers to several calls of one method, in their order, sent as one batch. */
  async callMany(method: string, params: readonly object[]): Promise<RpcAnswer[]> {
    return await this.post(JSON.stringify(params.map((each, id) => ({ jsonrpc: '2.0', id, method, params: each }))), params.length);
  }

  /** Posts a batch whose calls have the ids 0, 1, 2, …; whatever keeps a call from being answered is its refusal. */
  async post(body: string | Uint8Array<ArrayBuffer>, calls: number): Promise<RpcAnswer[]> {
    let text: string;
    try {
      const response = await fetch(this.url, { method: 'POST', body, headers: { 'content-type': 'application/json' } });
      text = await response.text();
      if (!response.ok) return unanswered(calls, `HTTP ${response.status}`);
    } catch (error) {
      return unanswered(calls, `connection: ${reasonOf(error)}`);
    }
    return answersOf(text, calls);
  }
}

function unanswered(calls: number, refusal: string): RpcAnswer[] {
  return Array.from({ length: calls }, () => ({ refusal }));
}

/** What fetch says hides the reason one level deeper. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error ? error.cause.message : error.message;
}

function answersOf(text: string, calls: number): RpcAnswer[] {
  const parsed = parsedJson(text);
  if (!Array.isArray(parsed)) return unanswered(calls, refusalOf(member(parsed, 'error')));
  const answers = unanswered(calls, 'no answer');
  for (const element of parsed) {
    const id = member(element, 'id');
    if (typeof id === 'number')
      answers[id] = hasMember(element, 'result') ? { result: element.result } : { refusal: refusalOf(member(element, 'error')) };
  }
  return answers;
}

function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The stable code and the text: what differs from asker to asker is cut, so that equal reasons can be counted. */
function refusalOf(error: unknown): string {
  const name = member(member(error, 'data'), 'name');
  const message = member(error, 'message');
  const text = typeof message === 'string' ? message.slice(0, 120) : 'not a JSON-RPC answer';
  return typeof name === 'string' ? `${name}: ${text}` : text;
}

/** A member of an answer, undefined where there is none. */
export function member(value: unknown, name: string): unknown {
  return hasMember(value, name) ? value[name] : undefined;
}

function hasMember<N extends string>(value: unknown, name: N): value is Record<N, unknown> {
  return typeof value === 'object' && value !== null && name in value;
}
