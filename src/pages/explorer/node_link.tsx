import { computed, signal } from '@preact/signals';
import { connect, NodeSilent, webSocket, withMiddleware, type Client, type Middleware } from '../../client/index.ts';
import { Refusal } from '../../base/refusal.ts';
import { Heartbeat } from '../../client/heartbeat.ts';
import { clockText } from './words.ts';

/** The node answers, is silent, or was just asked. */
export type Reach = 'asking' | 'answers' | 'silent';

export const reach = signal<Reach>('asking');
/** Goes up when the node answers again: whoever was told nothing asks once more. */
export const comebacks = signal(0);
/** When the node was heard last, by this machine's clock. */
const heardMs = signal<number | undefined>(undefined);

/** When a node that is gone was heard last, as a time of day; undefined while it answers, or never has. */
export const lastHeardText = computed(() =>
  reach.value === 'silent' && heardMs.value !== undefined ? clockText(heardMs.value) : undefined,
);

const RETRY_MS = 2000;
let client: Promise<Client> | undefined;
/** The answer that the client has connected with: most views need it, and it is the longest of all. */
let config: unknown;

/** The constants of the chain, once something was asked. */
export function chainConfig(): unknown {
  return config;
}

/** The node that this page came from, whatever path a proxy has for it. */
function socketUrl(): string {
  const here = new URL('.', location.href.replace(/#.*$/, ''));
  here.protocol = here.protocol === 'https:' ? 'wss:' : 'ws:';
  return here.href;
}

/** The only client of this page. It connects when it is first used, and again whenever it has to. */
async function node(): Promise<Client> {
  // What it shows is of one node, and a development chain may begin anew under an open page.
  client ??= connect({ transport: withMiddleware(webSocket(socketUrl()), hearAnswers), minHead: false });
  try {
    return await client;
  } catch (error) {
    client = undefined;
    throw error;
  }
}

/** Each answer to a call is a sign of life, a refusal too. A question that ends without a call is none. */
const hearAnswers: Middleware = async (request, next) => {
  try {
    const result = await next(request);
    if (request.method === 'database_api.get_config') config = result;
    noteAnswer();
    return result;
  } catch (error) {
    if (error instanceof Refusal) noteAnswer();
    throw error;
  }
};

/** Asks the node. If nobody answers, all of the page says so. */
export async function ask<T>(question: (client: Client) => Promise<T>): Promise<T> {
  try {
    return await question(await node());
  } catch (error) {
    if (isSilence(error)) noteSilence();
    throw error;
  }
}

/** Nobody answers, in contrast to somebody who refuses. */
export function isSilence(error: unknown): boolean {
  return error instanceof NodeSilent;
}

/** Something came from the node, asked for or not. */
export function noteAnswer(): void {
  heardMs.value = Date.now();
  heartbeat.heard();
  const wasSilent = reach.value === 'silent';
  reach.value = 'answers';
  if (wasSilent) comebacks.value++;
}

function noteSilence(): void {
  if (reach.value === 'silent') return;
  reach.value = 'silent';
  setTimeout(() => void retry(), RETRY_MS);
}

async function retry(): Promise<void> {
  try {
    await askForLife();
  } catch {
    if (reach.value === 'silent') setTimeout(() => void retry(), RETRY_MS);
  }
}

async function askForLife(): Promise<void> {
  const isConnected = client !== undefined;
  const connected = await node();
  // To connect is to have been answered.
  if (isConnected) await connected.call('alexandria_api.get_version', {});
}

let intervalMs = 0;
let isWatching = false;
const heartbeat = new Heartbeat({
  ask: askForLife,
  silent: noteSilence,
  intervalMs: () => intervalMs,
  after: (ms, run) => void setTimeout(run, ms),
});

/** Watches whether the node is there, once in a block interval. */
export function watchNode(blockIntervalMs: number): void {
  intervalMs = blockIntervalMs;
  if (!isWatching) heartbeat.beat();
  isWatching = true;
}
