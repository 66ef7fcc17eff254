import { bool, u32 } from '../../codec/primitives.ts';
import { command } from '../command.ts';
import { showOperations } from '../show/history.ts';
import { shownOperation, withMember } from '../transaction_json.ts';
import { wordsOf } from '../wallet.ts';

/** The operations of a block, or only those that the chain made by itself. */
export const getOpsInBlockCommand = command({
  name: 'get_ops_in_block',
  doc: 'The operations of a block, or only those that the chain made by itself.',
  params: { block_num: u32, only_virtual: bool },
  example: 'get_ops_in_block 1 false',
  show: showOperations,
  handler: async ({ block_num, only_virtual }, wallet) => {
    const words = await wordsOf(wallet);
    const entries = await wallet.node.ask('get_ops_in_block', { block_num, only_virtual }, 'ops_in_block');
    return Array.isArray(entries) ? entries.map((entry) => withMember(entry, 'op', (op) => shownOperation(op, words))) : entries;
  },
});
