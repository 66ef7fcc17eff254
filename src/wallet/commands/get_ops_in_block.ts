import type { Json } from '../../codec/json.ts';
import { bool, u32 } from '../../codec/primitives.ts';
import { command } from '../command.ts';
import { showOperations } from '../show/history.ts';
import { shownOperation, withMember } from '../transaction_json.ts';
import { chainSymbols } from '../wallet.ts';

/** The operations of a block, or only those that the chain made by itself. */
export const getOpsInBlockCommand = command({
  name: 'get_ops_in_block',
  doc: 'The operations of a block, or only those that the chain made by itself.',
  params: { block_num: u32, only_virtual: bool },
  example: 'get_ops_in_block 1 false',
  show: showOperations,
  handler: async ({ block_num, only_virtual }, wallet) => {
    const symbols = await chainSymbols(wallet);
    const entries: Json[] = [];
    for (let cursor: Json = null; ;) {
      const page = await wallet.node.call('alexandria_api.get_ops_in_block', {
        block_num,
        only_virtual,
        limit: PAGE,
        cursor,
      });
      const [found, next] = readPage(page);
      entries.push(...found);
      // An honest page has something but for the last one.
      if (next === null || found.length === 0) break;
      cursor = next;
    }
    return entries.map((entry) => withMember(entry, 'op', (op) => shownOperation(op, symbols)));
  },
});

/** Operations of one call: a few megabytes. */
const PAGE = 5000;

/** The operations of a page, and the cursor of the next one. */
function readPage(page: Json): readonly [entries: readonly Json[], next: Json] {
  if (typeof page !== 'object' || page === null || Array.isArray(page)) return [[], null];
  const { ops_in_block: entries = [], cursor = null } = page;
  return [Array.isArray(entries) ? entries : [], cursor];
}
