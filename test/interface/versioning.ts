import { at, type Json } from '../outside/json.ts';
import type { Chain } from './chain.ts';
import { call, on, refusal, type Section } from './lines.ts';
import { has, integer, listCheck, listIncluding, listExcluding, matching, time, version } from './shapes.ts';

const { row } = on('dev');

export const versioning: Section = {
  title: 'Versioning',
  lines: [
    row(
      '`alexandria_api` is the stable group',
      methods,
      listIncluding(has({ name: matching(/^alexandria_api\./), 'x-stability': 'stable' })),
    ),
    row(
      'All other groups are declared under development',
      methods,
      listExcluding(has({ name: matching(/^(?!alexandria_api).*\./), 'x-stability': 'stable' })),
    ),
    row('Chain and client versions are reported as dotted strings', call('alexandria_api.info'), {
      info: has({ hardfork_version: version }),
    }),
    row('Chain and client versions are reported as dotted strings', call('alexandria_api.about'), {
      about: has({ blockchain_version: version, client_version: version }),
    }),
    row(
      'Chain and client versions are reported as dotted strings',
      call('database_api.get_hardfork_properties'),
      has({
        current_hardfork_version: version,
        next_hardfork: version,
        processed_hardforks: listCheck(time),
        last_hardfork: integer,
        next_hardfork_time: time,
      }),
    ),
    row(
      '`account_history_api.get_transaction` is deprecated',
      methods,
      listIncluding(has({ name: 'account_history_api.get_transaction', deprecated: true })),
    ),
    row(
      '`database_api.verify_account_authority` is marked not implemented',
      refusal('database_api.verify_account_authority', { account: 'alice', signers: [] }),
      has({ name: 'not_implemented' }),
    ),
  ],
};

/** The methods of the OpenRPC document. */
async function methods({ program }: Chain): Promise<Json> {
  const document: Json = JSON.parse((await program.http('GET', '/openrpc.json', {})).body);
  return at(document, 'methods');
}
