/**
 * How a chain's values are written as JSON: the words of its profile, and the form that the asker gets.
 * Every codec takes one, so that nothing in the code carries a project's name.
 */
export interface Notation extends ChainWords {
  /** `legacy` reads as the original did: unknown members are ignored, assets are always texts. */
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
}
