import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { at, listAt, numberAt, textAt, type Json } from '../outside/json.ts';
import { digestOf, secretOf, sign, unsignedBytes, verifies } from '../outside/signer.ts';
import { accountCreate, authorityOf, transfer, type Chain } from './chain.ts';
import { application, becomeWitness, robbed } from './deeds.ts';
import { nameOfSeed, publicKey as key, publicKeyOf, wif, wifOf } from './keys.ts';
import { call, expect, on, refusal, type Section } from './lines.ts';
import { pricedSymbol } from './records.ts';
import {
  anything,
  authority,
  checked,
  coin,
  has,
  hex,
  id40,
  integer,
  list,
  listOf,
  listWith,
  listWithout,
  matching,
  noList,
  price,
  publicKeyText,
  signatureText,
  text,
  time,
  wifText,
} from './shapes.ts';

const { row, story } = on('dev');
const hurried = on('hurried');

const APP = 4711;
const SUBSCRIPTION = { app_id: APP, account_name: 'bob', search_type: 'by_recipient', start: 1 };

export const alexandriaApi: Section = {
  title: 'Endpoints / alexandria_api: other methods',
  lines: [
    row('info', call('alexandria_api.info'), { info: has({ head_block_number: integer, account_creation_fee: coin }) }),
    row('about', call('alexandria_api.about'), { about: has({ chain_id: hex(64), blockchain_version: text }) }),
    row('get_version', call('alexandria_api.get_version'), { version_info: has({ chain_id: hex(64) }) }),
    row('get_dynamic_global_properties', call('alexandria_api.get_dynamic_global_properties'), {
      properties: has({ head_block_number: integer, time }),
    }),
    row('get_key_references', call('alexandria_api.get_key_references', { keys: [key('heidi'), key('a key of nobody')] }), {
      accounts: [['heidi'], []],
    }),
    story('get_key_references', 'keys of the owner or the active authority count, memo keys do not', async (chain) => {
      await chain.send(
        [accountCreate('three keys', { owner: authorityOf('o3'), active: authorityOf('a3'), memo_key: key('m3') })],
        'alice',
      );
      const found = await chain.ask('alexandria_api.get_key_references', { keys: ['o3', 'a3', 'm3'].map(key) });
      expect({ accounts: [[nameOfSeed('three keys')], [nameOfSeed('three keys')], []] }, found);
    }),
    ...(
      [
        ['alice', true],
        ['initminer', true],
        ['nobody-here', false],
      ] as const
    ).map(([account_name, exists]) =>
      row('account_exist', call('alexandria_api.account_exist', { account_name }), { account_exist: exists }, account_name),
    ),
    ...['0.02 COIN', '1 COIN', '0 COIN'].map((fee) =>
      row(
        'add_fee',
        call('alexandria_api.add_fee', { op: transfer('alice', 'bob', '5.5', 'm'), fee }),
        {
          op: [
            'transfer',
            { fee: `${Number(fee.split(' ')[0]).toFixed(6)} COIN`, from: 'alice', to: 'bob', amount: '5.500000 COIN', memo: 'm' },
          ],
        },
        fee,
      ),
    ),
    story('add_signature', 'behind those that are there', async (chain) => {
      const tx = await chain.signed([transfer('alice', 'bob', '1')], 'alice');
      const signature = sign(Buffer.alloc(32, 7), secretOf('bob'));
      const { signatures, ...rest } = tx;
      const answer = await chain.ask('alexandria_api.add_signature', { tx, signature });
      expect({ signed_tx: has({ ...rest, signatures: [...listAt({ signatures: signatures ?? null }, 'signatures'), signature] }) }, answer);
    }),
    story('broadcast_transaction', 'waits until the transaction is processed', async (chain) => {
      const tx = await chain.signed([transfer('alice', 'bob', '1', 'waited for')], 'alice');
      const head = numberAt(await chain.ask('alexandria_api.info'), 'info.head_block_number');
      const answer = await chain.waited('alexandria_api.broadcast_transaction', { tx });
      expect(
        {
          tx: has({
            ...tx,
            operations: listOf(['transfer', anything]),
            transaction_id: id40,
            block_num: integer,
            transaction_num: integer,
          }),
        },
        answer,
      );
      assert.ok(numberAt(answer, 'tx.block_num') > head);
      const stored = await chain.ask('alexandria_api.get_block', { num: numberAt(answer, 'tx.block_num') });
      assert.equal(listAt(stored, 'block.transaction_ids')[numberAt(answer, 'tx.transaction_num')], at(answer, 'tx.transaction_id'));
    }),
    ...(
      [
        ['a transfer', transfer('alice', 'bob', '1'), '0.010000 COIN'],
        ['a transfer of millions', transfer('alice', 'bob', '1000000'), '0.010000 COIN'],
        ['an account', accountCreate('of any seed'), '0.050000 COIN'],
        ['a vesting', ['transfer_to_vesting', { from: 'alice', to: '', amount: '1 COIN' }], '0.000000 COIN'],
        ['a document of 4096 bytes', binary(4096), '0.010000 COIN'],
        ['a document of 4097 bytes', binary(4097), '0.020000 COIN'],
        ['an empty document', binary(0), '0.010000 COIN'],
      ] as const
    ).map(([what, op, fee]) => row('calculate_fee', call('alexandria_api.calculate_fee', { op, symbol: 'COIN' }), { fee }, what)),
    hurried.story('calculate_fee', 'in a fiat symbol', async (chain) => {
      await pricedSymbol(chain);
      const answer = await chain.ask('alexandria_api.calculate_fee', { op: transfer('alice', 'bob', '1'), symbol: 'USD' });
      expect({ fee: '0.010000 USD' }, answer);
    }),
    row('create_simple_authority', call('alexandria_api.create_simple_authority', { pub_key: key('k') }), {
      simple_authority: { weight_threshold: 1, account_auths: [], key_auths: [[key('k'), 1]] },
    }),
    row('create_simple_managed_authority', call('alexandria_api.create_simple_managed_authority', { managing_account: 'alice' }), {
      simple_managed_authority: { weight_threshold: 1, account_auths: [['alice', 1]], key_auths: [] },
    }),
    story('create_simple_managed_authority', 'of a seed', async (chain) => {
      const { name } = await chain.account('the manager');
      for (const managing_account of ['the manager', name])
        expect(
          { simple_managed_authority: { weight_threshold: 1, account_auths: [[name, 1]], key_auths: [] } },
          await chain.ask('alexandria_api.create_simple_managed_authority', { managing_account }),
        );
    }),
    row(
      'create_simple_managed_authority',
      refusal('alexandria_api.create_simple_managed_authority', { managing_account: 'neither name nor seed' }),
      has({ message: matching(/./) }),
      'what is neither is refused',
    ),
    ...[1, 2].map((required_signatures) =>
      row(
        'create_simple_multisig_authority',
        call('alexandria_api.create_simple_multisig_authority', { pub_keys: [key('k1'), key('k2')], required_signatures }),
        {
          simple_multisig_authority: { weight_threshold: required_signatures, account_auths: [], key_auths: pairs([key('k1'), key('k2')]) },
        },
        `${required_signatures} of two`,
      ),
    ),
    row(
      'create_simple_multisig_managed_authority',
      call('alexandria_api.create_simple_multisig_managed_authority', {
        managing_accounts: ['carol', 'bob', 'alice'],
        required_signatures: 2,
      }),
      {
        simple_multisig_managed_authority: {
          weight_threshold: 2,
          account_auths: [
            ['alice', 1],
            ['bob', 1],
            ['carol', 1],
          ],
          key_auths: [],
        },
      },
    ),
    row('create_simple_transaction', call('alexandria_api.create_simple_transaction', { op: transfer('alice', 'bob', '1') }), {
      simple_tx: {
        ref_block_num: integer,
        ref_block_prefix: integer,
        expiration: time,
        operations: [['transfer', has({ from: 'alice' })]],
        extensions: [],
        signatures: [],
      },
    }),
    ...(
      [
        ['0.000000 COIN', '0.010000 COIN'],
        ['0.009999 COIN', '0.010000 COIN'],
        ['0.010000 COIN', '0.010000 COIN'],
        ['0.025000 COIN', '0.025000 COIN'],
      ] as const
    ).map(([fee, kept]) =>
      row(
        'create_simple_transaction',
        async (chain) => {
          const added = await chain.ask('alexandria_api.add_fee', { op: transfer('alice', 'bob', '1'), fee });
          return await chain.ask('alexandria_api.create_simple_transaction', { op: at(added, 'op') });
        },
        { simple_tx: has({ operations: [['transfer', has({ fee: kept })]] }) },
        `a fee of ${fee} becomes ${kept}`,
      ),
    ),
    row(
      'create_transaction',
      call('alexandria_api.create_transaction', { op_vec: [transfer('alice', 'bob', '1'), withFee('0.03 COIN'), withFee('0 COIN')] }),
      {
        tx: {
          ref_block_num: integer,
          ref_block_prefix: integer,
          expiration: time,
          operations: ['0.010000', '0.030000', '0.010000'].map((fee) => ['transfer', has({ fee: `${fee} COIN` })]),
          extensions: [],
          signatures: [],
        },
      },
    ),
    row('custom_object_subscription', call('alexandria_api.custom_object_subscription', { return_id: 77, ...SUBSCRIPTION }), {
      subscription: 77,
    }),
    story('custom_object_subscription', 'over a WebSocket', async ({ program }) => {
      const socket = await program.socket();
      const answer = await socket.call('alexandria_api.custom_object_subscription', { return_id: 78, ...SUBSCRIPTION });
      socket.close();
      expect(has({ result: { subscription: 78 } }), answer);
    }),
    ...['', 'hello', 'größer — 大きい', 'x'.repeat(3000)].map((data) =>
      story('encrypt_data', `${data.length} characters are read by either of two, and by nobody else`, async (chain) => {
        const sealed = textAt(await encrypted(chain, data), 'encrypted_data');
        assert.ok(data === '' || !sealed.includes(data));
        const open = (reader: string, writer: string): Json => ({ data: sealed, public_key: key(writer), private_key: wif(reader) });
        expect({ decrypted_data: data }, await chain.ask('alexandria_api.decrypt_data', open('bob', 'alice')));
        expect({ decrypted_data: data }, await chain.ask('alexandria_api.decrypt_data', open('alice', 'bob')));
        await chain.refusal('alexandria_api.decrypt_data', open('carol', 'alice'));
      }),
    ),
    story('decrypt_data', 'what was not encrypted is refused', async (chain) => {
      const sealed = textAt(await encrypted(chain, 'a secret'), 'encrypted_data');
      const open = { data: sealed, public_key: key('alice'), private_key: wif('bob') };
      expect({ decrypted_data: 'a secret' }, await chain.ask('alexandria_api.decrypt_data', open));
      for (const data of ['', 'hello', sealed.slice(1), `${sealed}1`])
        await chain.refusal('alexandria_api.decrypt_data', { ...open, data });
    }),
    ...[
      ['1 USD', '4.000000 COIN'],
      ['0.25 USD', '1.000000 COIN'],
      ['0.000001 USD', '0.000004 COIN'],
      ['1000000 USD', '4000000.000000 COIN'],
    ].map(([fiat = '', coins = '']) =>
      hurried.row(
        'fiat_to_coin',
        async (chain) => {
          await pricedSymbol(chain);
          return await chain.ask('alexandria_api.fiat_to_coin', { fiat });
        },
        { coin: coins },
        fiat,
      ),
    ),
    row(
      'fiat_to_coin',
      refusal('alexandria_api.fiat_to_coin', { fiat: '1 CNY' }),
      has({ message: matching(/./) }),
      'without a feed there is no answer but an error',
    ),
    ...[
      ['', ''],
      ['f', 'Zg=='],
      ['foobar', 'Zm9vYmFy'],
      ['ä€', 'w6Tigqw='],
    ].flatMap(([data = '', base64 = '']) => [
      row('to_base64', call('alexandria_api.to_base64', { data }), { base64_str: base64 }, JSON.stringify(data)),
      row('from_base64', call('alexandria_api.from_base64', { data: base64 }), { str: data }, JSON.stringify(base64)),
    ]),
    row('generate_key_pair', call('alexandria_api.generate_key_pair'), { key_pair: { pub_key: publicKeyText, wif_priv_key: wifText } }),
    story('generate_key_pair', 'another one each time', async (chain) => {
      const [one, other] = [await chain.ask('alexandria_api.generate_key_pair'), await chain.ask('alexandria_api.generate_key_pair')];
      assert.notDeepEqual(one, other);
    }),
    ...['ONE TWO THREE', 'a brain key', ''].map((brain_key) =>
      row(
        'generate_key_pair_from_brain_key',
        call('alexandria_api.generate_key_pair_from_brain_key', { brain_key }),
        {
          key_pair: { pub_key: publicKeyOf(brainSecret(brain_key)), wif_priv_key: wifOf(brainSecret(brain_key)) },
        },
        JSON.stringify(brain_key),
      ),
    ),
    ...['alice', 'a seed with blanks', 'ÄÖÜ'].map((seed) =>
      row(
        'get_account_name_from_seed',
        call('alexandria_api.get_account_name_from_seed', { seed }),
        { account_name: nameOfSeed(seed) },
        seed,
      ),
    ),
    row('get_account', call('alexandria_api.get_account', { account_name: 'carol' }), {
      account: [has({ name: 'carol', owner: authority, balance: coin })],
    }),
    row(
      'get_account',
      refusal('alexandria_api.get_account', { account_name: 'dave9' }),
      has({ message: matching(/^no account is named dave9/i), data: has({ name: text, lineage: text }) }),
      'an unknown one is refused in plain words, with the words of the original beside them',
    ),
    row('get_accounts', call('alexandria_api.get_accounts', { account_names: ['bob', 'nobody-here', 'alice'] }), {
      accounts: [has({ name: 'bob', transfer_history: list }), has({ name: 'alice', vesting_balance: coin })],
    }),
    story('get_account_balance', '', async (chain) => {
      const { name } = await chain.account('with a balance', '4294.967297');
      expect({ account_balance: 4_294_967_297 }, await chain.ask('alexandria_api.get_account_balance', { account_name: name }));
    }),
    story('get_vesting_balance', '', async (chain) => {
      const { name } = await chain.account('with shares');
      await chain.send([['transfer_to_vesting', { from: 'alice', to: name, amount: '9007.199254 COIN' }]], 'alice');
      expect({ vesting_balance: 9_007_199_254 }, await chain.ask('alexandria_api.get_vesting_balance', { account_name: name }));
    }),
    ...(
      [
        [-1, 0, [5]],
        [-1, 2, [3, 4, 5]],
        [-1, 100, [0, 1, 2, 3, 4, 5]],
        [3, 2, [1, 2, 3]],
        [3, 0, [3]],
        [0, 0, [0]],
        [1, 10, [0, 1]],
        [7, 4, [3, 4, 5]],
      ] as const
    ).map(([start, limit, sequences]) =>
      row(
        'get_account_history',
        async (chain) => await chain.ask('alexandria_api.get_account_history', { account: await eventful(chain), start, limit }),
        { account_history: sequences.map((sequence) => [sequence, has({ trx_id: id40, block: integer, op: [text, anything] })]) },
        `start ${start}, limit ${limit}`,
      ),
    ),
    row('get_active_authority', call('alexandria_api.get_active_authority', { account_name: 'alice' }), {
      active_authority: authorityOf('alice'),
    }),
    row(
      'get_active_witnesses',
      call('alexandria_api.get_active_witnesses'),
      { active_witnesses: listOf(matching(/^\S+$/, 'a name')) },
      'names only',
    ),
    story('get_active_witnesses', 'a new witness is among them from the next round of 51 blocks on', async (chain) => {
      const ROUND = 51;
      const left = ROUND - (numberAt(await chain.ask('alexandria_api.info'), 'info.head_block_number') % ROUND);
      if (left < 5) await chain.produce(left);
      await becomeWitness(chain, 'erin');
      const active = (): Promise<Json> => chain.ask('alexandria_api.get_active_witnesses');
      expect({ active_witnesses: listWithout('erin') }, await active());
      const head = numberAt(await chain.ask('alexandria_api.info'), 'info.head_block_number');
      await chain.produce(ROUND - (head % ROUND) - 1);
      expect({ active_witnesses: listWithout('erin') }, await active());
      await chain.produce();
      expect({ active_witnesses: listWith('erin') }, await active());
    }),
    story('get_application_buyings', 'by buyer', async (chain) => {
      const app_id = await bought(chain);
      const answer = await chain.ask('alexandria_api.get_application_buyings', { name: 'dave', search_type: 'by_buyer', count: 10 });
      expect({ application_buyings: [has({ app_id, buyer: 'dave', id: integer })] }, answer);
    }),
    story('get_application_buyings', 'by application name', async (chain) => {
      const app_id = await bought(chain);
      const answer = await chain.ask('alexandria_api.get_application_buyings', { name: 'bought', search_type: 'by_app_id', count: 10 });
      expect({ application_buyings: [has({ app_id, buyer: 'grace' }), has({ app_id, buyer: 'dave' })] }, answer);
    }),
    story('get_applications', '', async (chain) => {
      const id = await application(chain, 'app-1');
      const record = has({ id, name: 'app-1', author: 'alice', url: 'https://old.example', metadata: 'old' });
      expect({ applications: [record] }, await chain.ask('alexandria_api.get_applications', { names: ['app-1', 'no-such-app'] }));
    }),
    story('get_applications_by_ids', '', async (chain) => {
      const ids = [await application(chain, 'app-2'), await application(chain, 'app-3')];
      const answer = await chain.ask('alexandria_api.get_applications_by_ids', { ids: [...ids, 999_999] });
      expect({ applications: [has({ id: ids[0] ?? -1, name: 'app-2' }), has({ id: ids[1] ?? -1, name: 'app-3' })] }, answer);
    }),
    row('get_block', call('alexandria_api.get_block', { num: 1 }), {
      block: has({ previous: '0'.repeat(40), witness: 'initminer', block_id: matching(/^00000001/), transaction_ids: list }),
    }),
    row('get_block', call('alexandria_api.get_block', { num: 4_000_000_000 }), {}, 'there is none'),
    row(
      'get_ops_in_block',
      async (chain) => await chain.ask('alexandria_api.get_ops_in_block', { block_num: (await sent(chain)).block, only_virtual: false }),
      { ops_in_block: listWith(has({ op: ['transfer', anything], virtual_op: 0 })) },
    ),
    row(
      'get_ops_in_block',
      async (chain) => await chain.ask('alexandria_api.get_ops_in_block', { block_num: (await sent(chain)).block, only_virtual: true }),
      { ops_in_block: listOf(has({ op: ['producer_reward', anything] })) },
      'only virtual ones',
    ),
    ...['EUR', 'USD', 'CNY', 'GBP'].map((symbol) =>
      row(
        'get_feed_history',
        call('alexandria_api.get_feed_history', { symbol }),
        { feed_history: { id: integer, current_median_price: price, price_history: list } },
        symbol,
      ),
    ),
    row(
      'get_feed_history',
      refusal('alexandria_api.get_feed_history', { symbol: 'JPY' }),
      has({ message: matching(/./) }),
      'of no other symbol',
    ),
    row('get_memo_key', call('alexandria_api.get_memo_key', { account_name: 'bob' }), { memo_key: key('bob') }),
    row('get_owner_authority', call('alexandria_api.get_owner_authority', { account_name: 'bob' }), {
      owner_authority: authorityOf('bob'),
    }),
    story('get_owner_history', '', async (chain) => {
      const { name } = await robbed(chain, 'with a past');
      const entry = has({ account: name, previous_owner_authority: authorityOf('with a past'), last_valid_time: time });
      expect({ owner_history: [entry] }, await chain.ask('alexandria_api.get_owner_history', { account: name }));
    }),
    row(
      'get_owner_history',
      call('alexandria_api.get_owner_history', { account: 'bob' }),
      { owner_history: noList },
      'of an owner that never changed',
    ),
    row('get_public_key', call('alexandria_api.get_public_key', { private_key: wif('carol') }), { public_key: key('carol') }),
    ...(
      [
        ['by_sender_reverse', '1', [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]],
        ['by_sender_reverse', '3', [3, 4, 5, 6, 7, 8, 9, 10, 11, 12]],
        ['by_recipient_reverse', '1', [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]],
        ['by_recipient_reverse', '-1', [3, 4, 5, 6, 7, 8, 9, 10, 11, 12]],
        ['by_sender_reverse', -1, [3, 4, 5, 6, 7, 8, 9, 10, 11, 12]],
        ['by_sender_datetime_reverse', '2000-01-01T00:00:00', [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]],
        ['by_recipient_datetime_reverse', '2000-01-01T00:00:00', [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]],
      ] as const
    ).map(([search_type, start, numbers]) =>
      row(
        'get_received_documents',
        async (chain) => {
          await twelveDocuments(chain);
          const account_name = search_type.startsWith('by_sender') ? 'grace' : 'heidi';
          return await chain.ask('alexandria_api.get_received_documents', { app_id: APP, account_name, search_type, start });
        },
        { received_documents: numbers.map((number) => [number, has({ sender: 'grace', recipients: ['heidi'], data: `{"n":${number}}` })]) },
        `${search_type} from ${start}, ten without a count`,
      ),
    ),
    row(
      'get_received_documents',
      async (chain) => {
        await twelveDocuments(chain);
        const search = { app_id: APP, account_name: 'heidi', search_type: 'by_recipient_reverse', start: '2', count: 3 };
        return await chain.ask('alexandria_api.get_received_documents', search);
      },
      { received_documents: [2, 3, 4].map((number) => [number, anything]) },
      'as many as count says',
    ),
    row(
      'get_required_signatures',
      call('alexandria_api.get_required_signatures', async (chain) => ({
        tx: await chain.unsigned([transfer('alice', 'bob', '1'), transfer('bob', 'alice', '1')]),
      })),
      { required_signatures: [key('alice'), key('bob')].toSorted() },
    ),
    story('get_required_signatures', 'through the authorities of other accounts', async (chain) => {
      const managed = { weight_threshold: 1, account_auths: [['carol', 1]], key_auths: [] };
      await chain.send([accountCreate('managed by carol', { active: managed })], 'alice');
      const tx = await chain.unsigned([transfer(nameOfSeed('managed by carol'), 'bob', '1')]);
      expect({ required_signatures: listWith(key('carol')) }, await chain.ask('alexandria_api.get_required_signatures', { tx }));
    }),
    story('get_transaction', '', async (chain) => {
      const { id, block, place } = await sent(chain);
      const shape = {
        transaction_id: id,
        block_num: block,
        transaction_num: place,
        operations: [['transfer', has({ memo: 'looked up' })]],
      };
      expect({ tx: has(shape) }, await chain.ask('alexandria_api.get_transaction', { tx_id: id }));
    }),
    row(
      'get_transaction',
      refusal('alexandria_api.get_transaction', { tx_id: '12'.repeat(20) }),
      has({ name: 'unknown_transaction' }),
      'an unknown one',
    ),
    story('get_transaction_digest', 'sha256 of the chain id and the bytes', async (chain) => {
      const tx = await chain.unsigned([transfer('alice', 'bob', '1')]);
      const digest = digestOf(await chain.chainId(), await unsignedBytes(chain.program, tx)).toString('hex');
      expect({ tx_digest: digest }, await chain.ask('alexandria_api.get_transaction_digest', { tx }));
    }),
    story('get_transaction_id', 'the first half of the sha256 of the bytes, signed or not', async (chain) => {
      const tx = await chain.signed([transfer('alice', 'bob', '1')], 'alice');
      const id = createHash('sha256')
        .update(await unsignedBytes(chain.program, tx))
        .digest('hex')
        .slice(0, 40);
      for (const signatures of [tx['signatures'] ?? [], []])
        expect({ tx_id: id }, await chain.ask('alexandria_api.get_transaction_id', { tx: { ...tx, signatures } }));
    }),
    row('get_witness', call('alexandria_api.get_witness', { owner_account: 'initminer' }), {
      witness: has({ owner: 'initminer', signing_key: key('initminer'), url: text }),
    }),
    row('get_witness', call('alexandria_api.get_witness', { owner_account: 'nobody-here' }), {}, 'who is none'),
    ...[{ start: '' }, { start: null }, {}, { start: '', order: 'by_name' }, { start: 'initminer' }].map((params) =>
      row(
        'list_witnesses',
        call('alexandria_api.list_witnesses', { limit: 100, ...params }),
        { witnesses: checked('names in their order, initminer among them', isSortedWith('initminer')) },
        JSON.stringify(params),
      ),
    ),
    row(
      'list_witnesses',
      call('alexandria_api.list_witnesses', { start: '', limit: 1, order: 'by_name' }),
      { witnesses: [text] },
      'as many as limit says',
    ),
    row('list_witnesses_by_vote', call('alexandria_api.list_witnesses_by_vote', { name: '', limit: 100 }), {
      witnesses_by_vote: checked('most votes first', isDescending),
    }),
    row(
      'list_witnesses_by_vote',
      call('alexandria_api.list_witnesses_by_vote', { name: 'initminer', limit: 1 }),
      {
        witnesses_by_vote: [has({ owner: 'initminer', votes: integer, url: text })],
      },
      'from a witness on',
    ),
    story('send_and_sign_operation', '', async (chain) => {
      const answer = await chain.waited('alexandria_api.send_and_sign_operation', {
        op: transfer('bob', 'alice', '0.5', 'by the node'),
        pk: wif('bob'),
      });
      const signed = { signatures: [signatureText], transaction_id: id40, block_num: integer, transaction_num: integer };
      expect({ signed_tx: has({ operations: [['transfer', has({ memo: 'by the node' })]], ...signed }) }, answer);
    }),
    story('send_and_sign_transaction', '', async (chain) => {
      const tx = await chain.unsigned([transfer('bob', 'alice', '0.25', 'signed by the node')]);
      const answer = await chain.waited('alexandria_api.send_and_sign_transaction', { tx, pk: wif('bob') });
      expect({ signed_tx: has({ signatures: [signatureText], transaction_id: id40, block_num: integer }) }, answer);
    }),
    story('sign_digest', 'as everybody signs', async (chain) => {
      const digest = createHash('sha256').update('anything').digest();
      const answer = await chain.ask('alexandria_api.sign_digest', { digest: digest.toString('hex'), pk: wif('dave') });
      expect({ signed_digest: signatureText }, answer);
      assert.ok(verifies(textAt(answer, 'signed_digest'), digest, secretOf('dave')));
    }),
    ...(
      [
        ['alice', 'alice', true],
        ['alice', 'bob', false],
        ['bob', 'bob', true],
      ] as const
    ).map(([signer, claimed, valid]) =>
      row(
        'verify_signature',
        call('alexandria_api.verify_signature', {
          digest: '5a'.repeat(32),
          pub_key: key(claimed),
          signature: sign(Buffer.alloc(32, 0x5a), secretOf(signer)),
        }),
        { signature_valid: valid },
        `${signer} signed, ${claimed} is asked for`,
      ),
    ),
  ],
};

function binary(bytes: number): Json {
  return ['custom_binary', { fee: '0.010000 COIN', sender: 'alice', recipients: ['bob'], app_id: APP, data: 'ab'.repeat(bytes) }];
}

function withFee(fee: string): Json {
  return ['transfer', { fee, from: 'alice', to: 'bob', amount: '1 COIN', memo: '' }];
}

/** Keys with the weight 1 each, in their order. */
function pairs(keys: readonly string[]): Json {
  return keys.toSorted().map((one) => [one, 1]);
}

function brainSecret(text: string): Buffer {
  const sha512 = createHash('sha512').update(`${text} 0`).digest();
  return createHash('sha256').update(sha512).digest();
}

async function encrypted(chain: Chain, data: string): Promise<Json> {
  return await chain.ask('alexandria_api.encrypt_data', { data, public_key: key('bob'), private_key: wif('alice') });
}

const sent = (chain: Chain) => chain.once('looked up', () => chain.sent([transfer('alice', 'judy', '1.5', 'looked up')], 'alice'));

/** An account with six entries in its history, 0 to 5. */
async function eventful(chain: Chain): Promise<string> {
  return await chain.once('eventful', async () => {
    const { name } = await chain.account('with a history');
    for (const memo of ['1', '2', '3', '4', '5']) await chain.send([transfer('alice', name, '1', memo)], 'alice');
    return name;
  });
}

/** An application that dave has bought, and after him grace. */
async function bought(chain: Chain): Promise<number> {
  return await chain.once('bought', async () => {
    const app_id = await application(chain, 'bought');
    for (const buyer of ['dave', 'grace']) await chain.send([['buy_application', { fee: '0.010000 COIN', buyer, app_id }]], buyer);
    return app_id;
  });
}

/** Documents that grace has sent to heidi, the last two of them later: what is sent together has one time, and so no order in it. */
async function twelveDocuments(chain: Chain): Promise<void> {
  await chain.once('twelve documents', async () => {
    const document = (n: number): Json => ['custom_json', { sender: 'grace', recipients: ['heidi'], app_id: APP, json: `{"n":${n}}` }];
    await chain.send(
      Array.from({ length: 10 }, (_, k) => document(k + 1)),
      'grace',
    );
    await chain.send([document(11), document(12)], 'grace');
  });
}

function isSortedWith(name: string): (value: Json) => boolean {
  return (value) => {
    const names = listAt({ value }, 'value').map(String);
    return names.includes(name) && names.join() === names.toSorted().join();
  };
}

function isDescending(value: Json): boolean {
  const votes = listAt({ value }, 'value').map((witness) => Number(at(witness, 'votes')));
  return votes.length > 0 && votes.every((one, k) => k === 0 || one <= (votes[k - 1] ?? 0));
}
