import type { Clock } from '../base/clock.ts';
import type { ChainSymbols, EncodingOptions } from '../codec/encoding_options.ts';
import type { WaitFor } from '../rpc/wait_for.ts';
import type { Digest } from '../values/hash.ts';
import type { DescribedCommand } from './described_command.ts';
import type { KeyStore } from './key_store.ts';
import type { Node } from './node.ts';
import type { Person } from './person.ts';

/** The user's settings. */
export interface Settings {
  /** The lifetime of new transactions; undefined leaves it to the node (30 seconds). */
  expirationSeconds: number | undefined;
  /** When a transaction counts as sent. */
  readonly waitFor: WaitFor;
  /** The most that the fees of a transaction may come to, in millionths. */
  readonly maxFee: bigint;
  /** Besides the coin, the symbol that fees may be in; '' for none. */
  readonly feeSymbol: string;
  /** The chain's time is taken as it is, though it may be far from that of this machine. */
  readonly trustsTime: boolean;
  /** True to agree to every question beforehand. */
  readonly agrees: boolean;
  /** The chain id given on the command line. */
  readonly chainId: Digest | undefined;
  /** Symbols of the chain for when neither the node nor the file gives them. */
  readonly fallbackSymbols: ChainSymbols;
}

/** The wallet's parts for commands. */
export interface Wallet {
  readonly keys: KeyStore;
  readonly node: Node;
  readonly clock: Clock;
  readonly settings: Settings;
  /** All commands, for `help`. */
  readonly commands: readonly DescribedCommand[];
  /** The person at the command; missing when nobody reads or answers anything but its result. */
  readonly person?: Person | undefined;
}

/** The words that are known without querying the node: those of the chain that the wallet signs for come first. */
export function knownChainSymbols({ node, keys, settings }: Wallet): ChainSymbols {
  return keys.chain?.symbols ?? node.knownSymbols ?? settings.fallbackSymbols;
}

/** The symbols of the chain: the node is believed only as long as the wallet has not signed for any. */
export async function chainSymbols(wallet: Wallet): Promise<ChainSymbols> {
  const isKnown = wallet.node.url === '' || wallet.keys.chain !== undefined;
  return isKnown ? knownChainSymbols(wallet) : await wallet.node.symbols(knownChainSymbols(wallet));
}

/** The encoding of arguments: every form of an asset is accepted, unknown members are refused. */
export function inputEncoding(symbols: ChainSymbols): EncodingOptions {
  return { ...symbols, dialect: 'default', operationForm: 'pair' };
}

/** The encoding of results and of requests to nodes: the lineage's, which every node reads. */
export function outputEncoding(symbols: ChainSymbols): EncodingOptions {
  return { ...symbols, dialect: 'legacy', operationForm: 'pair' };
}
