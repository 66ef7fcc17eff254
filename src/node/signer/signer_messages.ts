import { ByteReader, ByteWriter } from '../../codec/bytes.ts';
import type { Alive } from '../../blocks/alive.ts';
import { blockHeader, type BlockHeader } from '../../blocks/header.ts';
import { exactName } from '../../values/account_name.ts';
import type { KeySwitch } from '../../blocks/key_switch.ts';
import type { BlockId, Digest } from '../../values/hash.ts';
import type { PublicKey } from '../../values/public_key.ts';
import type { ForeignBlock } from '../../witness/signing_journal.ts';
import { hexOf, membersIn, membersOf } from '../json_members.ts';

// What a node and a signer process say to each other: a line of JSON each.

/** Node to signer. */
export type ToSigner =
  /** The first one: what of the journal concerns this chain? */
  | { readonly kind: 'open'; readonly chain: Digest; readonly intervalSeconds: number }
  | { readonly kind: 'sign'; readonly number: number; readonly key: PublicKey; readonly header: BlockHeader }
  /** That a witness is there: signed as often as the node asks, because no block can be made of it. */
  | { readonly kind: 'sign_alive'; readonly number: number; readonly alive: Alive }
  /** The terms of a witness's switch to a standby; the signer puts the transaction together itself. */
  | { readonly kind: 'switch'; readonly number: number; readonly terms: KeySwitch }
  /** The node has seen a block of a key that the journal lacks. */
  | { readonly kind: 'lock'; readonly foreign: ForeignBlock };

/** A slot that was signed. */
export interface SignedSlot {
  readonly key: PublicKey;
  readonly slot: number;
  readonly digest: Digest;
}

/** Signer to node. */
export type FromSigner =
  | {
      readonly kind: 'opened';
      readonly keys: readonly PublicKey[];
      readonly signed: readonly SignedSlot[];
      readonly locks: readonly ForeignBlock[];
      readonly isDamaged: boolean;
    }
  | { readonly kind: 'signed'; readonly number: number; readonly signature: string; readonly slot: SignedSlot }
  | { readonly kind: 'alive_signed'; readonly number: number; readonly signature: string }
  | { readonly kind: 'switch_signed'; readonly number: number; readonly signature: string }
  /** All keys of the chain that are locked now, whenever they change: also when the operator has unlocked some. */
  | { readonly kind: 'locks'; readonly locks: readonly ForeignBlock[] }
  | { readonly kind: 'refused'; readonly number: number; readonly code: string; readonly message: string }
  /** The signer serves another node, or another chain. */
  | { readonly kind: 'closed'; readonly message: string };

/** A longer line is nobody's: the longest one names the slots of a month. */
export const LONGEST_LINE = 4 * 1024 * 1024;

/** A message as its line. */
export function lineOfMessage(message: ToSigner | FromSigner): string {
  if (message.kind !== 'sign') return `${JSON.stringify(message)}\n`;
  const bytes = new ByteWriter();
  blockHeader.write(bytes, message.header);
  return `${JSON.stringify({ ...message, header: Buffer.from(bytes.finish()).toString('hex') })}\n`;
}

/** What a node says; undefined for any other line. */
export function nodeMessageIn(line: string): ToSigner | undefined {
  const said = membersIn(line) ?? {};
  if (said['kind'] === 'open') {
    const [chain, intervalSeconds] = [hexOf(said['chain'], 32), countIn(said['intervalSeconds'])];
    return chain === undefined || intervalSeconds === undefined ? undefined : { kind: 'open', chain, intervalSeconds };
  }
  if (said['kind'] === 'lock') {
    const foreign = foreignIn(said['foreign']);
    return foreign && { kind: 'lock', foreign };
  }
  if (said['kind'] === 'sign_alive') {
    const [number, alive] = [countIn(said['number']), aliveIn(said['alive'])];
    return number === undefined || alive === undefined ? undefined : { kind: 'sign_alive', number, alive };
  }
  if (said['kind'] === 'switch') return switchIn(said);
  const [key, number] = [hexOf(said['key'], 33), countIn(said['number'])];
  const header = headerIn(said['header']);
  return key === undefined || number === undefined || header === undefined || said['kind'] !== 'sign'
    ? undefined
    : { kind: 'sign', number, key, header };
}

/** What a signer says; undefined for any other line. */
export function signerMessageIn(line: string): FromSigner | undefined {
  const said = membersIn(line) ?? {};
  const number = countIn(said['number']);
  switch (said['kind']) {
    case 'opened':
      return openedIn(said);
    case 'signed': {
      const [signature, slot] = [hexOf(said['signature'], 65), slotIn(said['slot'])];
      return number === undefined || signature === undefined || slot === undefined
        ? undefined
        : { kind: 'signed', number, signature, slot };
    }
    case 'alive_signed': {
      const signature = hexOf(said['signature'], 65);
      return number === undefined || signature === undefined ? undefined : { kind: 'alive_signed', number, signature };
    }
    case 'switch_signed': {
      const signature = hexOf(said['signature'], 65);
      return number === undefined || signature === undefined ? undefined : { kind: 'switch_signed', number, signature };
    }
    case 'locks': {
      const locks = listOf(said['locks'], foreignIn);
      return locks && { kind: 'locks', locks };
    }
    case 'refused':
      return number === undefined ? undefined : { kind: 'refused', number, code: String(said['code']), message: String(said['message']) };
    case 'closed':
      return { kind: 'closed', message: String(said['message']) };
    default:
      return undefined;
  }
}

function switchIn(said: Readonly<Record<string, unknown>>): ToSigner | undefined {
  const terms = membersOf(said['terms']) ?? {};
  const [owner, feeSymbol] = [wordIn(terms['owner']), wordIn(terms['feeSymbol'])];
  const [key, newKey] = [hexOf(terms['key'], 33), hexOf(terms['newKey'], 33)];
  const [number, expiration] = [countIn(said['number']), countIn(terms['expiration'], U32_MAX)];
  const [ref_block_num, ref_block_prefix] = [countIn(terms['ref_block_num'], U16_MAX), countIn(terms['ref_block_prefix'], U32_MAX)];
  if (owner === undefined || feeSymbol === undefined || key === undefined || newKey === undefined) return undefined;
  if (number === undefined || ref_block_num === undefined || ref_block_prefix === undefined || expiration === undefined) return undefined;
  return { kind: 'switch', number, terms: { owner, key, newKey, feeSymbol, ref_block_num, ref_block_prefix, expiration } };
}

const [U16_MAX, U32_MAX] = [0xffff, 0xffff_ffff];

/** A name of an account, or a symbol. */
function wordIn(value: unknown): string | undefined {
  return typeof value === 'string' && /^[\x21-\x7e]{1,64}$/.test(value) ? value : undefined;
}

function openedIn(said: Readonly<Record<string, unknown>>): FromSigner | undefined {
  const keys = listOf(said['keys'], (key) => hexOf(key, 33));
  const signed = listOf(said['signed'], slotIn);
  const locks = listOf(said['locks'], foreignIn);
  const isDamaged = said['isDamaged'] === true;
  return keys === undefined || signed === undefined || locks === undefined ? undefined : { kind: 'opened', keys, signed, locks, isDamaged };
}

/** Undefined when one of the items isn't what it should be. */
function listOf<Item>(value: unknown, itemIn: (each: unknown) => Item | undefined): Item[] | undefined {
  if (!Array.isArray(value)) return undefined;
  const items = value.flatMap((each: unknown) => itemIn(each) ?? []);
  return items.length === value.length ? items : undefined;
}

function slotIn(value: unknown): SignedSlot | undefined {
  const said = membersIn(JSON.stringify(value ?? null)) ?? {};
  const [key, slot, digest] = [hexOf(said['key'], 33), countIn(said['slot']), hexOf(said['digest'], 32)];
  return key === undefined || slot === undefined || digest === undefined ? undefined : { key, slot, digest };
}

function foreignIn(value: unknown): ForeignBlock | undefined {
  const said = membersIn(JSON.stringify(value ?? null)) ?? {};
  const slot = slotIn(said);
  const [chain, id]: [Digest | undefined, BlockId | undefined] = [hexOf(said['chain'], 32), hexOf(said['id'], 20)];
  return slot === undefined || chain === undefined || id === undefined ? undefined : { ...slot, chain, id };
}

function aliveIn(value: unknown): Alive | undefined {
  const said = membersIn(JSON.stringify(value ?? null)) ?? {};
  const [key, head, slot] = [hexOf(said['key'], 33), hexOf(said['head'], 20), countIn(said['slot'])];
  const witness = typeof said['witness'] === 'string' ? exactName(said['witness']) : undefined;
  return key === undefined || head === undefined || slot === undefined || witness === undefined ? undefined : { witness, key, slot, head };
}

function headerIn(value: unknown): BlockHeader | undefined {
  if (typeof value !== 'string' || !/^(?:[0-9a-f]{2})+$/.test(value)) return undefined;
  try {
    const input = new ByteReader(Buffer.from(value, 'hex'));
    const header = blockHeader.read(input);
    input.expectEnd();
    return header;
  } catch {
    return undefined;
  }
}

function countIn(value: unknown, most = Number.MAX_SAFE_INTEGER): number | undefined {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 && value <= most ? value : undefined;
}
