import type { CommittedState } from '../../src/queries/committed_state.ts';
import type { Services } from '../../src/rpc/services.ts';
import { View } from '../../src/storage/view.ts';
import { chainParameters } from '../../src/state/parameters.ts';
import { genesisFile } from '../../src/state/genesis_file.ts';
import { profiles } from '../../src/values/profile.ts';
import { WHOLE_BLOCK } from '../../src/queries/notices/position.ts';
import { AssertionFailure, present } from '../../src/base/assert.ts';

/** The services of methods that need no chain: no rows, the symbols of the default profile. */
export function emptyChain(): Omit<Services, 'clock' | 'report'> {
  const profile = present(profiles['default'], 'the default profile');
  const symbols = {
    coinSymbol: profile.coinSymbol,
    vestsSymbol: profile.vestsSymbol,
    keyPrefix: profile.keyPrefix,
    coinName: profile.coinName,
  };
  const encoding = { ...symbols, dialect: 'default', operationForm: 'pair' } as const;
  return {
    rows: noRows(),
    parameters: chainParameters(profile, genesisFile.initial(encoding), '0'.repeat(64)),
    symbols,
    about: {
      clientVersion: '0.1.0',
      revision: '0'.repeat(40),
      revisionTime: 0,
      compileTime: 0,
      opensslVersion: 'OpenSSL',
      build: 'linux 64-bit',
    },
    randomBytes: (count) => new Uint8Array(count).fill(1),
    verifiers: {
      recover: (_, signatures) => Promise.resolve(signatures.map(() => undefined)),
      checkTransaction: () => Promise.reject(new AssertionFailure('nobody checks here')),
      pushBlock: () => Promise.resolve(),
    },
    intake: {
      broadcast: () => Promise.reject(new AssertionFailure('nobody broadcasts here')),
      unplaced: () => Promise.resolve({ where: 'nowhere', dropped: undefined }),
      pendingTransaction: () => Promise.resolve(undefined),
      pushTransaction: () => Promise.resolve(),
      pendingAccounts: (names) => Promise.resolve(names.map(() => undefined)),
    },
    notices: {
      subscribe: () => undefined,
      followChain: () => ({ chain: '00000000', block: '0'.repeat(40), place: WHOLE_BLOCK, ancestors: [] }),
      unsubscribe: () => 0,
    },
    operator: {},
    development: {},
  };
}

function noRows(): CommittedState {
  return new View(
    { get: () => undefined, getMany: (_column, keys) => keys.map(() => undefined), range: () => [], version: () => 0 },
    1,
  );
}
