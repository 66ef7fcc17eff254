import type { RequestSource } from '../limits/request_source.ts';
import { refuseCall } from './errors.ts';

/** Clients that may call methods that take a private key: programs of the same machine, everybody or nobody. */
export type PrivateKeyMethods = 'local' | 'always' | 'never';

/** Refuses an asker from whom this program takes no private keys. */
export function allowPrivateKey(methods: PrivateKeyMethods, { isLocal }: Pick<RequestSource, 'isLocal'>): void {
  if (methods === 'never' || (methods === 'local' && !isLocal)) refuseCall.private_keys_not_allowed();
}
