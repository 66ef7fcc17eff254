import { signal } from '@preact/signals';
import { connect, NodeSilent, type Client } from '../../client/index.ts';

/** Whether the node answers. */
export type Reach = 'asking' | 'answers' | 'silent';

export const reach = signal<Reach>('asking');
/** Goes up when the node answers again: whoever was told nothing asks once more. */
export const comebacks = signal(0);

const RETRY_MS = 2000;
let client: Promise<Client> | undefined;

/** The node that this page came from, whatever path a proxy has for it. */
function socketUrl(): string {
  const here = new URL('.', location.href.replace(/#.*$/, ''));
  here.protocol = here.protocol === 'https:' ? 'wss:' : 'ws:';
  return here.href;
}

/** The only client of this page. It connects when it is first used, and again whenever it has to. */
export async function node(): Promise<Client> {
  // What it shows is of one node, and a development chain may begin anew under an open page.
  client ??= connect(socketUrl(), { minHead: false });
  try {
    return await client;
  } catch (error) {
    client = undefined;
    throw error;
  }
}

/** Asks, and keeps account of whether anybody answers. */
export async function ask<T>(question: (client: Client) => Promise<T>): Promise<T> {
  try {
    const answer = await question(await node());
    noteAnswer();
    return answer;
  } catch (error) {
    if (isSilence(error)) noteSilence();
    else noteAnswer();
    throw error;
  }
}

/** Nobody answers, in contrast to somebody who refuses. */
export function isSilence(error: unknown): boolean {
  return error instanceof NodeSilent;
}

function noteAnswer(): void {
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
  reach.value = 'asking';
  try {
    await (await node()).call('alexandria_api.get_version', {});
    reach.value = 'answers';
    comebacks.value++;
  } catch {
    noteSilence();
  }
}
