import type { Clock } from '../base/clock.ts';
import type { ChainWords, Notation } from '../codec/notation.ts';
import type { Digest } from '../values/hash.ts';
import type { DescribedCommand } from './described_command.ts';
import type { KeyStore } from './key_store.ts';
import type { Node } from './node.ts';

/** What the person at the wallet chose. */
export interface Settings {
  /** How long new transactions can get into a block; undefined leaves it to the node (30 seconds). */
  expirationSeconds: number | undefined;
  /** The largest fee that is signed for unasked, in millionths: the node names the fees, and nobody should pay what it makes up. */
  readonly maxFee: bigint;
  /** The chain that was named on the command line. */
  readonly chainId: Digest | undefined;
  /** Words of the chain as long as neither the node nor the file says. */
  readonly fallbackWords: ChainWords;
}

/** What commands work with. */
export interface Wallet {
  readonly keys: KeyStore;
  readonly node: Node;
  readonly clock: Clock;
  readonly settings: Settings;
  /** All commands, for `help`. */
  readonly commands: readonly DescribedCommand[];
}

/** The words as far as they are known without asking anybody. */
export function wordsAtHand({ node, keys, settings }: Wallet): ChainWords {
  return node.knownWords ?? keys.chain?.words ?? settings.fallbackWords;
}

/** The words of the node's chain; those at hand when there is no node. */
export async function wordsOf(wallet: Wallet): Promise<ChainWords> {
  return wallet.node.url === '' ? wordsAtHand(wallet) : await wallet.node.words(wordsAtHand(wallet));
}

/** How arguments are read: every form of an asset, unknown members refused. */
export function inputNotation(words: ChainWords): Notation {
  return { ...words, dialect: 'default', operationForm: 'pair' };
}

/** How the wallet answers, and how it writes to nodes: as the lineage did, which every node reads. */
export function outputNotation(words: ChainWords): Notation {
  return { ...words, dialect: 'legacy', operationForm: 'pair' };
}
