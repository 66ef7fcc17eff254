import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { errorMessage } from '../../base/error_message.ts';
import { Fault } from '../../base/fault.ts';
import { onDisk } from '../../system/system_error.ts';

/** The source of an operator's price: one of the three. */
export interface PriceSource {
  readonly file?: string;
  readonly command?: string;
  readonly from?: string;
}

const ANSWER_MS = 10_000;
const LONGEST_ANSWER = 65_536;
/** With what stands at it: `-0.5` is no 0.5, `1,234.5` no 1, and neither is the 24 of `24h` a number. */
const NUMBER_LIKE = /(?<![\w.,])[-+]?\d[\d.,_']*(?:[eE][-+]?\d+)?(?!\w)/;
const PLAIN_NUMBER = /^\d+(?:\.\d+)?(?:[eE][-+]?\d+)?$/;

/** The first number that a source gives. Fault `runtime` when there is none that can be read in one way only. */
export async function readPrice({ file, command, from }: PriceSource): Promise<number> {
  const sources = [file, command, from].filter((source) => source !== undefined);
  const [source = ''] = sources;
  if (sources.length !== 1) throw new Fault('configuration', 'one of --file, --command and --from expected');
  const text =
    file !== undefined ? readText(file) : command !== undefined ? runCommand(command) : await fetchAnswer(source);
  const found = NUMBER_LIKE.exec(text.slice(0, LONGEST_ANSWER))?.[0].replace(/[.,]+$/, '');
  if (found === undefined)
    throw new Fault('runtime', `${source}: no number in it, so nothing was published; it has to say one such as 0.12`);
  if (!PLAIN_NUMBER.test(found))
    throw new Fault(
      'runtime',
      `${source}: ${found} is no plain number such as 0.12, so nothing was published; correct it there`,
    );
  return Number(found);
}

function readText(path: string): string {
  return onDisk(`cannot read ${path}, nothing was published`, () => readFileSync(path, 'utf8'));
}

function runCommand(command: string): string {
  const { status, signal, stdout, error } = spawnSync('/bin/sh', ['-c', command], {
    ...{ encoding: 'utf8', timeout: ANSWER_MS, maxBuffer: LONGEST_ANSWER },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  if (status === 0) return stdout;
  const why = error?.message ?? (signal === null ? `it ended with code ${status}` : `it was ended by ${signal}`);
  throw new Fault('runtime', `${command}: ${why}, nothing was published`);
}

async function fetchAnswer(address: string): Promise<string> {
  try {
    const answer = await fetch(address, { signal: AbortSignal.timeout(ANSWER_MS) });
    if (answer.ok) return await readBeginning(answer);
    throw new Fault('runtime', `${address}: answer ${answer.status}, nothing was published`);
  } catch (error) {
    if (error instanceof Fault) throw error;
    const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
    throw new Fault('runtime', `${address}: ${errorMessage(cause)}, nothing was published`, error);
  }
}

/** A source that never ends its answer is read no further than a price can be looked for. */
async function readBeginning({ body }: Response): Promise<string> {
  const decoder = new TextDecoder();
  const parts: AsyncIterable<Uint8Array> | null = body;
  let text = '';
  for await (const bytes of parts ?? []) {
    text += decoder.decode(bytes, { stream: true });
    if (text.length >= LONGEST_ANSWER) break;
  }
  return text;
}
