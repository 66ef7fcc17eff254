import { defaultDialect } from '../../jsonrpc/envelope/dialect.ts';
import { methodDoc, WrittenJson, type Method, type Methods } from '../method.ts';
import { makeEncoding } from '../make_encoding.ts';
import { openRpcPieces } from '../openrpc.ts';
import type { Call, Services } from '../services.ts';
import { Pieces } from '../chunks.ts';
import { discover } from './discover.ts';

/** The group that JSON-RPC reserves for itself: `all` is evaluated at the first call. */
export function rpc(all: () => Methods): readonly Method[] {
  // Made once: half a megabyte that takes tens of milliseconds.
  let text: string | undefined;
  function* pieces(call: Call): Generator<string, undefined> {
    let made = '';
    for (const piece of openRpcTexts(all(), call)) {
      made += piece;
      yield piece;
    }
    text = made;
    return undefined;
  }
  return [discover((call) => (text === undefined ? new Pieces(pieces(call)) : new WrittenJson(text)))];
}

/** The text of the document of a node, a method at a time. */
export function openRpcTexts(
  methods: Methods,
  { symbols, about, parameters }: Pick<Services, 'symbols' | 'about' | 'parameters'>,
): Iterable<string> {
  const told = new Map([...methods].map(([name, method]) => [name, { ...method, doc: methodDoc(method, parameters) }]));
  return openRpcPieces(told, makeEncoding(symbols, '', defaultDialect), 'Pharos', about.clientVersion);
}
