import type { Clock } from '../base/clock.ts';
import type { ChainWords, Notation } from '../codec/notation.ts';
import type { Digest } from '../values/hash.ts';
import type { DescribedCommand } from './described_command.ts';
import type { KeyStore } from './key_store.ts';
import type { Node } from './node.ts';
import type { Person } from './person.ts';

/** The user's settings. */
export interface Settings {
  /** The lifetime of new transactions; undefined leaves it to the node (30 seconds). */
  expirationSeconds: number | undefined;
  /** The most that the fees of a transaction may come to, in millionths. */
  readonly maxFee: bigint;
  /** Besides the coin, the symbol that fees may be in; '' for none. */
  readonly feeSymbol: string;
  /** The chain's time is taken as it is, though it may be far from that of this machine. */
  readonly trustsTime: boolean;
  /** Whatever would be asked is agreed to beforehand. */
  readonly agrees: boolean;
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
  /** Who runs the command; missing where nobody reads or answers anything but its result. */
  readonly person?: Person | undefined;
}

/** The words that are known without querying the node: those of the chain that the wallet signs for come first. */
export function wordsAtHand({ node, keys, settings }: Wallet): ChainWords {
  return keys.chain?.words ?? node.knownWords ?? settings.fallbackWords;
}

/** The words of the chain: the node is believed only as long as the wallet has not signed for any. */
export async function wordsOf(wallet: Wallet): Promise<ChainWords> {
  const isKnown = wallet.node.url === '' || wallet.keys.chain !== undefined;
  return isKnown ? wordsAtHand(wallet) : await wallet.node.words(wordsAtHand(wallet));
}

/** The notation for arguments: every form of an asset is accepted, unknown members are refused. */
export function inputNotation(words: ChainWords): Notation {
  return { ...words, dialect: 'default', operationForm: 'pair' };
}

/** The notation for results and for requests to nodes: the lineage's, which every node reads. */
export function outputNotation(words: ChainWords): Notation {
  return { ...words, dialect: 'legacy', operationForm: 'pair' };
}
