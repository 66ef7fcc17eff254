import { assert } from '../base/assert.ts';
import { refusals, type RefusalText } from '../base/refusal.ts';
import type { Codec, ValueOf } from '../codec/codec.ts';
import type { Json } from '../codec/json.ts';
import { inMember } from '../codec/decode_error.ts';
import { neutralEncoding, type ChainSymbols } from '../codec/encoding_options.ts';
import { bool } from '../codec/primitives.ts';
import type { AnyCodec } from '../codec/struct.ts';
import type { Operation, OperationKind } from '../operations/operation.ts';
import type { Asset } from '../values/asset.ts';
import type { DescribedCommand, Param } from './described_command.ts';
import { checkedFirst } from './params.ts';
import { lockedRefusals } from './key_store.ts';
import { send, sendingRefusals } from './send.ts';
import type { Terminal } from './show/terminal.ts';
import { inputEncoding, knownChainSymbols, chainSymbols, type Wallet } from './wallet.ts';

/** The refusals of any command for its arguments, and of the wallet's RPC for commands for people only. */
export const refuseCommand = refusals({
  too_few_arguments: {
    text: 'argument {missing} is missing; the arguments are {known}',
    lineage: 'too few arguments passed to method',
  },
  too_many_arguments: '{command} takes {taken} arguments, {given} were given',
  prompt_only:
    '{command} shows private keys or names a file: that is for the prompt and the command line, not for the RPC of the wallet',
});

/** One command, the same at the prompt, on the command line and over RPC. */
export interface Command extends DescribedCommand {
  /**
   * Refuses names that can't be names, before anybody is asked for anything; `undefined` is an argument that isn't
   * known yet.
   */
  check(args: readonly (Json | undefined)[]): void;
  /** Runs the command; `args` are positional. */
  run(wallet: Wallet, args: readonly Json[]): Promise<Json>;
  /** True when a transaction is sent with these arguments; undefined for commands that make none. */
  sends(args: readonly Json[]): boolean | undefined;
  /**
   * True when it answers over RPC with these arguments: a command that shows private keys or names files is for the
   * prompt and the command line.
   */
  answersOverRpc(args: readonly Json[]): boolean;
  /** Runs only after other such commands are done: set for all that use keys or change the wallet. */
  readonly inTurn: boolean;
  /** Formats the result for reading; pretty JSON when left out. */
  readonly show: ((result: Json, terminal: Terminal) => string) | undefined;
}

type Codecs = Readonly<Record<string, AnyCodec>>;
type ValuesOf<P> = { readonly [K in keyof P]: ValueOf<P[K]> };

interface Described<P extends Codecs> {
  readonly name: string;
  readonly doc: string;
  readonly params: P;
  readonly secrets?: readonly (keyof P & string)[];
  readonly example: string;
  /** Its refusals besides those of all commands of its kind: code → text. */
  readonly refuses?: Readonly<Record<string, RefusalText>>;
  readonly show?: (result: Json, terminal: Terminal) => string;
}

/** The declaration in the file of a command. */
export interface CommandDeclaration<P extends Codecs> extends Described<P> {
  readonly needs?: 'keys' | 'keys if unlocked';
  /** Set for commands that change the wallet without using its keys. */
  readonly inTurn?: true;
  /** Sends a transaction, whatever the arguments are. */
  readonly sends?: true;
  /**
   * Set for commands that show private keys, and for those whose first argument may name a file: over RPC that has to
   * be empty.
   */
  readonly promptOnly?: 'always' | 'with a file name';
  /** Arguments and result don't depend on the coin's names, so the node isn't queried for them. */
  readonly local?: true;
  readonly handler: (values: ValuesOf<P>, wallet: Wallet) => Json | Promise<Json>;
}

/** Declares a command. */
export function command<const P extends Codecs>(declaration: CommandDeclaration<P>): Command {
  const { name, doc, example, show, handler, needs, local, inTurn, sends, promptOnly, refuses } = declaration;
  const params = listParams(declaration);
  const needsKeys = needs === 'keys';
  const { prompt_only } = refuseCommand.texts;
  return {
    name,
    doc,
    example,
    show,
    params,
    refuses: { ...(needsKeys ? lockedRefusals : {}), ...(promptOnly === undefined ? {} : { prompt_only }), ...refuses },
    makes: undefined,
    needsKeys,
    gainsByKeys: needs === 'keys if unlocked',
    inTurn: needsKeys || inTurn === true,
    answersOverRpc: ([first]) => promptOnly !== 'always' && (promptOnly === undefined || first === ''),
    sends: (args) => sends ?? findFlag(params, args),
    check: (args) => requireNames(params, args),
    async run(wallet, args) {
      if (needsKeys) wallet.keys.requireUnlocked();
      requireNames(params, args);
      const symbols = local === true ? knownChainSymbols(wallet) : await chainSymbols(wallet);
      requireNoMore(name, params, args, symbols);
      return await handler(readArguments<P>(params, args, symbols), wallet);
    },
  };
}

function listParams<P extends Codecs>({ params, secrets = [] }: Described<P>): Param[] {
  return Object.entries(params).map(([name, codec]) => ({
    name,
    codec,
    secret: secrets.includes(name),
    initial: initialValue(codec),
  }));
}

/** A value may be left out when the description of its codec has a `default`. */
function initialValue(codec: AnyCodec): Json | undefined {
  const { default: initial } = codec.describe(neutralEncoding);
  return typeof initial === 'object' ? undefined : initial;
}

/** Too many arguments mean that another command was intended; the lineage ignored the extra ones. */
function requireNoMore(
  name: string,
  { length: taken }: readonly Param[],
  { length: given }: readonly Json[],
  symbols: ChainSymbols,
): void {
  if (given > taken && symbols.answersLineage !== true)
    refuseCommand.too_many_arguments({ command: name, taken, given });
}

function requireNames(params: readonly Param[], args: readonly (Json | undefined)[]): void {
  for (const [position, { name, codec }] of params.entries()) {
    const given = args[position];
    if (given !== undefined && checkedFirst.has(codec))
      inMember(name, (): unknown => codec.fromJson(given, neutralEncoding));
  }
}

function readArguments<P extends Codecs>(
  params: readonly Param[],
  args: readonly Json[],
  symbols: ChainSymbols,
): ValuesOf<P>;
function readArguments(params: readonly Param[], args: readonly Json[], symbols: ChainSymbols): unknown {
  const encoding = inputEncoding(symbols);
  const values = params.map(({ name, codec, initial }, position): [string, unknown] => {
    const given =
      args[position] ??
      initial ??
      refuseCommand.too_few_arguments({ missing: name, known: params.map((param) => param.name) });
    return [name, inMember(name, (): unknown => codec.fromJson(given, encoding))];
  });
  return Object.fromEntries(values);
}

/** The last parameter of every command that makes a transaction; false when left out. */
export const broadcastFlag: Codec<boolean> = {
  ...bool,
  describe: () => ({ type: 'boolean', default: false, description: 'send it; otherwise it is only signed' }),
};

/** The value of the broadcast flag in the arguments; undefined for commands without it. */
function findFlag(params: readonly Param[], args: readonly Json[]): boolean | undefined {
  const position = params.findIndex(({ codec }) => codec === broadcastFlag);
  return position < 0 ? undefined : broadcastFlag.fromJson(args[position] ?? false, neutralEncoding);
}

/** The inputs of an operation. */
export interface Making {
  readonly wallet: Wallet;
  /** A zero fee; the node determines the real one later. */
  readonly fee: Asset;
}

/** The declaration in the file of a transaction command; the parameter `broadcast` is added automatically. */
export interface TransactionDeclaration<P extends Codecs> extends Described<P> {
  readonly makes: OperationKind;
  readonly operation: (values: ValuesOf<P>, making: Making) => Operation | Promise<Operation>;
}

/** Declares a command that makes, signs and optionally sends a transaction with one operation. */
export function transactionCommand<const P extends Codecs>(declaration: TransactionDeclaration<P>): Command {
  const { name, doc, example, show, operation, makes, refuses } = declaration;
  const own = listParams(declaration);
  const params = [...own, { name: 'broadcast', codec: broadcastFlag, secret: false, initial: false }];
  return {
    name,
    doc,
    example,
    show,
    params,
    refuses: { ...lockedRefusals, ...sendingRefusals, ...refuses },
    makes,
    needsKeys: true,
    gainsByKeys: false,
    inTurn: true,
    answersOverRpc: () => true,
    sends: (args) => findFlag(params, args),
    check: (args) => requireNames(params, args),
    async run(wallet, args) {
      wallet.keys.requireUnlocked();
      requireNames(params, args);
      const symbols = await chainSymbols(wallet);
      requireNoMore(name, params, args, symbols);
      const { broadcast } = readArguments<{ broadcast: Codec<boolean> }>(params, args, symbols);
      const made = await operation(readArguments<P>(own, args, symbols), {
        wallet,
        fee: { amount: 0n, symbol: symbols.coinSymbol },
      });
      assert(made.kind === makes, `${name} declares that it makes ${makes.name}, not ${made.kind.name}`);
      return await send(wallet, [made], broadcast);
    },
  };
}
