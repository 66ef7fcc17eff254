/**
 * How a chain's values are written as JSON: the words of its profile, and the form that the client gets.
 * Every codec takes one, so that no project name appears in the code.
 */
export interface Notation extends ChainWords {
  /** `legacy` reads as the lineage did: unknown members are ignored, assets are always strings. */
  readonly dialect: 'default' | 'legacy';
  /** Operations as `[name, body]` or as `{type, value}`; both are read. */
  readonly operationForm: 'pair' | 'typed';
  /** What nodes have answered is read: amounts there may be of any size, and negative. */
  readonly readsAnswers?: boolean;
}

/** The words of a chain that appear in its bytes and texts. */
export interface ChainWords {
  /** Symbol of the native coin; also the symbol of an omitted asset. */
  readonly coinSymbol: string;
  readonly vestsSymbol: string;
  /** Prefix of public keys. */
  readonly keyPrefix: string;
  /** Replaces `coin` in member names. */
  readonly word: string;
  /** Responses are the lineage's in both dialects: on the lineage's own network, whose clients know nothing else. */
  readonly answersLineage?: boolean;
  /** Invalid account names are truncated to valid ones and meaningless amounts are dropped: on chains with the lineage's rules. */
  readonly readsLineage?: boolean;
}

/** Whether the client gets the lineage's response where the dialects differ. */
export function speaksLineage({ answersLineage, dialect }: Pick<Notation, 'answersLineage' | 'dialect'>): boolean {
  return answersLineage === true || dialect === 'legacy';
}

/** For values that contain no words of a chain, and where no chain is known yet. */
export const wordless: Notation = {
  coinSymbol: '',
  vestsSymbol: '',
  keyPrefix: '',
  word: 'coin',
  dialect: 'default',
  operationForm: 'pair',
};
