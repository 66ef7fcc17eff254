import type { ChainSymbols } from '../codec/encoding_options.ts';
import type { PublicKey } from './public_key.ts';

/** A chain's facts besides its genesis: its symbols, and the key that signs its first blocks. */
export interface Profile extends ChainSymbols {
  readonly name: string;
  /** The chain's name in refusals, where the lineage wrote its project's name. */
  readonly title: string;
  /** The first witness's signing key, unless another is configured. */
  readonly initialSigningKey: PublicKey;
  /** The rule set for a genesis that does not name one. */
  readonly rules: 'interface' | 'lineage';
  /** Names of the method of `alexandria_api` that converts a fiat amount, and of its result. */
  readonly fiatConversion: { readonly method: string; readonly result: string };
}

/** Public key of the private key sha256("init_key"), which is publicly known: for development chains. */
export const DEVELOPMENT_SIGNING_KEY: PublicKey = '02be643d4c424ac7cf2f3cf51dd048773cbdcee30b111adb30d89c27668c501705';

const DEFAULT: Profile = {
  name: 'default',
  title: 'COIN',
  coinSymbol: 'COIN',
  vestsSymbol: 'VESTS',
  keyPrefix: 'PHR',
  coinName: 'coin',
  initialSigningKey: DEVELOPMENT_SIGNING_KEY,
  rules: 'interface',
  fiatConversion: { method: 'fiat_to_coin', result: 'coin' },
};

/** The name of the lineage's coin, by which clients recognise its chain. */
export const LINEAGE_COIN_NAME = 'sophiatx';

/** The lineage's own, recorded network. */
const LINEAGE: Profile = {
  name: 'lineage',
  title: 'SophiaTX',
  coinSymbol: 'SPHTX',
  vestsSymbol: 'VESTS',
  keyPrefix: 'SPH',
  coinName: LINEAGE_COIN_NAME,
  answersLineage: true,
  readsLineage: true,
  initialSigningKey: '03282fbdf3526907594b1f99e497602001473383753dbce4e54bd52b4c88952b74',
  rules: 'lineage',
  fiatConversion: { method: 'fiat_to_sphtx', result: 'sphtx' },
};

/** The built-in profiles. */
export const profiles: Readonly<Record<string, Profile>> = { default: DEFAULT, lineage: LINEAGE };

/** The five fiat currencies that fees and prices may name, in the order of their slots. */
export const fiatSymbols = ['USD', 'EUR', 'CHF', 'CNY', 'GBP'] as const;
/** Returns the symbols of fees: coins and fiat. */
export function feeSymbols({ coinSymbol }: Pick<ChainSymbols, 'coinSymbol'>): readonly string[] {
  return [coinSymbol, ...fiatSymbols];
}
export type FiatSymbol = (typeof fiatSymbols)[number];
