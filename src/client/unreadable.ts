import { parseJson, type Json } from '../codec/json.ts';
import { NodeNonsense } from './answer.ts';
import { member } from './chain_of_node.ts';

/** An item of a subscription that can't be read, and where it stands on the chain as far as that is known. */
export class UnreadableItem extends NodeNonsense {
  readonly block: number | undefined;
  /** Which transaction of the block, and which operation of that. */
  readonly transaction: number | undefined;
  readonly operation: number | undefined;
  /** The path of the member within the item. */
  readonly member: string;
  /** The position behind it, to resume from. */
  readonly position: string | undefined;

  constructor(item: Json, path: string) {
    const operation = member(item, 'operation');
    const [block, transaction, index] = [
      optionalNumber(member(operation, 'block') ?? member(member(item, 'block'), 'number')),
      optionalNumber(member(operation, 'trx_in_block')),
      optionalNumber(member(operation, 'op_in_trx')),
    ];
    const place = [
      ['block', block],
      ['transaction', transaction],
      ['operation', index],
    ].flatMap(([name, value]) => (value === undefined ? [] : [`${name} ${value}`]));
    super(
      `${[...place, path].join(', ')}: a text of the node that is no UTF-8 can't be read; skip it, or read that block from a node that shows it`,
    );
    this.block = block;
    this.transaction = transaction;
    this.operation = index;
    this.member = path;
    const position = member(item, 'position');
    this.position = typeof position === 'string' ? position : undefined;
  }
}

function optionalNumber(json: Json | undefined): number | undefined {
  return typeof json === 'number' ? json : undefined;
}

/** A message that isn't JSON as it should be, as far as it can be read: texts are bytes, one a character. */
export function byteTexts(message: Uint8Array): Json | undefined {
  let text = '';
  for (const byte of message) text += String.fromCharCode(byte);
  try {
    return parseJson(text);
  } catch {
    return undefined;
  }
}

/** The value with its texts read as UTF-8, and the path of the first one that is none. */
export function fromByteTexts(json: Json): { readonly value: Json; readonly unreadable: string | undefined } {
  let unreadable: string | undefined;
  const read = (value: Json, path: string): Json => {
    if (typeof value === 'string') {
      const text = utf8Text(value);
      if (text === undefined) unreadable ??= path;
      return text ?? value;
    }
    if (typeof value !== 'object' || value === null) return value;
    if (Array.isArray(value)) return value.map((each, index) => read(each, `${path}[${index}]`));
    return Object.fromEntries(
      Object.entries(value).map(([name, each]) => [name, read(each, path === '' ? name : `${path}.${name}`)]),
    );
  };
  return { value: read(json, ''), unreadable };
}

const strict = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
const LARGEST_BYTE = 0xff;

/** Undefined when the bytes are no UTF-8, or an escape is half of a pair. */
function utf8Text(bytes: string): string | undefined {
  if (/\p{Cs}/u.test(bytes)) return undefined;
  const codes = Array.from(bytes, (character) => character.codePointAt(0) ?? 0);
  if (codes.some((code) => code > LARGEST_BYTE)) return bytes;
  try {
    return strict.decode(Uint8Array.from(codes));
  } catch {
    return undefined;
  }
}
