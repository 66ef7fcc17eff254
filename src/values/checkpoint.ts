import type { Codec } from '../codec/codec.ts';
import { mismatch } from '../codec/decode_error.ts';
import { getBlockNumber, type BlockId, type Digest } from './hash.ts';
import { parseTime, timeText, type Seconds } from './time.ts';

/** The last block of an epoch and the voters of the next one. A client that trusts no node begins with it. */
export interface Checkpoint {
  readonly number: number;
  readonly id: BlockId;
  /** Hash of the chain's id, the number of the epoch and its voters. */
  readonly voters: Digest;
  /** The time of the block, from which the checkpoint's age counts. */
  readonly time: Seconds;
}

const PATTERN = '^(0|[1-9][0-9]{0,9}):([0-9a-f]{40}):([0-9a-f]{64}):([0-9]{8}T[0-9]{6}Z)$';
const IN_FORM = new RegExp(PATTERN);

/** The form of a checkpoint, for messages to people. */
export const CHECKPOINT_FORM = 'NUMBER:BLOCK_ID:VOTERS_DIGEST:TIME';

/** `NUMBER:BLOCK_ID:VOTERS_DIGEST:TIME`, with a time such as 20261127T044500Z. */
export function checkpointText({ number, id, voters, time }: Checkpoint): string {
  return [number, id, voters, `${timeText(time).replaceAll(/[-:]/g, '')}Z`].join(':');
}

/** Reads what `checkpointText` writes; undefined for anything else, and for an id of another number. */
export function parseCheckpoint(text: string): Checkpoint | undefined {
  const [, number = '', id = '', voters = '', at = ''] = IN_FORM.exec(text) ?? [];
  const time = parseTime(at);
  if (time === undefined || getBlockNumber(id) !== Number(number)) return undefined;
  return { number: Number(number), id, voters, time };
}

/** A checkpoint, in JSON its text. */
export const checkpoint: Codec<Checkpoint, string> = {
  write: (out, value) => out.text(checkpointText(value)),
  read: (input) => parseCheckpoint(input.text()) ?? input.refuse('a checkpoint has another form'),
  toJson: checkpointText,
  fromJson: (json) =>
    (typeof json === 'string' ? parseCheckpoint(json) : undefined) ?? mismatch(`a checkpoint ${CHECKPOINT_FORM}`, json),
  initial: () => ({ number: 0, id: '0'.repeat(40), voters: '0'.repeat(64), time: 0 }),
  describe: () => ({ type: 'string', pattern: PATTERN, description: CHECKPOINT_FORM }),
};
