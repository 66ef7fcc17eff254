import { createInterface } from 'node:readline';

/** Asks a question at a terminal; anything but yes is no. */
export function askYes(question: string, input: NodeJS.ReadStream, output: NodeJS.WriteStream): Promise<boolean> {
  const lines = createInterface({ input, output });
  return new Promise((resolve) => {
    lines.once('close', () => resolve(false));
    lines.question(`${question} [y/N] `, (answer) => {
      resolve(isYes(answer));
      lines.close();
    });
  });
}

export function isYes(answer: string): boolean {
  return /^y(?:es)?$/i.test(answer.trim());
}
