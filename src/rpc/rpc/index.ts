import { writeJson } from '../../codec/json_writer.ts';
import { defaultDialect } from '../../jsonrpc/dialect.ts';
import type { Method, Methods } from '../method.ts';
import { notationOf } from '../notation_of.ts';
import { openRpc } from '../openrpc.ts';
import type { Services } from '../services.ts';
import { discover } from './discover.ts';

/** The group that JSON-RPC reserves for itself: `all` is evaluated at the first call. */
export function rpc(all: () => Methods): readonly Method[] {
  // Made once: half a megabyte that takes tens of milliseconds.
  let text: string | undefined;
  return [discover((call) => (text ??= openRpcText(all(), call)))];
}

/** The text of the document of a node. */
export function openRpcText(methods: Methods, { words, about }: Pick<Services, 'words' | 'about'>): string {
  return writeJson(openRpc(methods, notationOf(words, '', defaultDialect), 'Pharos', about.clientVersion));
}
