import type { Clock } from '../base/clock.ts';
import type { ChainWords, Notation } from '../codec/notation.ts';
import type { Digest } from '../values/hash.ts';
import type { DescribedCommand } from './described_command.ts';
import type { KeyStore } from './key_store.ts';
import type { Node } from './node.ts';

/** The user's settings. */
export interface Settings {
  /** The lifetime of new transactions; undefined leaves it to the node (30 seconds). */
  expirationSeconds: number | undefined;
  /** The largest fee that is signed without asking, in millionths: the node sets the fees, and must not be able to invent high ones. */
  readonly maxFee: bigint;
  /** The chain id given on the command line. */
  readonly chainId: Digest | undefined;
  /** Words of the chain for when neither the node nor the file gives them. */
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

/** The words that are known without querying the node. */
export function wordsAtHand({ node, keys, settings }: Wallet): ChainWords {
  return node.knownWords ?? keys.chain?.words ?? settings.fallbackWords;
}

/** The words of the node's chain; without a node, the known ones. */
export async function wordsOf(wallet: Wallet): Promise<ChainWords> {
  return wallet.node.url === '' ? wordsAtHand(wallet) : await wallet.node.words(wordsAtHand(wallet));
}

/** The notation for arguments: every form of an asset is accepted, unknown members are refused. */
export function inputNotation(words: ChainWords): Notation {
  return { ...words, dialect: 'default', operationForm: 'pair' };
}

/** The notation for results and for requests to nodes: the lineage's, which every node reads. */
export function outputNotation(words: ChainWords): Notation {
  return { ...words, dialect: 'legacy', operationForm: 'pair' };
}
