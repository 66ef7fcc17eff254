import { nearby } from '../../base/nearest.ts';
import type { ScannedValue } from '../../codec/json_scanner.ts';
import { defaultDialect, methodDialect, legacyDialect, type Dialect } from './dialect.ts';
import { requestFaults, type EnvelopeScanner, type Request } from './envelope.ts';
import { badCall, invalidRequest, methodNotFound, noLegacyMethod, type RpcError } from './errors.ts';
import type { Host } from './host.ts';
import type { Method, Methods } from './method.ts';

/** A resolved call: the method to run, its arguments, and the dialect of the response. */
export interface FoundCall<C> {
  readonly method: Method<C>;
  /** The context passed to the method. */
  readonly context: C;
  readonly params: ScannedValue | undefined;
  readonly dialect: Dialect;
  /** Undefined for a notification, which gets no response. */
  readonly id: string | undefined;
  /** Start of the id's source in a body that is a single call; undefined in batches. */
  readonly idStart: number | undefined;
  /** The head to show beside the result, as JSON text; undefined where the caller has not asked for one. */
  readonly head: string | undefined;
}

/** The reason why there is no call to run; `id` is undefined when no response is sent at all. */
export interface NoCall {
  readonly error: RpcError;
  readonly dialect: Dialect;
  readonly id: string | undefined;
  /** True if it named a method that does not exist. */
  readonly isUnknownMethod: boolean;
}

/** The methods served, and the group whose methods can be called by their bare names in the legacy dialect. */
export interface Served<C> {
  readonly methods: Methods<Method<C>>;
  readonly bareNamesOf: string;
}

/** The ids that the lineage takes. */
const ORIGINAL_ID = /^(?:-?[0-9]+$|")/;

/** Finds the method of a request and the context passed to it. */
export class CallFinder<C> {
  readonly #served: Served<C>;
  readonly #host: Host<C>;
  readonly #scanner: EnvelopeScanner;
  /** The methods that the legacy dialect calls by their bare names. */
  readonly #bareNames: ReadonlyMap<string, Method<C>>;
  /** By dialect and group; the same for every call. */
  readonly #contexts: Record<Dialect['name'], Map<string, C>> = { default: new Map(), legacy: new Map() };

  constructor(served: Served<C>, host: Host<C>, scanner: EnvelopeScanner) {
    this.#served = served;
    this.#host = host;
    this.#scanner = scanner;
    const group = `${served.bareNamesOf}.`;
    const bare = [...served.methods].filter(([name]) => name.startsWith(group));
    this.#bareNames = new Map(bare.map(([name, method]) => [name.slice(group.length), method]));
  }

  find(body: Buffer, request: Request, isWhole: boolean): FoundCall<C> | NoCall {
    const dialect = methodDialect(request.method);
    if (request.id !== undefined && !ORIGINAL_ID.test(request.id) && this.#host.speaksLineage(dialect))
      return noCall(defaultDialect, 'null', invalidRequest(requestFaults.badId));
    const id = request.id === undefined ? undefined : dialect.id(request.id);
    if (dialect.versioned && !request.versioned)
      return noCall(dialect, id ?? 'null', invalidRequest(requestFaults.noVersion));
    if (dialect === legacyDialect && id === undefined) return noCall(dialect, '1', invalidRequest(requestFaults.noId));
    const answerId = id === undefined && !dialect.notifications ? 'null' : id;
    let { method: name, params } = request;
    if (name === 'call') {
      const parts = params === undefined ? undefined : this.#scanner.readCall(body, params);
      if (parts === undefined) return noCall(dialect, answerId, badCall);
      ({ method: name, params } = parts);
    }
    const method = this.methodNamed(name, dialect);
    if (method === undefined) return noCall(dialect, answerId, this.#notFound(name, dialect), true);
    const context = this.#contextOf(method.group, dialect);
    // Known before anything is read: the answer may be of a later head, never of an earlier one.
    const head = request.minHead === '' ? undefined : this.#host.heads?.json();
    return { method, context, params, dialect, id, idStart: isWhole ? request.idStart : undefined, head };
  }

  methodNamed(name: string, dialect: Dialect): Method<C> | undefined {
    const known = this.#served.methods.get(name);
    return known === undefined && dialect === legacyDialect ? this.#bareNames.get(name) : known;
  }

  #notFound(name: string, dialect: Dialect): RpcError {
    const near = nearMethod(this.#served, name);
    return dialect === legacyDialect ? noLegacyMethod(name, near) : methodNotFound(name, near);
  }

  #contextOf(group: string, dialect: Dialect): C {
    const contexts = this.#contexts[dialect.name];
    const known = contexts.get(group);
    if (known !== undefined) return known;
    const context = this.#host.contextOf(group, dialect);
    contexts.set(group, context);
    return context;
  }
}

function noCall(dialect: Dialect, id: string | undefined, error: RpcError, isUnknownMethod = false): NoCall {
  return { error, dialect, id, isUnknownMethod };
}

/** A method that a mistyped name may have meant: one of the same name in another group, or of nearly the same name. */
function nearMethod<C>({ methods, bareNamesOf }: Served<C>, name: string): string | undefined {
  const names = [...methods.keys()];
  if (!name.includes('.')) {
    const group = `${bareNamesOf}.`;
    return nearby(
      name,
      names.map((known) => (known.startsWith(group) ? known.slice(group.length) : known)),
    );
  }
  const bare = name.slice(name.indexOf('.'));
  return names.find((known) => known.endsWith(bare)) ?? nearby(name, names);
}
