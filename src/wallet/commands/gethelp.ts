import { text } from '../../codec/primitives.ts';
import { command } from '../command.ts';
import { commandNamed } from '../described_command.ts';
import { helpOf } from '../help_text.ts';
import { showText } from '../show/text.ts';

/** Explains a command: what it does, its parameters, an example. */
export const gethelpCommand = command({
  name: 'gethelp',
  doc: 'Explains a command: what it does, its parameters, an example.',
  params: { method: text },
  example: 'gethelp transfer',
  local: true,
  show: showText,
  handler: ({ method }, { commands }) => helpOf(commandNamed(commands, method)),
});
