import { nearby } from '../base/nearest.ts';
import { refusals, type RefusalText } from '../base/refusal.ts';
import type { Json } from '../codec/json.ts';
import type { AnyCodec } from '../codec/struct.ts';
import type { OperationKind } from '../operations/operation.ts';

/** One parameter of a command; all are positional. */
export interface Param {
  readonly name: string;
  readonly codec: AnyCodec;
  /** A password or private key: never echoed, never kept in a history, read with hidden input when left out. */
  readonly secret: boolean;
  /** Its default; undefined when it can't be left out. */
  readonly initial: Json | undefined;
}

/** The description of a command. */
export interface DescribedCommand {
  readonly name: string;
  readonly doc: string;
  readonly params: readonly Param[];
  /** An example line, as typed at the prompt. */
  readonly example: string;
  /** Works with private keys, so the wallet must be unlocked. */
  readonly needsKeys: boolean;
  /** Its refusals besides unreadable arguments, and besides the node's refusals: code → text. */
  readonly refuses: Readonly<Record<string, RefusalText>>;
  /** The kind of operation that its transaction holds; undefined for commands that make none of a fixed kind. */
  readonly makes: OperationKind | undefined;
  /** Shows more when the wallet is unlocked: memos that it has the keys for. */
  readonly gainsByKeys: boolean;
}

const refuse = refusals({
  unknown_command: { text: 'there is no command {command}; {advice}', lineage: "no method with name '{command}'" },
});

/** The refusals of a name that no command has. */
export const unknownCommandRefusals = refuse.texts;

/** The command with that name; refuses an unknown one. */
export function commandNamed<C extends DescribedCommand>(commands: readonly C[], name: string): C {
  const found = commands.find((known) => known.name === name);
  return found ?? refuseCommand(commands, name);
}

function refuseCommand(commands: readonly DescribedCommand[], command: string): never {
  const near = nearby(
    command,
    commands.map(({ name }) => name),
  );
  return refuse.unknown_command({ command, advice: near === undefined ? 'help lists all' : `did you mean ${near}?` });
}
