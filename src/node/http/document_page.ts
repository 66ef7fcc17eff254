import type { Clock } from '../../base/clock.ts';
import { sha256Hex } from '../../crypto/hashes.ts';
import { acceptedCoding, compressedWell, type Coding } from '../../jsonrpc/http/compression.ts';
import type { Page, PageRequestSource } from '../../jsonrpc/http/http_server.ts';
import type { Header } from '../../jsonrpc/http/origins.ts';

/** The document and what is made of it, each at the first request for it. */
interface Document {
  readonly text: string;
  readonly tag: string;
  readonly packed: Map<Coding, Promise<Uint8Array>>;
}

/** Enough that no two documents share a tag. */
const TAG_DIGITS = 32;

type Reader = Pick<PageRequestSource, 'acceptEncoding' | 'ifNoneMatch'>;

/**
 * Serves the OpenRPC document under its usual name, compressed where the client accepts that, and not again to a client
 * that has it. It is put together at the first request, one of `pieces` a turn: all take tens of milliseconds.
 */
export function documentPage(
  pieces: () => Iterable<string>,
  clock: Clock,
): (path: string, reader: Reader) => Promise<Page> | undefined {
  let document: Promise<Document> | undefined;
  const put = async (): Promise<Document> => {
    let text = '';
    for (const piece of pieces()) {
      text += piece;
      await new Promise<void>((resolve) => void clock.after(0, resolve));
    }
    // Weak, because the compressed forms share it.
    const tag = `W/"${sha256Hex(Buffer.from(text)).slice(0, TAG_DIGITS)}"`;
    return { text, tag, packed: new Map() };
  };
  return (path, reader) =>
    path === '/openrpc.json' ? (document ??= put()).then((found) => makePage(found, reader)) : undefined;
}

async function makePage({ text, tag, packed }: Document, { acceptEncoding, ifNoneMatch }: Reader): Promise<Page> {
  const headers: Header[] = [
    ['ETag', tag],
    ['Cache-Control', 'no-cache'],
    ['Vary', 'Accept-Encoding'],
  ];
  const page = { status: 200, contentType: 'application/json', headers };
  if (isKnown(ifNoneMatch, tag)) return { ...page, status: 304, body: '' };
  const coding = acceptedCoding(acceptEncoding);
  if (coding === undefined) return { ...page, body: text };
  const body = packed.get(coding) ?? compressedWell(coding, Buffer.from(text));
  packed.set(coding, body);
  return { ...page, headers: [...headers, ['Content-Encoding', coding]], body: await body };
}

/** Returns whether a list such as `W/"a", "b"` names the tag, weak or not. */
function isKnown(ifNoneMatch: string, tag: string): boolean {
  const bare = (each: string): string => each.trim().replace(/^W\//, '');
  return ifNoneMatch.split(',').some((each) => each.trim() === '*' || bare(each) === bare(tag));
}
