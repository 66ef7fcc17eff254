import { speaksLineage } from '../codec/notation.ts';
import type { Heads } from '../jsonrpc/heads.ts';
import type { Host, VersionedState } from '../jsonrpc/host.ts';
import type { PrivateKeyMethods } from '../jsonrpc/private_keys.ts';
import { notationOf } from './notation_of.ts';
import type { Call, Services } from './services.ts';

/** A page of 1 000 keys or names, written generously. */
const PARAMS_BYTES = 128 * 1024;
/** A transaction as JSON, at its longest, for each of its bytes. */
const JSON_BYTES_OF_ONE = 16;

/** The host of a node's methods: each gets the services, and how its caller wants values written. Without `heads` no call waits for one. */
export function hostOf(services: Services, privateKeyMethods: PrivateKeyMethods, heads?: Heads): Host<Call> {
  const { clock, words } = services;
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
    paramsBytes: Math.max(PARAMS_BYTES, services.parameters.maxTransactionBytes * JSON_BYTES_OF_ONE),
    state,
    heads,
    contextOf: (group, dialect) => ({ ...watched, notation: notationOf(words, group, dialect), subscriber: undefined }),
    withSubscriber: (call, subscriber) => ({ ...call, subscriber }),
    speaksLineage: ({ name: dialect }) => speaksLineage({ ...words, dialect }),
    report: (error, method) => services.report(error, method),
  };
}

/** Services that record when a result depends on more than the committed state, and so can't be repeated. */
function watchedServices(services: Services): Pick<VersionedState, 'watch' | 'isRepeatable'> & { readonly watched: Services } {
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
