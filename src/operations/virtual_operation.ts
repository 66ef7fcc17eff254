import { refusals } from '../base/refusal.ts';
import type { ByteWriter } from '../codec/bytes.ts';
import type { Codec } from '../codec/codec.ts';
import type { Json } from '../codec/json.ts';
import type { EncodingOptions } from '../codec/encoding_options.ts';
import type { FeeRule } from '../state/fees.ts';
import type { AccountName } from '../values/account_name.ts';
import type { Operation, OperationKind, OperationType, RequiredAuthorities } from './operation.ts';

const refuse = refusals({
  virtual_operation: {
    text: 'only the chain itself makes {operation} operations; no transaction holds one',
    lineage: 'This is a virtual operation',
  },
});

/** The declaration of a virtual operation in its file. */
export interface VirtualOperationDeclaration<B extends object, N extends string = string, J = unknown> {
  readonly name: N;
  readonly doc: string;
  readonly fields: Codec<B, J>;
  readonly impacts: (body: B) => readonly AccountName[];
}

/** Declares a kind of operation that only the chain itself creates: a transaction that contains one is refused. */
export function virtualOperation<B extends object, const N extends string, J>(
  declaration: VirtualOperationDeclaration<B, N, J>,
): OperationType<B, N, J> {
  const { fields } = declaration;
  const of = (body: B): Operation => new VirtualOperation(kind, declaration, body);
  const kind: OperationType<B, N, J> = {
    name: declaration.name,
    doc: declaration.doc,
    isVirtual: true,
    since: undefined,
    refuses: refuse.texts,
    textMembers: [],
    readBody: (input) => of(fields.read(input)),
    bodyFromJson: (json, encoding) => of(fields.fromJson(json, encoding)),
    initial: (encoding) => of(fields.initial(encoding)),
    describe: (encoding) => fields.describe(encoding),
    of,
  };
  return kind;
}

class VirtualOperation<B extends object> implements Operation {
  readonly kind: OperationKind;
  readonly body: B;
  readonly fee = undefined;
  readonly #declaration: VirtualOperationDeclaration<B>;

  constructor(kind: OperationKind, declaration: VirtualOperationDeclaration<B>, body: B) {
    this.kind = kind;
    this.#declaration = declaration;
    this.body = body;
  }

  writeBody(out: ByteWriter): void {
    this.#declaration.fields.write(out, this.body);
  }

  bodyToJson(encoding: EncodingOptions): Json {
    return this.#declaration.fields.toJson(this.body, encoding);
  }

  impacted(): readonly AccountName[] {
    return this.#declaration.impacts(this.body);
  }

  validate(): void {
    refuse.virtual_operation({ operation: this.kind.name });
  }

  authorities(): RequiredAuthorities {
    return {};
  }

  signingKey(): undefined {
    return undefined;
  }

  feeAccount(): AccountName {
    return '';
  }

  feeRule(): FeeRule {
    return 'free';
  }

  setAuthorities(): [] {
    return [];
  }

  freeTexts(): [] {
    return [];
  }

  withFee(): Operation {
    return this;
  }

  apply(): void {
    refuse.virtual_operation({ operation: this.kind.name });
  }
}
