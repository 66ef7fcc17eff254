/** The health of a witness: a coloured mark, and the words that say the same. */
export interface Health {
  readonly mark: 'good' | 'idle' | 'bad';
  readonly text: string;
}

/** The known facts of a witness. */
export interface Witness {
  readonly signing_key: string;
  readonly last_aslot: bigint;
  readonly last_confirmed_block_num: bigint;
}

/** The running round, as it concerns a witness. */
export interface InRound {
  readonly isInRound: boolean;
  readonly roundSize: number;
  /** The slot of the head. */
  readonly slot: number;
}

/** In the slots of two rounds each of its witnesses has one at least. */
const ROUNDS = 2;

/** A key of zeros is written with ones, and signs nothing. */
function isNull(key: string): boolean {
  return /^[A-Z]{3}1{20}/.test(key);
}

export function witnessHealth(
  { signing_key: key, last_aslot: last, last_confirmed_block_num: block }: Witness,
  { isInRound, roundSize, slot }: InRound,
): Health {
  if (isNull(key)) return { mark: 'bad', text: 'has stopped: no signing key' };
  if (!isInRound) return { mark: 'idle', text: 'waits for a round' };
  const recent = ROUNDS * Math.max(roundSize, 1);
  if (block === 0n && slot < recent) return { mark: 'idle', text: 'its first slot is to come' };
  if (block > 0n && slot - Number(last) <= recent) return { mark: 'good', text: 'makes its blocks' };
  return { mark: 'bad', text: 'silent: no block in its last slots' };
}
