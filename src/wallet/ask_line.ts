import { createInterface } from 'node:readline';

/** Asks for a line at a terminal; `usual` where it is empty, undefined when the person leaves by Ctrl-C or Ctrl-D. */
export async function askLine(
  question: string,
  usual: string,
  input: NodeJS.ReadStream,
  output: NodeJS.WriteStream,
): Promise<string | undefined> {
  const lines = createInterface({ input, output });
  return await new Promise((resolve) => {
    lines.once('close', () => resolve(undefined));
    lines.question(usual === '' ? `${question}: ` : `${question} [${usual}]: `, (answer) => {
      resolve(answer.trim() === '' ? usual : answer.trim());
      lines.close();
    });
  });
}
