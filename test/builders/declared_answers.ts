import assert from 'node:assert/strict';
import { Compile } from 'typebox/schema';

/** JSON as a client reads it. */
type Plain = string | number | boolean | null | readonly Plain[] | { readonly [member: string]: Plain };
type PlainObject = { readonly [member: string]: Plain };

/** The parts of a response that a declaration describes. */
export interface AnswerParts {
  readonly result?: unknown;
  readonly error?: { readonly code: number; readonly message: string; readonly data?: Record<string, unknown> };
}

/** The lineage's codes for what a method itself refuses, or the chain: each such refusal must be declared. */
const REFUSED = new Set([-32003, -32000]);

interface Described {
  readonly check: (result: unknown) => string;
  readonly refusals: ReadonlySet<string>;
  /** The method refuses whatever its operations refuse. */
  readonly refusesForOperations: boolean;
}

/**
 * Compares answers with what a node's OpenRPC document says about its methods. It knows nothing else, so it works on
 * nodes of any kind.
 */
export class DeclaredAnswers {
  readonly #described = new Map<string, Described>();
  readonly #common: ReadonlySet<string>;

  constructor(document: unknown) {
    const { methods, components } = toObject(document);
    this.#common = new Set(Object.values(toObject(toObject(components)['errors'])).flatMap(errorNames));
    for (const method of toList(methods).map(toObject)) {
      const { schema } = toObject(method['result']);
      this.#described.set(String(method['name']), {
        check: compileCheck({ ...toObject(schema), components: toObject(components) }),
        refusals: new Set(toList(method['errors']).flatMap(errorNames)),
        refusesForOperations: method['x-refuses-for-operations'] === true,
      });
    }
  }

  /** Fails when a result is not of the declared form, or a refusal of the method itself is not declared. */
  check(method: string, { result, error }: AnswerParts): void {
    const described = this.#described.get(method);
    if (described === undefined) return;
    if (error === undefined) {
      const fault = described.check(result);
      assert.equal(
        fault,
        '',
        `${method} answers what it does not declare: ${fault} in ${JSON.stringify(result ?? null).slice(0, 2000)}`,
      );
      return;
    }
    if (!REFUSED.has(error.code) || described.refusesForOperations) return;
    const name = String(error.data?.['name']);
    assert.ok(described.refusals.has(name) || this.#common.has(name), `${method} does not declare its refusal ${name}`);
  }
}

/** Compiled when first needed: few tests call all methods. */
function compileCheck(schema: PlainObject): Described['check'] {
  let compiled: ReturnType<typeof Compile> | undefined;
  return (result) => {
    compiled ??= Compile(schema);
    if (compiled.Check(result)) return '';
    const [, errors] = compiled.Errors(result);
    return JSON.stringify(errors.slice(0, 3));
  };
}

function errorNames(error: Plain): readonly string[] {
  const { name } = toObject(toObject(error)['data']);
  return typeof name === 'string' ? [name] : [];
}

function toObject(value: unknown): PlainObject;
function toObject(value: unknown): unknown {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : {};
}

function toList(value: Plain | undefined): readonly Plain[] {
  return Array.isArray(value) ? value : [];
}
