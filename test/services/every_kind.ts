import assert from 'node:assert/strict';

// A development chain that has lived: each kind of operation that it takes, those that it makes itself, missed slots,
// prices, documents.

/** Calls a method of the chain; throws when it refuses. */
export type CallChain = (method: string, params?: object) => Promise<Record<string, unknown>>;

/** Calls a node at this address by POST. */
export function makeCaller(url: string): CallChain {
  return async (method, params = {}) => {
    const response = await fetch(url, {
      method: 'POST',
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
    });
    const { result, error } = (await response.json()) as {
      result: Record<string, unknown>;
      error?: { message: string };
    };
    if (error !== undefined) throw new Error(`${method} ${JSON.stringify(params)}: ${error.message}`);
    return result;
  };
}

/** A stranger's text in any place: it must be shown as it is and do nothing. */
export const HOSTILE = '<img src=x onerror="document.title=1"><script>document.title=2</script>';
/** The only kind that a development chain refuses: private nets alone have it. */
export const PRIVATE_NET_ONLY = 'admin_witness_update';

const DAY = 86_400;
/** A call is answered within ten seconds, on a machine that is busy too. */
const BLOCKS_AT_ONCE = 50;
/** Prices are agreed on by the hour, which is counted in blocks. */
const BLOCKS_OF_AN_HOUR = 1200;
/** So many prices the chain remembers in each currency: of whole hours since its first block. */
export const PRICE_HOURS = 3;
const props = { account_creation_fee: '0.500000 COIN', maximum_block_size: 131_072, price_feeds: [] };

/** Tells the whole story; the chain must make no blocks of itself (`--no-mining`). */
export async function liveThroughAll(call: CallChain): Promise<void> {
  const story = new Story(call);
  await story.moneyAndVesting();
  await story.documents();
  await story.escrows();
  await story.applications();
  await story.witnesses();
  await story.changingHands();
}

class Story {
  readonly #call: CallChain;

  constructor(call: CallChain) {
    this.#call = call;
  }

  async #send(...operations: [string, object][]): Promise<void> {
    const op_vec = [];
    for (const op of operations) {
      const { fee } = await this.#call('alexandria_api.calculate_fee', { op, symbol: 'COIN' });
      op_vec.push([op[0], { ...op[1], fee }]);
    }
    await this.#call('debug_api.send_unsigned', { op_vec });
  }

  async #blocks(count = 1): Promise<void> {
    for (let left = count; left > 0; left -= BLOCKS_AT_ONCE)
      await this.#call('debug_api.produce_blocks', { count: Math.min(left, BLOCKS_AT_ONCE) });
  }

  async #wait(seconds: number): Promise<void> {
    await this.#call('debug_api.jump_ahead', { seconds });
  }

  async #time(later: number): Promise<string> {
    const { time } = await this.#call('database_api.get_dynamic_global_properties');
    return new Date(Date.parse(`${String(time)}Z`) + later * 1000).toISOString().slice(0, 19);
  }

  async #key(name: string): Promise<string> {
    const { account } = (await this.#call('alexandria_api.get_account', { account_name: name })) as {
      account: { memo_key: string }[];
    };
    return account[0]?.memo_key ?? assert.fail(name);
  }

  async moneyAndVesting(): Promise<void> {
    await this.#blocks(3);
    await this.#send([
      'transfer',
      { from: 'alice', to: 'bob', amount: '1234.500000 COIN', memo: 'for the order of Monday' },
    ]);
    await this.#send(['transfer', { from: 'bob', to: 'alice', amount: '1.000000 COIN', memo: HOSTILE }]);
    await this.#blocks();
    await this.#send(
      ['transfer_to_vesting', { from: 'alice', to: 'bob', amount: '500000.000000 COIN' }],
      ['transfer_to_vesting', { from: 'erin', to: '', amount: '300000.000000 COIN' }],
    );
    await this.#blocks();
    await this.#send(['withdraw_vesting', { account: 'bob', vesting_shares: '2700.000000 VESTS' }]);
    await this.#send(['transfer_from_promotion_pool', { transfer_to: 'bob', amount: '1.000000 COIN', extensions: [] }]);
    await this.#send(['sponsor_fees', { sponsor: 'carol', sponsored: 'dave', is_sponsoring: true }]);
    await this.#blocks();
    for (let day = 0; day < 3; day++) await this.#wait(DAY + 10);
  }

  async documents(): Promise<void> {
    const document = { sender: 'dave', recipients: ['bob', 'erin'], app_id: 3 };
    await this.#send(['custom', { ...document, data: '00ff' }]);
    for (let number = 1; number <= 5; number++)
      await this.#send([
        'custom_json',
        { ...document, json: `{"order":${number},"text":"${'long '.repeat(number * 12)}"}` },
      ]);
    await this.#send(['custom_json', { ...document, json: JSON.stringify(HOSTILE) }]);
    await this.#send(['custom_binary', { ...document, data: '68656c6c6f' }]);
    await this.#blocks();
  }

  async escrows(): Promise<void> {
    const ends = { ratification_deadline: await this.#time(2 * DAY), escrow_expiration: await this.#time(20 * DAY) };
    const held = { coin_amount: '5.000000 COIN', escrow_fee: '0.500000 COIN', json_meta: '', ...ends };
    for (const escrow_id of [1, 2])
      await this.#send(['escrow_transfer', { from: 'alice', to: 'bob', agent: 'carol', escrow_id, ...held }]);
    await this.#blocks();
    const parties = { from: 'alice', to: 'bob', agent: 'carol', escrow_id: 1 };
    await this.#send(['escrow_approve', { ...parties, who: 'bob', approve: true }]);
    await this.#send(['escrow_approve', { ...parties, who: 'carol', approve: true }]);
    await this.#blocks();
    await this.#send(['escrow_dispute', { ...parties, who: 'alice' }]);
    await this.#blocks();
    await this.#send(['escrow_release', { ...parties, who: 'carol', receiver: 'bob', coin_amount: '2.000000 COIN' }]);
    await this.#blocks();
  }

  async applications(): Promise<void> {
    const shop = { author: 'alice', name: 'shop' };
    await this.#send([
      'application_create',
      { ...shop, url: 'https://shop.example', metadata: '{"about":"a shop"}', price_param: 1 },
    ]);
    await this.#send([
      'application_create',
      { ...shop, author: 'frank', name: 'chat', url: 'javascript:document.title=3', metadata: HOSTILE, price_param: 1 },
    ]);
    await this.#send(['application_create', { ...shop, name: 'old-shop', url: 'u', metadata: '', price_param: 0 }]);
    await this.#blocks();
    await this.#send(['application_update', { ...shop, url: 'https://new.example', metadata: '' }]);
    await this.#send(
      ['buy_application', { buyer: 'bob', app_id: 0 }],
      ['buy_application', { buyer: 'carol', app_id: 0 }],
    );
    await this.#blocks();
    await this.#send(['cancel_application_buying', { app_owner: 'alice', buyer: 'carol', app_id: 0 }]);
    await this.#send(['application_delete', { ...shop, name: 'old-shop' }]);
    await this.#blocks();
  }

  async witnesses(): Promise<void> {
    const [bob, grace] = [await this.#key('bob'), await this.#key('grace')];
    await this.#send(['transfer_to_vesting', { from: 'grace', to: '', amount: '300000.000000 COIN' }]);
    await this.#blocks();
    await this.#send(['witness_update', { owner: 'bob', url: 'https://bob.example', block_signing_key: bob, props }]);
    await this.#send(['witness_update', { owner: 'grace', url: HOSTILE, block_signing_key: grace, props }]);
    await this.#blocks();
    await this.#send(['account_witness_vote', { account: 'bob', witness: 'initminer', approve: true }]);
    await this.#send(['account_witness_vote', { account: 'erin', witness: 'initminer', approve: true }]);
    await this.#send(['account_witness_vote', { account: 'erin', witness: 'bob', approve: true }]);
    await this.#send(['account_witness_proxy', { account: 'ivan', proxy: 'erin' }]);
    await this.#blocks();
    await this.#send([
      'witness_set_properties',
      {
        owner: 'bob',
        props: [['url', Buffer.from('\u0005https').toString('hex')]],
        extensions: [],
      },
    ]);
    await this.#blocks();
    await this.#send(['witness_stop', { owner: 'grace' }]);
    await this.#blocks();
    await this.#prices(bob);
  }

  /** As many as a median needs agree on prices, for as many hours as make a line. */
  async #prices(key: string): Promise<void> {
    const helpers = ['carol', 'dave', 'ivan'];
    for (const owner of helpers) {
      await this.#send(['transfer_to_vesting', { from: owner, to: '', amount: '300000.000000 COIN' }]);
      await this.#blocks();
      await this.#send([
        'witness_update',
        { owner, url: `https://${owner}.example/${'unbroken'.repeat(20)}`, block_signing_key: key, props },
      ]);
    }
    // The round after the next has them.
    await this.#blocks(102);
    for (let hour = 0; hour < PRICE_HOURS; hour++) {
      for (const publisher of ['initminer', 'bob', ...helpers]) await this.#publish(publisher, hour);
      await this.#blocks(BLOCKS_OF_AN_HOUR);
    }
    for (const owner of helpers) await this.#send(['witness_stop', { owner }]);
    await this.#blocks();
  }

  async #publish(publisher: string, hour: number): Promise<void> {
    for (const [symbol, rate] of [
      ['USD', 1200],
      ['EUR', 1100],
    ] as const) {
      const exchange_rate = { base: '1.000000 COIN', quote: `0.${rate + 37 * hour}00 ${symbol}` };
      await this.#send(['feed_publish', { publisher, exchange_rate }]);
    }
  }

  async changingHands(): Promise<void> {
    const keys = { alice: await this.#key('alice'), heidi: await this.#key('heidi'), judy: await this.#key('judy') };
    const by = (key: string): object => ({ weight_threshold: 1, account_auths: [], key_auths: [[key, 1]] });
    const { alice, heidi, judy } = keys;
    await this.#send([
      'account_create',
      {
        creator: 'alice',
        name_seed: 'seed',
        owner: by(alice),
        active: by(alice),
        memo_key: alice,
        json_metadata: '',
      },
    ]);
    await this.#send([
      'account_update',
      { account: 'heidi', owner: by(judy), memo_key: heidi, json_metadata: JSON.stringify({ about: HOSTILE }) },
    ]);
    await this.#send([
      'change_recovery_account',
      { account_to_recover: 'judy', new_recovery_account: 'carol', extensions: [] },
    ]);
    await this.#send([
      'set_reset_account',
      { account: 'judy', current_reset_account: 'initminer', reset_account: 'dave' },
    ]);
    await this.#blocks();
    await this.#wait(DAY / 2);
    await this.#send([
      'request_account_recovery',
      { recovery_account: 'initminer', account_to_recover: 'heidi', new_owner_authority: by(alice), extensions: [] },
    ]);
    await this.#blocks();
    await this.#send([
      'recover_account',
      {
        account_to_recover: 'heidi',
        new_owner_authority: by(alice),
        recent_owner_authority: by(heidi),
        extensions: [],
      },
    ]);
    await this.#send(['account_delete', { account: 'frank' }]);
    await this.#blocks();
    await this.#wait(61 * DAY);
    await this.#send([
      'reset_account',
      { reset_account: 'dave', account_to_reset: 'judy', new_owner_authority: by(judy) },
    ]);
    await this.#send(['withdraw_vesting', { account: 'erin', vesting_shares: '27000.000000 VESTS' }]);
    await this.#blocks();
    await this.#wait(2 * DAY);
    await this.#blocks(80);
    await this.#call('debug_api.miss_slots', { count: 4 });
    await this.#blocks(30);
    await this.#send(['transfer', { from: 'alice', to: 'bob', amount: '2.000000 COIN', memo: 'the last one' }]);
    await this.#blocks();
  }
}
