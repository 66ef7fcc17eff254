import { command } from '../command.ts';
import { signatureLine } from '../help_text.ts';
import { showText } from '../show/text.ts';

/** Lists all commands with their parameters. */
export const helpCommand = command({
  name: 'help',
  doc: 'Lists all commands with their parameters.',
  params: {},
  example: 'help',
  local: true,
  show: showText,
  handler: (_, { commands }) => `${commands.map(signatureLine).join('\n')}\n`,
});
