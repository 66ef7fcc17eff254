import { text } from '../../codec/primitives.ts';
import { command } from '../command.ts';
import { commandNamed, unknownCommandRefusals } from '../described_command.ts';
import { commandHelp, helpOfTopic } from '../help_text.ts';
import { showText } from '../show/text.ts';
import { topics } from '../topics.ts';

/** Explains a command, or lists those of a topic. */
export const gethelpCommand = command({
  name: 'gethelp',
  doc: 'Explains a command: what it does, its parameters, an example. Of a topic (such as coins or votes) lists the commands.',
  params: { method: text },
  example: 'gethelp transfer',
  local: true,
  show: showText,
  refuses: unknownCommandRefusals,
  handler: ({ method }, { commands }) => {
    const topic = commands.some(({ name }) => name === method) ? undefined : topics.find(({ name }) => name === method);
    return topic === undefined ? commandHelp(commandNamed(commands, method)) : helpOfTopic(topic, commands);
  },
});
