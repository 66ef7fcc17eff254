import { command } from '../command.ts';
import { helpByTopic, signatureLine } from '../help_text.ts';
import { showText } from '../show/text.ts';

/** Lists all commands with their parameters. */
export const helpCommand = command({
  name: 'help',
  doc: 'Lists all commands with their parameters.',
  params: {},
  example: 'help',
  local: true,
  // For programs the list is as it always was.
  show: (result, terminal) =>
    terminal.columns > 0 && typeof result === 'string' ? helpByTopic(result.split('\n')) : showText(result),
  handler: (_, { commands }) => `${commands.map(signatureLine).join('\n')}\n`,
});
