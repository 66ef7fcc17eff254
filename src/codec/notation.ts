/**
 * How a chain's values are written as JSON: the words of its profile, and the form that the asker gets.
 * Every codec takes one, so that nothing in the code carries a project's name.
 */
export interface Notation extends ChainWords {
  /** `legacy` reads as the lineage did: unknown members are ignored, assets are always texts. */
  readonly dialect: 'default' | 'legacy';
  /** Operations as `[name, body]` or as `{type, value}`; both are read. */
  readonly operationForm: 'pair' | 'typed';
}

/** The words of a chain that show in its bytes and texts. */
export interface ChainWords {
  /** Symbol of the native coin; also the symbol of an asset that is left out. */
  readonly coinSymbol: string;
  readonly vestsSymbol: string;
  /** What public keys start with. */
  readonly keyPrefix: string;
  /** Stands where member names of this project say `coin`. */
  readonly word: string;
  /** Both dialects answer as the lineage did: on its own network, whose clients know nothing else. */
  readonly answersLineage?: boolean;
  /** What can't be an account name is cut until it is one, and amounts that mean nothing are dropped: on chains of the lineage's rules. */
  readonly readsLineage?: boolean;
}

/** Whether the asker gets what the lineage would have answered, where the dialects differ. */
export function speaksLineage({ answersLineage, dialect }: Pick<Notation, 'answersLineage' | 'dialect'>): boolean {
  return answersLineage === true || dialect === 'legacy';
}

/** For values that carry no words of a chain, and where no chain is known yet. */
export const wordless: Notation = {
  coinSymbol: '',
  vestsSymbol: '',
  keyPrefix: '',
  word: 'coin',
  dialect: 'default',
  operationForm: 'pair',
};
