import assert from 'node:assert/strict';
import { at, numberMember, textMember, type Json } from '../outside/json.ts';
import type { Site } from '../outside/site.ts';
import { waitUntil } from '../outside/wait_until.ts';
import { Chain } from './chain.ts';
import { publicKey, wif } from './keys.ts';

/** The rights of initminer alone, and only in a private net. */
export const ADMINISTERED = {
  fee: '0.000000 COIN',
  owner: 'initminer',
  url: 'https://administered.example',
  block_signing_key: publicKey('initminer'),
  props: { account_creation_fee: '0.000000 COIN', maximum_block_size: 131_072, price_feeds: [] },
};
export const ADMIN_UPDATE: Json = ['admin_witness_update', ADMINISTERED];

/**
 * A private net: `pharos run` with the settings that a node behind a wallet needs. Its blocks come every three seconds.
 */
export class PrivateNet extends Chain {
  readonly #site: Site;

  constructor(site: Site, ...[program]: ConstructorParameters<typeof Chain>) {
    super(program);
    this.#site = site;
  }

  /** The id of the transaction in which initminer has changed its witness; a block is waited for once. */
  async administered(): Promise<string> {
    return await this.once('administered', async () => {
      const trx = await this.signed([ADMIN_UPDATE], 'initminer');
      const done = await this.ask('network_broadcast_api.broadcast_transaction_synchronous', { trx });
      assert.equal(at(done, 'expired'), false);
      return textMember(done, 'id');
    });
  }

  /** The result of one command of a wallet that asks over the node's own WebSocket endpoint. */
  async walletCommand(...words: readonly string[]): Promise<Json> {
    const port =
      /listening on \d+, (\d+)/.exec(this.program.stderr + this.program.stdout)?.[1] ??
      assert.fail('there is one endpoint');
    const { code, stdout, stderr } = await this.#site.run([
      'wallet',
      '--server',
      `ws://localhost:${port}`,
      '--json',
      ...words,
    ]);
    assert.equal(code, 0, stderr);
    return JSON.parse(stdout);
  }
}

const PLUGINS =
  'witness account_by_key account_by_key_api alexandria_api database_api block_api network_broadcast_api account_history_api';

/** A net that has made its first block; before it, the time of the chain is the one of a genesis long ago. */
export async function startPrivateNet(site: Site): Promise<PrivateNet> {
  const program = site.start([
    'run',
    ...['--data-dir', site.path('private'), '--initminer-mining-pubkey', publicKey('initminer'), '--plugin', PLUGINS],
    ...['--webserver-http-endpoint', '127.0.0.1:0', '--webserver-ws-endpoint', 'localhost:0'],
    ...['--witness', '"initminer"', '--private-key', wif('initminer'), '--enable-stale-production', 'true'],
    ...['--sync', 'never', '--log-level', 'notice'],
  ]);
  await program.ready();
  const net = new PrivateNet(site, program);
  await waitUntil(
    'the first block',
    async () => numberMember(await net.ask('alexandria_api.info'), 'info.head_block_number') > 0 || undefined,
  );
  return net;
}
