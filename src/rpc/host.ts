import { speaksLineage } from '../codec/encoding_options.ts';
import type { Heads } from '../jsonrpc/envelope/heads.ts';
import type { Host, VersionedState } from '../jsonrpc/envelope/host.ts';
import type { PrivateKeyMethods } from '../jsonrpc/envelope/private_keys.ts';
import { fixedLimits, JSON_BYTES_OF_ONE } from './fixed_limits.ts';
import { makeEncoding } from './make_encoding.ts';
import type { VerifierCall, Services } from './services.ts';

/**
 * The host of a node's methods: each gets the services, and how its caller wants values written. Without `heads` no
 * call waits for one.
 */
export function makeHost(services: Services, privateKeyMethods: PrivateKeyMethods, heads?: Heads): Host<VerifierCall> {
  const { clock, symbols } = services;
  const { watched, watch, isRepeatable } = watchedServices(services);
  const state: VersionedState = {
    version: () => services.rows.version(),
    consistentRead: (read) => services.rows.consistentRead(read),
    watch,
    isRepeatable,
  };
  return {
    clock,
    privateKeyMethods,
    paramsBytes: Math.max(
      fixedLimits.params_too_long.most,
      services.parameters.maxTransactionBytes * JSON_BYTES_OF_ONE,
    ),
    state,
    heads,
    contextOf: (group, dialect) => ({
      ...watched,
      encoding: makeEncoding(symbols, group, dialect),
      subscriber: undefined,
    }),
    withSubscriber: (call, subscriber) => ({ ...call, subscriber }),
    speaksLineage: ({ name: dialect }) => speaksLineage({ ...symbols, dialect }),
    report: (error, method) => services.report(error, method),
  };
}

/** Services that record when a result depends on more than the committed state, and so can't be repeated. */
function watchedServices(
  services: Services,
): Pick<VersionedState, 'watch' | 'isRepeatable'> & { readonly watched: Services } {
  const { clock } = services;
  let askedMore = false;
  const noticing = <T>(answer: T): T => {
    askedMore = true;
    return answer;
  };
  const watched: Services = {
    ...services,
    clock: {
      nowMs: () => noticing(clock.nowMs()),
      elapsedMs: () => noticing(clock.elapsedMs()),
      after: (delayMs, run, keepsProcess) => clock.after(delayMs, run, keepsProcess),
    },
    randomBytes: (count) => noticing(services.randomBytes(count)),
  };
  return { watched, watch: () => void (askedMore = false), isRepeatable: () => !askedMore };
}
