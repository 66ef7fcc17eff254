import { createInterface } from 'node:readline';

/** Reads one line without echoing it; without a terminal, the next line of the input. '' when there is none. */
export function askHidden(question: string, input: NodeJS.ReadStream, output: NodeJS.WriteStream): Promise<string> {
  const lines = createInterface({ input, terminal: input.isTTY });
  // Not earlier: until now the terminal echoes what is typed.
  if (input.isTTY) output.write(question);
  return new Promise((resolve) => {
    let answer = '';
    lines.once('line', (line) => {
      answer = line;
      lines.close();
    });
    lines.once('SIGINT', () => lines.close());
    lines.once('close', () => {
      if (input.isTTY) output.write('\n');
      resolve(answer);
    });
  });
}
