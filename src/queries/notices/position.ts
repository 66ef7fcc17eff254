import type { Codec } from '../../codec/codec.ts';
import { mismatch } from '../../codec/decode_error.ts';
import { text } from '../../codec/primitives.ts';
import type { OperationPointer } from '../../state/tables/account_history.ts';
import { ID_DIGITS, getBlockNumber, type BlockId } from '../../values/hash.ts';

/** Behind everything in a block. No operation has this place: a block has far fewer. */
export const WHOLE_BLOCK: OperationPointer = { trx_in_block: 0xffff_ffff, op_in_trx: 0xffff, virtual_op: 0xffff_ffff };

/**
 * A subscription's progress: everything up to that place of that block was told. It means the same on every node of the
 * chain, because the order of operations, the chain's own included, is part of the chain.
 */
export interface Position {
  /** The beginning of the chain's id. */
  readonly chain: string;
  readonly block: BlockId;
  readonly place: OperationPointer;
  /**
   * A part of the id of each of the blocks before it that might be replaced, by `ancestorNumber`: tells where two
   * branches part.
   */
  readonly ancestors: readonly string[];
}

const VERSION = '01';
/** Eight hex digits: two chains are told apart, and a node looks at nothing else if they differ. */
const CHAIN_DIGITS = 8;
const NUMBER_DIGITS = 8; // an id begins with the number of its block
const PLACE_DIGITS = 20;
/** 48 bits: who would make a block with those of another one has to sign 2⁴⁸ blocks. */
const ANCESTOR_DIGITS = 12;
const FIXED_DIGITS = VERSION.length + CHAIN_DIGITS + ID_DIGITS + PLACE_DIGITS;

/** A round of witnesses is as far as branches usually part; beyond, each step is twice as long. */
const NEAR_ANCESTORS = 21;
/** As many reach beyond any 32-bit number. */
const MOST_ANCESTORS = NEAR_ANCESTORS + 28;

const LONGEST_POSITION = Math.ceil(((FIXED_DIGITS + MOST_ANCESTORS * ANCESTOR_DIGITS) / 2 / 3) * 4);

/** The number of the block that an entry of `ancestors` is of; below 1 where there is none. */
export function ancestorNumber(number: number, index: number): number {
  const steps = index < NEAR_ANCESTORS ? index + 1 : NEAR_ANCESTORS * 2 ** (index - NEAR_ANCESTORS + 1);
  return number - steps;
}

/** Bytes in the alphabet of URLs: the first is the version, and the last letter has two bits that are 0. */
const PATTERN = /^A[Q-Za-f][A-Za-z0-9_-]{44}(?:[A-Za-z0-9_-]{8}){0,49}[AEIMQUYcgkosw048]$/;

/** The part of an id that stands in `ancestors`. */
export function ancestorText(id: BlockId): string {
  return id.slice(NUMBER_DIGITS, NUMBER_DIGITS + ANCESTOR_DIGITS);
}

/** The part of a chain's id that stands in positions. */
export function chainMark(chainId: string): string {
  return chainId.slice(0, CHAIN_DIGITS);
}

export function positionNumber({ block }: Position): number {
  return getBlockNumber(block);
}

export function isWhole({ place }: Position): boolean {
  return comparePlaces(place, WHOLE_BLOCK) === 0;
}

/** The same block, another place. */
export function movePosition(position: Position, place: OperationPointer): Position {
  return { ...position, place };
}

/** Below 0 when `a` comes first, in the order of the chain. */
export function comparePlaces(a: OperationPointer, b: OperationPointer): number {
  return a.trx_in_block - b.trx_in_block || a.op_in_trx - b.op_in_trx || a.virtual_op - b.virtual_op;
}

export function samePosition(a: Position, b: Position): boolean {
  return a.block === b.block && comparePlaces(a.place, b.place) === 0;
}

/** The text of a position, of letters, digits, `-` and `_`. */
export function positionText({ chain, block, place, ancestors }: Position): string {
  const { trx_in_block, op_in_trx, virtual_op } = place;
  const digits = `${VERSION}${chain}${block}${hex(trx_in_block, 8)}${hex(op_in_trx, 4)}${hex(virtual_op, 8)}${ancestors.join('')}`;
  return Buffer.from(digits, 'hex').toString('base64url');
}

/** Undefined for a text that isn't one of a position. */
export function readPosition(given: string): Position | undefined {
  if (given.length > LONGEST_POSITION || !PATTERN.test(given)) return undefined;
  const digits = Buffer.from(given, 'base64url').toString('hex');
  const chain = digits.slice(VERSION.length, VERSION.length + CHAIN_DIGITS);
  const block = digits.slice(VERSION.length + CHAIN_DIGITS, FIXED_DIGITS - PLACE_DIGITS);
  const place = digits.slice(FIXED_DIGITS - PLACE_DIGITS, FIXED_DIGITS);
  return {
    chain,
    block,
    place: {
      trx_in_block: parseInteger(place, 0, 8),
      op_in_trx: parseInteger(place, 8, 12),
      virtual_op: parseInteger(place, 12, 20),
    },
    ancestors: digits.slice(FIXED_DIGITS).match(/.{12}/g) ?? [],
  };
}

function hex(value: number, digits: number): string {
  return value.toString(16).padStart(digits, '0');
}

function parseInteger(digits: string, from: number, to: number): number {
  return Number.parseInt(digits.slice(from, to), 16);
}

/** A position as the text in which notices have it. */
export const position: Codec<Position, string> = {
  write: (out, value) => text.write(out, positionText(value)),
  read: (input) => readPosition(text.read(input)) ?? mismatch(EXPECTED, null),
  toJson: positionText,
  fromJson: (json) => (typeof json === 'string' ? readPosition(json) : undefined) ?? mismatch(EXPECTED, json),
  initial: () => ({ chain: '0'.repeat(CHAIN_DIGITS), block: '0'.repeat(ID_DIGITS), place: WHOLE_BLOCK, ancestors: [] }),
  describe: () => ({ type: 'string', pattern: PATTERN.source }),
};

const EXPECTED = 'the position of a notice, whole and unchanged,';
