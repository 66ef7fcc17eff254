import { Refusal } from '../base/refusal.ts';
import type { Json } from '../codec/json.ts';
import type { AnyCodec } from '../codec/struct.ts';

/** One parameter of a command; all stand by position. */
export interface Param {
  readonly name: string;
  readonly codec: AnyCodec;
  /** A password or private key: never echoed, never kept in a history, asked for with hidden input when left out. */
  readonly secret: boolean;
  /** What stands for it when it is left out; undefined when it can't be. */
  readonly initial: Json | undefined;
}

/** What a command says of itself. */
export interface DescribedCommand {
  readonly name: string;
  readonly doc: string;
  readonly params: readonly Param[];
  /** A line as it is typed at the prompt. */
  readonly example: string;
  /** Works with private keys, so the wallet must be unlocked. */
  readonly needsKeys: boolean;
  /** Shows more of an unlocked wallet: memos that it has the keys for. */
  readonly gainsByKeys: boolean;
}

/** The command of a name; refused when there is none. */
export function commandNamed<C extends DescribedCommand>(commands: readonly C[], name: string): C {
  const found = commands.find((known) => known.name === name);
  if (found === undefined) throw new Refusal('unknown_command', `no method with name '${name}'`, { name });
  return found;
}
