import { u32 } from '../../codec/primitives.ts';
import { command } from '../command.ts';
import { shownOperations, withMember } from '../transaction_json.ts';
import { chainSymbols } from '../wallet.ts';

/** A block by its number; null when there is none yet. */
export const getBlockCommand = command({
  name: 'get_block',
  doc: 'A block by its number; null when there is none yet.',
  params: { num: u32 },
  example: 'get_block 1',
  handler: async ({ num }, wallet) => {
    const symbols = await chainSymbols(wallet);
    const block = await wallet.node.ask('get_block', { num }, 'block');
    return withMember(block, 'transactions', (list) =>
      Array.isArray(list) ? list.map((each) => shownOperations(each, symbols)) : list,
    );
  },
});
