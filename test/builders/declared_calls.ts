import assert from 'node:assert/strict';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';

/** The parts of a response that tell what became of a call. */
interface CallAnswer {
  readonly error?: { readonly code: number; readonly message: string; readonly data?: Record<string, unknown> };
}

/**
 * The code of an error about params. Whatever else a call is refused for, the state of the chain decides, or a limit of
 * the node.
 */
const INVALID_PARAMS = -32602;

/** Refusals of JSON that no parser of a client would write, or that has no end. */
const OF_THE_TEXT = /^(?:json_\w+|params_too_long|params_too_many)$/;

/**
 * Rules that JSON Schema can't express, by the refusal: a checksum, a day that is not in the calendar, the size of an
 * amount, a form that depends on another param, a number of signers that the signers of another param can't reach, and
 * the bytes that the characters of a text take.
 */
const BEYOND_A_SCHEMA: readonly RegExp[] = [
  /a public key with a right checksum expected/,
  /expected, got what looks like a private key|expected, got a private key/,
  /a time such as [\d:T-]+ expected/,
  /(?:an amount|a symbol|a blank)[^:]* such as "1\.000000 \w+" expected/,
  /as many as there are different signers|somebody who can sign/,
  /at most \d+ bytes expected, got \d+/,
];

/** Params whose form depends on another one, by method: where a page starts by its order, a search by its type. */
const DEPENDENT: Readonly<Record<string, RegExp>> = {
  list_accounts: /^start\b/,
  list_witnesses: /^start\b/,
  list_escrows: /^start\b/,
  list_applications: /^start\b/,
  list_witness_votes: /^start\b/,
  list_account_recovery_requests: /^start\b/,
  list_change_recovery_account_requests: /^start\b/,
  get_received_documents: /^start\b/,
  list_received_documents: /^start\b/,
  get_application_buyings: /^(?:start|name|cursor)\b/,
};

interface DeclaredParams {
  readonly required: readonly string[];
  /** The validator of each param. */
  readonly valid: ReadonlyMap<string, () => ValidateFunction>;
}

/**
 * Compares how a node takes calls with what its OpenRPC document says about params. It knows nothing else of the node.
 */
export class DeclaredCalls {
  readonly #methods = new Map<string, DeclaredParams>();
  readonly #ajv = new Ajv2020({ strict: true, allErrors: false });
  /** The number of compared calls: accepted ones, and those refused for their params. */
  readonly counts = { accepted: 0, refused: 0 };

  constructor(document: { readonly methods: readonly DescribedMethod[] }) {
    this.#ajv.addVocabulary(Object.keys(document));
    this.#ajv.addSchema(document, 'document');
    for (const [k, { name, params }] of document.methods.entries()) {
      const valid = params.map(
        (param, at) => [param.name, this.#compiledOnce(`document#/methods/${k}/params/${at}/schema`)] as const,
      );
      this.#methods.set(name, {
        required: params.filter(({ required }) => required).map((param) => param.name),
        valid: new Map(valid),
      });
    }
  }

  #compiledOnce($ref: string): () => ValidateFunction {
    let compiled: ValidateFunction | undefined;
    return () => (compiled ??= this.#ajv.compile({ $ref }));
  }

  /** Compiles the schemas of all params, and refuses what is no schema of draft 2020-12 in Ajv's strict mode. */
  compileAll(): void {
    for (const { valid } of this.#methods.values()) for (const compiled of valid.values()) compiled();
  }

  /**
   * Returns the fault of undeclared params; '' for declared ones. Undefined for a method that the document does not
   * have.
   */
  findCallFault(method: string, params: unknown): string | undefined {
    const declared = this.#methods.get(method);
    if (declared === undefined) return undefined;
    const given = namedParams(params);
    if (given === undefined) return 'no object with named members';
    const missing = declared.required.find((name) => !Object.hasOwn(given, name));
    if (missing !== undefined) return `${missing} is missing`;
    for (const [name, value] of Object.entries(given)) {
      const compiled = declared.valid.get(name);
      if (compiled === undefined) return `${name} is not declared`;
      const isValid = compiled();
      if (!isValid(value)) return `${name}: ${this.#ajv.errorsText(isValid.errors?.slice(-1))}`;
    }
    return '';
  }

  /** Fails where a call was accepted although its params are not as declared, or refused for params that are. */
  check(method: string, params: unknown, { error }: CallAnswer): void {
    const fault = this.findCallFault(method, params);
    if (fault === undefined) return;
    const shown = (): string => `${method} ${JSON.stringify(params ?? null).slice(0, 2000)}`;
    if (error === undefined) {
      this.counts.accepted++;
      assert.equal(fault, '', `accepted, but not as declared: ${shown()}`);
    } else if (error.code === INVALID_PARAMS) {
      this.counts.refused++;
      const isExplained = fault !== '' || isBeyondSchema(method, error) || holdsInexactNumber(params);
      assert.ok(isExplained, `as declared, but refused: ${error.message} for ${shown()}`);
    }
  }
}

interface DescribedMethod {
  readonly name: string;
  readonly params: readonly { readonly name: string; readonly required: boolean }[];
}

/** `[]`, `[{…}]`, `{}` and no params are the same. */
function namedParams(params: unknown): object | undefined {
  const only: unknown = Array.isArray(params) && params.length < 2 ? (params[0] ?? {}) : (params ?? {});
  return params === null || typeof only !== 'object' || only === null || Array.isArray(only) ? undefined : only;
}

function isBeyondSchema(method: string, { message, data = {} }: NonNullable<CallAnswer['error']>): boolean {
  const { name, member } = data;
  if (OF_THE_TEXT.test(String(name))) return true;
  return (
    BEYOND_A_SCHEMA.some((reason) => reason.test(message)) ||
    DEPENDENT[method.slice(method.indexOf('.') + 1)]?.test(String(member)) === true
  );
}

/** A number that a float doesn't hold exactly is another one for a validator than for the node. */
function holdsInexactNumber(json: unknown): boolean {
  if (typeof json === 'number') return Number.isInteger(json) && !Number.isSafeInteger(json);
  return typeof json === 'object' && json !== null && Object.values(json).some(holdsInexactNumber);
}
