import type { ByteReader, ByteWriter } from '../codec/bytes.ts';
import { copying, type Codec, type FromJson, type JsonSchema } from '../codec/codec.ts';
import type { Json } from '../codec/json.ts';
import type { EncodingOptions } from '../codec/encoding_options.ts';
import { structMembers, struct, type AnyCodec, type StructCodec, type StructOptions } from '../codec/struct.ts';
import type { RefusalText } from '../base/refusal.ts';
import type { AccountName } from '../values/account_name.ts';
import type { Asset } from '../values/asset.ts';
import type { Authority } from '../values/authority.ts';
import type { PublicKey } from '../values/public_key.ts';
import type { ChainState } from '../state/chain_state.ts';
import type { FeeRule } from '../state/fees.ts';
import { hardforkRefusals, requireHardfork, type Hardfork } from '../state/hardforks.ts';
import type { ChainParameters } from '../state/parameters.ts';
import type { Rules } from '../state/rules/index.ts';
import type { RowReader } from '../storage/rows.ts';

/** The authorities that an operation requires. Where active is required, the owner authority is sufficient as well. */
export interface RequiredAuthorities {
  readonly active?: readonly AccountName[];
  readonly owner?: readonly AccountName[];
  /** Authorities given in the operation itself. */
  readonly other?: readonly Authority[];
}

/** An authority that an operation gives an account. */
export interface SetAuthority {
  readonly account: AccountName;
  readonly role: 'owner' | 'active';
  readonly authority: Authority;
}

/** A key that an operation gives a witness to sign blocks with. */
export interface GivenSigningKey {
  readonly witness: AccountName;
  readonly key: PublicKey;
}

/** The rules that determine the required authorities. */
export type AuthorityRules = Pick<Rules, 'properties_by_owner'>;

/** Refusal texts by code, for the documentation and tests. */
export type RefusalTexts = Readonly<Record<string, RefusalText>>;

/** A kind of operation. Kinds are numbered in `operations/index.ts`. */
export interface OperationKind {
  readonly name: string;
  readonly doc: string;
  /** True when only the chain itself creates it. */
  readonly isVirtual: boolean;
  /** The hardfork from which on blocks may have it; undefined for those that they may have from the beginning. */
  readonly since: Hardfork | undefined;
  readonly refuses: RefusalTexts;
  /** The members of its bodies that hold text of the sender's choice. */
  readonly textMembers: readonly string[];
  readBody(input: ByteReader): Operation;
  readonly bodyFromJson: FromJson<Operation>;
  initial(encoding: EncodingOptions): Operation;
  describe(encoding: EncodingOptions): JsonSchema;
}

/** An operation: a kind and a body, with everything that the chain needs to process it. */
export interface Operation {
  readonly kind: OperationKind;
  readonly body: object;
  /** The offered fee; undefined for virtual operations, which have none. */
  readonly fee: Asset | undefined;
  writeBody(out: ByteWriter): void;
  bodyToJson(encoding: EncodingOptions): Json;
  /** Stateless validation: refuses what is invalid in any state. */
  validate(parameters: ChainParameters): void;
  /** The required authorities; under the rules of new chains unless others are given. */
  authorities(rules?: AuthorityRules): RequiredAuthorities;
  /** The accounts in whose history it is recorded, besides its payer's. */
  impacted(): readonly AccountName[];
  /** The authorities that it gives accounts when it is applied, or asks for. */
  setAuthorities(): readonly SetAuthority[];
  /** The signing key that it gives a witness when it is applied; undefined when it gives none. */
  signingKey(): GivenSigningKey | undefined;
  feeAccount(): AccountName;
  feeRule(): FeeRule;
  /** The sender's free texts that are not empty: memos, documents, metadata, URLs, names. */
  freeTexts(): readonly FreeText[];
  /** The same operation with another fee. */
  withFee(fee: Asset): Operation;
  /** Checks the operation against the state, then changes the state. The fee has already been charged. */
  apply(state: ChainState): void;
}

/** A text of the sender's choice, and the member of the body that holds it. */
export interface FreeText {
  readonly member: string;
  readonly text: string;
}

/** A kind of operation with bodies of type `B`, which are shown to programs as `J`. */
export interface OperationType<B extends object, N extends string = string, J = unknown> extends OperationKind {
  readonly name: N;
  /** Only the compiler looks at it. */
  readonly plain?: readonly [name: N, body: J];
  of(body: B): Operation;
}

/** A kind that users send. */
export interface PaidOperationType<B extends object, N extends string = string, J = unknown> extends OperationType<
  B,
  N,
  J
> {
  readonly isVirtual: false;
}

/** The body of an operation of that kind; undefined for any other kind. */
export function operationBody<B extends object>(kind: OperationType<B>, candidate: Operation): B | undefined;
export function operationBody(kind: OperationKind, candidate: Operation): object | undefined {
  return candidate.kind === kind ? candidate.body : undefined;
}

/** The body of an operation that users send; the fee comes first. */
export interface PaidBody {
  readonly fee: Asset;
}

/**
 * The members of an operation that users send. Only the fee, which is zero by default, and the extensions reserved for
 * the future may be omitted.
 */
export function paidBody<const F extends Readonly<Record<string, AnyCodec>>>(
  fields: F,
  options: StructOptions = {},
): StructCodec<F> {
  return struct(fields, { ...options, mayLack: ['fee', 'extensions'] });
}

/** The declaration of an operation in its file, in the order in which the chain uses it. */
export interface OperationDeclaration<B extends PaidBody, N extends string = string, J = unknown> {
  readonly name: N;
  readonly doc: string;
  readonly fields: Codec<B, J>;
  /**
   * The hardfork from which on blocks may have it; from the beginning when left out. The chain refuses it until then.
   */
  readonly since?: Hardfork;
  readonly refuses?: { readonly texts: RefusalTexts };
  readonly feeAccount: (body: B) => AccountName;
  /** `free` by default. */
  readonly feeRule?: FeeRule | ((body: B) => FeeRule);
  readonly authorities: (body: B, rules: AuthorityRules | undefined) => RequiredAuthorities;
  readonly impacts: (body: B) => readonly AccountName[];
  /** The authorities that it gives accounts, which the sender is warned of when nothing can satisfy them. */
  readonly setsAuthorities?: (body: B) => readonly SetAuthority[];
  /** The signing key that it gives a witness: blocks of branches are judged by it before anything is applied. */
  readonly signingKey?: (body: B) => GivenSigningKey | undefined;
  readonly validate?: (body: B, parameters: ChainParameters) => void;
  readonly apply: (body: B, state: ChainState) => void;
}

/** Declares a kind of operation that users send. */
export function operation<B extends PaidBody, const N extends string, J>(
  declaration: OperationDeclaration<B, N, J>,
): PaidOperationType<B, N, J> {
  const { fields, since } = declaration;
  const holders = structMembers(fields).filter(({ codec }) => codec.freeTexts !== undefined);
  const of = (body: B): Operation => new PaidOperation(kind, declaration, holders, body);
  const kind: PaidOperationType<B, N, J> = {
    name: declaration.name,
    doc: declaration.doc,
    isVirtual: false,
    since,
    refuses: { ...(since === undefined ? {} : hardforkRefusals), ...declaration.refuses?.texts },
    textMembers: holders.map(({ name }) => name),
    readBody: (input) => of(fields.read(input)),
    bodyFromJson: copying((json, encoding) => of(fields.fromJson(json, encoding)), fields.fromJson.copy),
    initial: (encoding) => of(fields.initial(encoding)),
    describe: (encoding) => fields.describe(encoding),
    of,
  };
  return kind;
}

type TextHolders = ReturnType<typeof structMembers>;

class PaidOperation<B extends PaidBody> implements Operation {
  readonly kind: OperationKind;
  readonly body: B;
  readonly #declaration: OperationDeclaration<B>;
  readonly #holders: TextHolders;

  constructor(kind: OperationKind, declaration: OperationDeclaration<B>, holders: TextHolders, body: B) {
    this.kind = kind;
    this.#declaration = declaration;
    this.#holders = holders;
    this.body = body;
  }

  get fee(): Asset {
    return this.body.fee;
  }

  writeBody(out: ByteWriter): void {
    this.#declaration.fields.write(out, this.body);
  }

  bodyToJson(encoding: EncodingOptions): Json {
    return this.#declaration.fields.toJson(this.body, encoding);
  }

  validate(parameters: ChainParameters): void {
    this.#declaration.validate?.(this.body, parameters);
  }

  authorities(rules?: AuthorityRules): RequiredAuthorities {
    return this.#declaration.authorities(this.body, rules);
  }

  impacted(): readonly AccountName[] {
    return this.#declaration.impacts(this.body);
  }

  setAuthorities(): readonly SetAuthority[] {
    return this.#declaration.setsAuthorities?.(this.body) ?? [];
  }

  signingKey(): GivenSigningKey | undefined {
    return this.#declaration.signingKey?.(this.body);
  }

  feeAccount(): AccountName {
    return this.#declaration.feeAccount(this.body);
  }

  feeRule(): FeeRule {
    const rule = this.#declaration.feeRule ?? 'free';
    return typeof rule === 'function' ? rule(this.body) : rule;
  }

  freeTexts(): readonly FreeText[] {
    const found: FreeText[] = [];
    for (const { name: member, codec } of this.#holders) {
      for (const text of codec.freeTexts?.(Reflect.get(this.body, member)) ?? [])
        if (text !== '') found.push({ member, text });
    }
    return found;
  }

  withFee(fee: Asset): Operation {
    return new PaidOperation(this.kind, this.#declaration, this.#holders, { ...this.body, fee });
  }

  apply(state: ChainState): void {
    this.#declaration.apply(this.body, state);
  }
}

interface CheckedAgainst {
  readonly rows: RowReader;
  readonly parameters: ChainParameters;
}

/**
 * Refuses operations that no block can have now: those whose hardfork the chain has not applied, and those invalid in
 * any state.
 */
export function requireValid({ rows, parameters }: CheckedAgainst, operations: readonly Operation[]): void {
  for (const each of operations) {
    requireHardfork(rows, each.kind);
    each.validate(parameters);
  }
}

/** The accounts whose authority an operation needs; where it needs a key alone, the one that pays. */
export function actingAccounts(sent: Operation): readonly AccountName[] {
  const { active = [], owner = [] } = sent.authorities();
  if (active.length + owner.length === 0) return [sent.feeAccount()];
  return owner.length === 0 ? active : [...new Set([...active, ...owner])];
}
