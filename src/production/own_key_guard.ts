import type { Clock } from '../base/clock.ts';
import type { Log } from '../base/log.ts';
import { blockSigner } from '../blocks/verify.ts';
import type { Chain } from '../chain/chain.ts';
import type { ChainParameters } from '../state/parameters.ts';
import { witnesses as witnessTable } from '../state/tables/witness.ts';
import type { AccountName } from '../values/account_name.ts';
import type { BlockSigner } from '../witness/block_signer.ts';
import { KeyGuard, type KeyGuardOptions, type SeenBlock } from '../witness/key_guard.ts';

/** The guarded keys, and the chain that uses them. */
export interface OwnKeyGuardParts {
  readonly chain: Chain;
  readonly parameters: ChainParameters;
  /** The machine's. */
  readonly clock: Clock;
  readonly signer: Pick<BlockSigner, 'keys' | 'journal'>;
  readonly log: Pick<Log, 'warning'>;
  readonly witnesses: Iterable<AccountName>;
}

/** Undefined where there is no journal: nobody else can have the chain's key. */
export function makeKeyGuard(
  { chain, parameters, clock, signer: { keys, journal }, log, witnesses }: OwnKeyGuardParts,
  company: Pick<KeyGuardOptions, 'hasPeers' | 'hasSeeds' | 'allowStale'>,
): KeyGuard | undefined {
  if (journal === undefined) return undefined;
  const { chainId, blockIntervalSeconds: intervalSeconds, genesis, profile } = parameters;
  return new KeyGuard(
    {
      ...{
        chain: chainId,
        intervalSeconds,
        roundSlots: genesis.max_witnesses,
        keyPrefix: profile.keyPrefix,
        clock,
        journal,
        keys,
      },
      ...company,
      warn: log.warning,
    },
    newestBlocks(chain, witnesses),
  );
}

/** The newest block of each witness: a key in use now has signed no later one than that. */
function newestBlocks(chain: Chain, witnesses: Iterable<AccountName>): SeenBlock[] {
  return [...witnesses].flatMap((witness) => {
    const number = Number(chain.committed.get(witnessTable, witness)?.last_confirmed_block_num ?? 0n);
    const block = number === 0 ? undefined : chain.block(number);
    return block === undefined ? [] : [{ ...block, signer: blockSigner(block) }];
  });
}
