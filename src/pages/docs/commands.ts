import { declaredRefusal, type RefusalText } from '../../base/refusal.ts';
import type { EncodingOptions } from '../../codec/encoding_options.ts';
import { asJson, isJsonObject } from '../../codec/json.ts';
import { refuseCommand, type Command } from '../../wallet/command.ts';
import type { DescribedCommand } from '../../wallet/described_command.ts';
import { signatureLine } from '../../wallet/help_text.ts';
import { topics } from '../../wallet/topics.ts';
import type { CommandEntry, CommandParam, KnownError } from './catalogue.ts';

/** The code of every error of the wallet's RPC. */
const CODE = '1';

/** The commands of the wallet with a topic for each, in the order of the topics. */
export function commandEntries(commands: readonly Command[], encoding: EncodingOptions): CommandEntry[] {
  return topics.flatMap(({ name: topic, commands: names }) =>
    names
      .flatMap((name) => commands.filter((command) => command.name === name))
      .map((command) => commandEntry(command, topic, encoding)),
  );
}

function commandEntry(command: Command, topic: string, encoding: EncodingOptions): CommandEntry {
  const { name, doc, example, needsKeys, gainsByKeys, makes, refuses } = command;
  return {
    ...{ name, topic, example, needsKeys, gainsByKeys },
    description: doc,
    line: signatureLine(command),
    params: command.params.map((param) => describeParam(param, encoding)),
    errors: knownErrors(refuses),
    operation: makes?.name,
    overRpc: command.answersOverRpc(['x']) ? 'always' : command.answersOverRpc(['']) ? 'without a file name' : 'never',
  };
}

function describeParam(
  { name, codec, initial, secret }: DescribedCommand['params'][number],
  encoding: EncodingOptions,
): CommandParam {
  const described = asJson(codec.describe(encoding));
  const schema = isJsonObject(described) && initial !== undefined ? { ...described, default: initial } : described;
  return { name, isRequired: initial === undefined, schema, isSecret: secret };
}

/** The refusals of any command for its arguments. */
export const argumentErrors: readonly KnownError[] = knownErrors({
  bad_value: '{why}',
  too_few_arguments: refuseCommand.texts.too_few_arguments,
  too_many_arguments: refuseCommand.texts.too_many_arguments,
});

function knownErrors(refusals: Readonly<Record<string, RefusalText>>): KnownError[] {
  return Object.entries(refusals).map(([name, declared]) => ({
    code: CODE,
    name,
    text: declaredRefusal(declared).text,
  }));
}
