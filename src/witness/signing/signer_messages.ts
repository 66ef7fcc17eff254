import { ByteReader, ByteWriter } from '../../codec/bytes.ts';
import type { Alive } from '../../blocks/alive.ts';
import { blockHeader, type BlockHeader } from '../../blocks/header.ts';
import { exactName } from '../../values/account_name.ts';
import type { KeySwitch } from '../../blocks/key_switch.ts';
import type { BlockId, Digest } from '../../values/hash.ts';
import type { PublicKey } from '../../values/public_key.ts';
import type { ForeignBlock } from '../signing_journal.ts';
import { voteSubject } from '../../blocks/finality/vote.ts';
import { votingRecord } from '../../blocks/finality/voting_record.ts';
import type { Codec } from '../../codec/codec.ts';
import type { SignAnswer } from '../sign_answer.ts';
import { voteEvidence } from '../vote_evidence.ts';
import type { KeyRecord, ShownVote } from '../voting_journal.ts';
import type { Question } from '../../system/questions.ts';
import { countMember, hexMember, parseMembers, toMembers } from '../../system/json_members.ts';

// A node and a signer process exchange these messages, a line of JSON each.

/** The questions of a node that a signer answers. */
export interface SigningQuestions {
  readonly sign: {
    readonly question: { readonly key: PublicKey; readonly header: BlockHeader };
    readonly answer: SignAnswer;
  };
  /** Signed as often as the node asks, because no block can be made of an `alive`. */
  readonly sign_alive: { readonly question: { readonly alive: Alive }; readonly answer: SignAnswer };
  /** Votes with what their keys must remember then, each with what shows that it may be cast; an answer for each. */
  readonly sign_votes: {
    readonly question: { readonly votes: readonly ShownVote[] };
    readonly answer: readonly SignAnswer[];
  };
  /** The terms of a witness's switch to a standby; the signer puts the transaction together itself. */
  readonly switch: { readonly question: { readonly terms: KeySwitch }; readonly answer: SignAnswer };
}

/** A question with the number that its answer names. */
type Numbered<Kind extends keyof SigningQuestions> = Question<SigningQuestions, Kind> & { readonly number: number };

/** Node to signer. */
export type ToSigner =
  /** The first one: what of the journal concerns this chain? */
  | { readonly kind: 'open'; readonly chain: Digest; readonly intervalSeconds: number }
  | Numbered<'sign'>
  | Numbered<'sign_alive'>
  | Numbered<'switch'>
  | Numbered<'sign_votes'>
  /** The journal of a key's votes begins, in a slot that clocks of peers confirm. */
  | { readonly kind: 'begin_votes'; readonly key: PublicKey; readonly slot: number; readonly signedFirstBlock: boolean }
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
      /** The votes of the keys whose journals have begun; undefined for a signer of a version that signs none. */
      readonly votes?: readonly KeyRecord[] | undefined;
    }
  | { readonly kind: 'signed'; readonly number: number; readonly signature: string; readonly slot: SignedSlot }
  | { readonly kind: 'alive_signed'; readonly number: number; readonly signature: string }
  | { readonly kind: 'switch_signed'; readonly number: number; readonly signature: string }
  | {
      readonly kind: 'votes_signed';
      readonly number: number;
      readonly answers: readonly SignAnswer[];
      readonly records: readonly KeyRecord[];
    }
  /** The journal of a key's votes has begun. */
  | { readonly kind: 'votes_begun'; readonly record: KeyRecord }
  /** All keys of the chain that are locked now, whenever they change: also when the operator has unlocked some. */
  | { readonly kind: 'locks'; readonly locks: readonly ForeignBlock[] }
  | { readonly kind: 'refused'; readonly number: number; readonly code: string; readonly message: string }
  /** The signer serves another node, or another chain. */
  | { readonly kind: 'closed'; readonly message: string };

/** A longer line is nobody's: the longest one names the slots of a month. */
export const LONGEST_LINE = 4 * 1024 * 1024;

/** A message as its line. */
export function lineOfMessage(message: ToSigner | FromSigner): string {
  return `${JSON.stringify(membersOfMessage(message))}\n`;
}

/** Headers, votes and records travel packed. */
function membersOfMessage(message: ToSigner | FromSigner): object {
  switch (message.kind) {
    case 'sign':
      return { ...message, header: packed(blockHeader, message.header) };
    case 'sign_votes':
      return { ...message, votes: message.votes.map(packedVote) };
    case 'opened':
      return { ...message, votes: message.votes?.map(packedRecord) };
    case 'votes_signed':
      return { ...message, records: message.records.map(packedRecord) };
    case 'votes_begun':
      return { ...message, record: packedRecord(message.record) };
    default:
      return message;
  }
}

function packedVote(vote: ShownVote): object {
  return {
    ...packedRecord(vote),
    subject: packed(voteSubject, vote.subject),
    evidence: packed(voteEvidence, vote.evidence),
  };
}

function packedRecord({ key, record }: KeyRecord): object {
  return { key, record: packed(votingRecord, record) };
}

function packed<T>(codec: Pick<Codec<T>, 'write'>, value: T): string {
  const bytes = new ByteWriter();
  codec.write(bytes, value);
  return Buffer.from(bytes.finish()).toString('hex');
}

/** Parses a node's line; undefined for any other line. */
export function parseNodeMessage(line: string): ToSigner | undefined {
  const said = parseMembers(line) ?? {};
  if (said['kind'] === 'open') {
    const [chain, intervalSeconds] = [hexMember(said['chain'], 32), countMember(said['intervalSeconds'])];
    return chain === undefined || intervalSeconds === undefined ? undefined : { kind: 'open', chain, intervalSeconds };
  }
  if (said['kind'] === 'lock') {
    const foreign = parseForeign(said['foreign']);
    return foreign && { kind: 'lock', foreign };
  }
  if (said['kind'] === 'sign_alive') {
    const [number, alive] = [countMember(said['number']), parseAlive(said['alive'])];
    return number === undefined || alive === undefined ? undefined : { kind: 'sign_alive', number, alive };
  }
  if (said['kind'] === 'switch') return parseSwitch(said);
  if (said['kind'] === 'sign_votes') {
    const [number, votes] = [countMember(said['number']), parseList(said['votes'], parseVote)];
    return number === undefined || votes === undefined ? undefined : { kind: 'sign_votes', number, votes };
  }
  if (said['kind'] === 'begin_votes') {
    const [key, slot] = [hexMember(said['key'], 33), countMember(said['slot'], U32_MAX)];
    return key === undefined || slot === undefined
      ? undefined
      : { kind: 'begin_votes', key, slot, signedFirstBlock: said['signedFirstBlock'] === true };
  }
  const [key, number] = [hexMember(said['key'], 33), countMember(said['number'])];
  const header = parseHeader(said['header']);
  return key === undefined || number === undefined || header === undefined || said['kind'] !== 'sign'
    ? undefined
    : { kind: 'sign', number, key, header };
}

/** Parses a signer's line; undefined for any other line. */
export function parseSignerMessage(line: string): FromSigner | undefined {
  const said = parseMembers(line) ?? {};
  const number = countMember(said['number']);
  switch (said['kind']) {
    case 'opened':
      return parseOpened(said);
    case 'signed': {
      const [signature, slot] = [hexMember(said['signature'], 65), parseSlot(said['slot'])];
      return number === undefined || signature === undefined || slot === undefined
        ? undefined
        : { kind: 'signed', number, signature, slot };
    }
    case 'alive_signed': {
      const signature = hexMember(said['signature'], 65);
      return number === undefined || signature === undefined ? undefined : { kind: 'alive_signed', number, signature };
    }
    case 'switch_signed': {
      const signature = hexMember(said['signature'], 65);
      return number === undefined || signature === undefined ? undefined : { kind: 'switch_signed', number, signature };
    }
    case 'votes_signed': {
      const [answers, records] = [parseList(said['answers'], parseAnswer), parseList(said['records'], parseRecord)];
      return number === undefined || answers === undefined || records === undefined
        ? undefined
        : { kind: 'votes_signed', number, answers, records };
    }
    case 'votes_begun': {
      const record = parseRecord(said['record']);
      return record && { kind: 'votes_begun', record };
    }
    case 'locks': {
      const locks = parseList(said['locks'], parseForeign);
      return locks && { kind: 'locks', locks };
    }
    case 'refused':
      return number === undefined
        ? undefined
        : { kind: 'refused', number, code: String(said['code']), message: String(said['message']) };
    case 'closed':
      return { kind: 'closed', message: String(said['message']) };
    default:
      return undefined;
  }
}

function parseSwitch(said: Readonly<Record<string, unknown>>): ToSigner | undefined {
  const terms = toMembers(said['terms']) ?? {};
  const [owner, feeSymbol] = [parseWord(terms['owner']), parseWord(terms['feeSymbol'])];
  const [key, newKey] = [hexMember(terms['key'], 33), hexMember(terms['newKey'], 33)];
  const [number, expiration] = [countMember(said['number']), countMember(terms['expiration'], U32_MAX)];
  const [ref_block_num, ref_block_prefix] = [
    countMember(terms['ref_block_num'], U16_MAX),
    countMember(terms['ref_block_prefix'], U32_MAX),
  ];
  if (owner === undefined || feeSymbol === undefined || key === undefined || newKey === undefined) return undefined;
  if (number === undefined || ref_block_num === undefined || ref_block_prefix === undefined || expiration === undefined)
    return undefined;
  return {
    kind: 'switch',
    number,
    terms: { owner, key, newKey, feeSymbol, ref_block_num, ref_block_prefix, expiration },
  };
}

const [U16_MAX, U32_MAX] = [0xffff, 0xffff_ffff];

/** A name of an account, or a symbol. */
function parseWord(value: unknown): string | undefined {
  return typeof value === 'string' && /^[\x21-\x7e]{1,64}$/.test(value) ? value : undefined;
}

function parseOpened(said: Readonly<Record<string, unknown>>): FromSigner | undefined {
  const keys = parseList(said['keys'], (key) => hexMember(key, 33));
  const signed = parseList(said['signed'], parseSlot);
  const locks = parseList(said['locks'], parseForeign);
  const isDamaged = said['isDamaged'] === true;
  const votes = said['votes'] === undefined ? undefined : (parseList(said['votes'], parseRecord) ?? 'unreadable');
  if (keys === undefined || signed === undefined || locks === undefined || votes === 'unreadable') return undefined;
  return { kind: 'opened', keys, signed, locks, isDamaged, votes };
}

/** Undefined when one of the items isn't what it should be. */
function parseList<Item>(value: unknown, itemIn: (each: unknown) => Item | undefined): Item[] | undefined {
  if (!Array.isArray(value)) return undefined;
  const items = value.flatMap((each: unknown) => itemIn(each) ?? []);
  return items.length === value.length ? items : undefined;
}

function parseSlot(value: unknown): SignedSlot | undefined {
  const said = parseMembers(JSON.stringify(value ?? null)) ?? {};
  const [key, slot, digest] = [hexMember(said['key'], 33), countMember(said['slot']), hexMember(said['digest'], 32)];
  return key === undefined || slot === undefined || digest === undefined ? undefined : { key, slot, digest };
}

function parseForeign(value: unknown): ForeignBlock | undefined {
  const said = parseMembers(JSON.stringify(value ?? null)) ?? {};
  const slot = parseSlot(said);
  const [chain, id]: [Digest | undefined, BlockId | undefined] = [
    hexMember(said['chain'], 32),
    hexMember(said['id'], 20),
  ];
  return slot === undefined || chain === undefined || id === undefined ? undefined : { ...slot, chain, id };
}

function parseAlive(value: unknown): Alive | undefined {
  const said = parseMembers(JSON.stringify(value ?? null)) ?? {};
  const [key, head, slot] = [hexMember(said['key'], 33), hexMember(said['head'], 20), countMember(said['slot'])];
  const witness = typeof said['witness'] === 'string' ? exactName(said['witness']) : undefined;
  return key === undefined || head === undefined || slot === undefined || witness === undefined
    ? undefined
    : { witness, key, slot, head };
}

function parseHeader(value: unknown): BlockHeader | undefined {
  return unpacked(blockHeader, value);
}

function parseRecord(value: unknown): KeyRecord | undefined {
  const said = toMembers(value) ?? {};
  const [key, record] = [hexMember(said['key'], 33), unpacked(votingRecord, said['record'])];
  return key === undefined || record === undefined ? undefined : { key, record };
}

function parseVote(value: unknown): ShownVote | undefined {
  const said = toMembers(value) ?? {};
  const [record, subject] = [parseRecord(value), unpacked(voteSubject, said['subject'])];
  const evidence = unpacked(voteEvidence, said['evidence']);
  return record === undefined || subject === undefined || evidence === undefined
    ? undefined
    : { ...record, subject, evidence };
}

function parseAnswer(value: unknown): SignAnswer | undefined {
  const said = toMembers(value) ?? {};
  if (said['kind'] === 'refused')
    return { kind: 'refused', code: String(said['code']), message: String(said['message']) };
  const signature = said['kind'] === 'signed' ? hexMember(said['signature'], 65) : undefined;
  return signature === undefined ? undefined : { kind: 'signed', signature };
}

function unpacked<T>(codec: Pick<Codec<T>, 'read'>, value: unknown): T | undefined {
  if (typeof value !== 'string' || !/^(?:[0-9a-f]{2})+$/.test(value)) return undefined;
  try {
    const input = new ByteReader(Buffer.from(value, 'hex'));
    const read = codec.read(input);
    input.expectEnd();
    return read;
  } catch {
    return undefined;
  }
}
