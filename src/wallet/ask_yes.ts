import { createInterface } from 'node:readline';
import { systemClock } from '../base/clock.ts';
import { pause } from '../client/abort.ts';

/** The system delivers typed keys that it holds within this time, which nobody notices. */
const ARRIVAL_MS = 50;
/** Ctrl-C and Ctrl-D, which say no whenever they come. */
const LEAVING = [3, 4].map((code) => String.fromCodePoint(code));

/** Asks a question at a terminal; anything but a yes that is typed below the question is no. */
export async function askYes(question: string, input: NodeJS.ReadStream, output: NodeJS.WriteStream): Promise<boolean> {
  const early = await typedEarlier(input);
  if (LEAVING.some((key) => early.includes(key))) {
    input.setRawMode(false);
    return false;
  }
  if (early !== '') output.write('(what was typed before this question is dropped)\n');
  const lines = createInterface({ input, output });
  return await new Promise((resolve) => {
    lines.once('close', () => resolve(false));
    lines.question(`${question} [y/N] `, (answer) => {
      resolve(isYes(answer));
      lines.close();
    });
  });
}

/** Waits until all keys that were typed by now have reached this process. */
export async function keysHaveArrived(): Promise<void> {
  await pause(systemClock, ARRIVAL_MS);
}

/**
 * Reads what was typed until now, whole lines and half of one, which the terminal's line buffer would keep for the
 * question.
 */
async function typedEarlier(input: NodeJS.ReadStream): Promise<string> {
  let typed = '';
  const take = (piece: Buffer | string): void => void (typed += piece.toString());
  input.setRawMode(true);
  input.on('data', take);
  await keysHaveArrived();
  input.off('data', take);
  input.pause();
  return typed;
}

export function isYes(answer: string): boolean {
  return /^y(?:es)?$/i.test(answer.trim());
}
