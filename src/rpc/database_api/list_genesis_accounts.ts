import { Type } from '../../jsonrpc/envelope/typebox.ts';
import { present } from '../../base/assert.ts';
import { u32 } from '../../codec/primitives.ts';
import { coded } from '../../jsonrpc/envelope/params.ts';
import { pageLimit, pageRefusals, requirePage } from '../../queries/paging.ts';
import { coins, INIT_MINER_ACCOUNT, type ChainParameters } from '../../state/parameters.ts';
import { accountName } from '../../values/account_name.ts';
import { asset } from '../../values/asset.ts';
import { method } from '../method.ts';

/** Lists the balances of accounts before the first block. */
export const listGenesisAccounts = method({
  name: 'database_api.list_genesis_accounts',
  doc: 'What the genesis gave to accounts: with it, balances follow from the operations since. Other accounts of the genesis have nothing.',
  params: {
    start: coded(u32, { default: 0, description: 'number of the first one on the page, from 0' }),
    limit: coded(pageLimit),
  },
  result: Type.Object({ accounts: Type.Array(Type.Object({ name: coded(accountName), balance: coded(asset) })) }),
  example: { params: { start: 0, limit: 2 } },
  stability: 'experimental',
  refuses: pageRefusals,
  thread: 'read',

  handler({ start, limit }, { parameters, encoding }) {
    requirePage(limit, encoding);
    const { length } = parameters.genesis.initial_accounts;
    const count = Math.max(0, Math.min(limit, length + 1 - start));
    return { accounts: Array.from({ length: count }, (_, k) => genesisAccount(parameters, start + k)) };
  },
});

/** The first witness comes first. */
function genesisAccount(
  parameters: ChainParameters,
  index: number,
): { readonly name: string; readonly balance: ReturnType<typeof coins> } {
  const { genesis } = parameters;
  if (index === 0) return { name: INIT_MINER_ACCOUNT, balance: coins(parameters, genesis.initial_balace) };
  const { name, balance } = present(genesis.initial_accounts[index - 1], 'an account of the genesis');
  return { name, balance: coins(parameters, balance) };
}
