/**
 * A chain's way to write values as JSON: the symbols of its profile, and the client's dialect. Every codec takes one,
 * so that no project name appears in the code.
 */
export interface EncodingOptions extends ChainSymbols {
  /** `legacy` reads as the lineage did: unknown members are ignored, assets are always strings. */
  readonly dialect: 'default' | 'legacy';
  /** Operations as `[name, body]` or as `{type, value}`; both are read. */
  readonly operationForm: 'pair' | 'typed';
  /** Descriptions are those of params: every form that is read. */
  readonly describesGiven?: boolean;
  /** True for reading answers of nodes: amounts may be of any size, and negative, and texts of any length. */
  readonly readsAnswers?: boolean;
}

/** The symbols of a chain that appear in its bytes and texts. */
export interface ChainSymbols {
  /** Symbol of the native coin; also the symbol of an omitted asset. */
  readonly coinSymbol: string;
  readonly vestsSymbol: string;
  /** Prefix of public keys. */
  readonly keyPrefix: string;
  /** Replaces `coin` in member names. */
  readonly coinName: string;
  /** Responses are the lineage's in both dialects: on the lineage's own network, whose clients know nothing else. */
  readonly answersLineage?: boolean;
  /**
   * Invalid account names are truncated to valid ones and meaningless amounts are dropped: on chains with the lineage's
   * rules.
   */
  readonly readsLineage?: boolean;
}

/** True when the client gets the lineage's response, where the dialects differ. */
export function speaksLineage({
  answersLineage,
  dialect,
}: Pick<EncodingOptions, 'answersLineage' | 'dialect'>): boolean {
  return answersLineage === true || dialect === 'legacy';
}

/** For values that contain no symbols of a chain, and where no chain is known yet. */
export const neutralEncoding: EncodingOptions = {
  coinSymbol: '',
  vestsSymbol: '',
  keyPrefix: '',
  coinName: 'coin',
  dialect: 'default',
  operationForm: 'pair',
};
