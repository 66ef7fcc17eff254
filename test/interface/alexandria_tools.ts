import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { at, listMember, numberMember, textMember, type Json } from '../outside/json.ts';
import { signingDigest, testSecret, sign, unsignedBytes, verifies } from '../outside/signer.ts';
import { accountCreate, transfer, type Chain } from './chain.ts';
import { nameOfSeed, publicKey as key, derivePublicKey, wif, encodeWif } from './keys.ts';
import { call, expect, on, refusal, type Section } from './lines.ts';
import { pricedSymbol } from './records.ts';
import {
  anything,
  has,
  id40,
  integer,
  listCheck,
  listIncluding,
  matching,
  publicKeyText,
  signatureText,
  time,
  wifText,
} from './shapes.ts';

const { row, story } = on('dev');
const hurried = on('hurried');

const APP = 4711;

export const alexandriaTools: Section = {
  title: 'Endpoints / alexandria_api: other methods',
  lines: [
    ...['0.02 COIN', '1 COIN', '0 COIN'].map((fee) =>
      row(
        'add_fee',
        call('alexandria_api.add_fee', { op: transfer('alice', 'bob', '5.5', 'm'), fee }),
        {
          op: [
            'transfer',
            {
              fee: `${Number(fee.split(' ')[0]).toFixed(6)} COIN`,
              from: 'alice',
              to: 'bob',
              amount: '5.500000 COIN',
              memo: 'm',
            },
          ],
        },
        fee,
      ),
    ),
    story('add_signature', 'behind those that are there', async (chain) => {
      const tx = await chain.signed([transfer('alice', 'bob', '1')], 'alice');
      const signature = sign(Buffer.alloc(32, 7), testSecret('bob'));
      const { signatures, ...rest } = tx;
      const answer = await chain.ask('alexandria_api.add_signature', { tx, signature });
      expect(
        {
          signed_tx: has({
            ...rest,
            signatures: [...listMember({ signatures: signatures ?? null }, 'signatures'), signature],
          }),
        },
        answer,
      );
    }),
    story('broadcast_transaction', 'waits until the transaction is processed', async (chain) => {
      const tx = await chain.signed([transfer('alice', 'bob', '1', 'waited for')], 'alice');
      const head = numberMember(await chain.ask('alexandria_api.info'), 'info.head_block_number');
      const answer = await chain.waited('alexandria_api.broadcast_transaction', { tx });
      expect(
        {
          tx: has({
            ...tx,
            operations: listCheck(['transfer', anything]),
            transaction_id: id40,
            block_num: integer,
            transaction_num: integer,
          }),
        },
        answer,
      );
      assert.ok(numberMember(answer, 'tx.block_num') > head);
      const stored = await chain.ask('alexandria_api.get_block', { num: numberMember(answer, 'tx.block_num') });
      assert.equal(
        listMember(stored, 'block.transaction_ids')[numberMember(answer, 'tx.transaction_num')],
        at(answer, 'tx.transaction_id'),
      );
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
    ).map(([what, op, fee]) =>
      row('calculate_fee', call('alexandria_api.calculate_fee', { op, symbol: 'COIN' }), { fee }, what),
    ),
    hurried.story('calculate_fee', 'in a fiat symbol', async (chain) => {
      await pricedSymbol(chain);
      const answer = await chain.ask('alexandria_api.calculate_fee', {
        op: transfer('alice', 'bob', '1'),
        symbol: 'USD',
      });
      expect({ fee: '0.010000 USD' }, answer);
    }),
    row('create_simple_authority', call('alexandria_api.create_simple_authority', { pub_key: key('k') }), {
      simple_authority: { weight_threshold: 1, account_auths: [], key_auths: [[key('k'), 1]] },
    }),
    row(
      'create_simple_managed_authority',
      call('alexandria_api.create_simple_managed_authority', { managing_account: 'alice' }),
      {
        simple_managed_authority: { weight_threshold: 1, account_auths: [['alice', 1]], key_auths: [] },
      },
    ),
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
        call('alexandria_api.create_simple_multisig_authority', {
          pub_keys: [key('k1'), key('k2')],
          required_signatures,
        }),
        {
          simple_multisig_authority: {
            weight_threshold: required_signatures,
            account_auths: [],
            key_auths: pairs([key('k1'), key('k2')]),
          },
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
    row(
      'create_simple_transaction',
      call('alexandria_api.create_simple_transaction', { op: transfer('alice', 'bob', '1') }),
      {
        simple_tx: {
          ref_block_num: integer,
          ref_block_prefix: integer,
          expiration: time,
          operations: [['transfer', has({ from: 'alice' })]],
          extensions: [],
          signatures: [],
        },
      },
    ),
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
      call('alexandria_api.create_transaction', {
        op_vec: [transfer('alice', 'bob', '1'), withFee('0.03 COIN'), withFee('0 COIN')],
      }),
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
    ...['', 'hello', 'größer — 大きい', 'x'.repeat(3000)].map((data) =>
      story(
        'encrypt_data',
        `${data.length} characters are read by either of two, and by nobody else`,
        async (chain) => {
          const sealed = textMember(await encrypted(chain, data), 'encrypted_data');
          assert.ok(data === '' || !sealed.includes(data));
          const open = (reader: string, writer: string): Json => ({
            data: sealed,
            public_key: key(writer),
            private_key: wif(reader),
          });
          expect({ decrypted_data: data }, await chain.ask('alexandria_api.decrypt_data', open('bob', 'alice')));
          expect({ decrypted_data: data }, await chain.ask('alexandria_api.decrypt_data', open('alice', 'bob')));
          await chain.refusal('alexandria_api.decrypt_data', open('carol', 'alice'));
        },
      ),
    ),
    story('decrypt_data', 'what was not encrypted is refused', async (chain) => {
      const sealed = textMember(await encrypted(chain, 'a secret'), 'encrypted_data');
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
    row('generate_key_pair', call('alexandria_api.generate_key_pair'), {
      key_pair: { pub_key: publicKeyText, wif_priv_key: wifText },
    }),
    story('generate_key_pair', 'another one each time', async (chain) => {
      const [one, other] = [
        await chain.ask('alexandria_api.generate_key_pair'),
        await chain.ask('alexandria_api.generate_key_pair'),
      ];
      assert.notDeepEqual(one, other);
    }),
    ...['ONE TWO THREE', 'A BRAIN KEY'].map((brain_key) =>
      row(
        'generate_key_pair_from_brain_key',
        call('alexandria_api.generate_key_pair_from_brain_key', { brain_key }),
        {
          key_pair: {
            pub_key: derivePublicKey(brainSecret(brain_key)),
            wif_priv_key: encodeWif(brainSecret(brain_key)),
          },
        },
        JSON.stringify(brain_key),
      ),
    ),
    row(
      'generate_key_pair_from_brain_key',
      call('alexandria_api.generate_key_pair_from_brain_key', { brain_key: '  a brain\tKey ' }),
      {
        key_pair: {
          pub_key: derivePublicKey(brainSecret('A BRAIN KEY')),
          wif_priv_key: encodeWif(brainSecret('A BRAIN KEY')),
        },
      },
      'case and blanks as a wallet reads them',
    ),
    story('generate_key_pair_from_brain_key', 'an empty text is none', async (chain) => {
      await chain.refusal('alexandria_api.generate_key_pair_from_brain_key', { brain_key: '' });
    }),
    row('get_public_key', call('alexandria_api.get_public_key', { private_key: wif('carol') }), {
      public_key: key('carol'),
    }),
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
      expect(
        { required_signatures: listIncluding(key('carol')) },
        await chain.ask('alexandria_api.get_required_signatures', { tx }),
      );
    }),
    story('get_transaction_digest', 'sha256 of the chain id and the bytes', async (chain) => {
      const tx = await chain.unsigned([transfer('alice', 'bob', '1')]);
      const digest = signingDigest(await chain.chainId(), await unsignedBytes(chain.program, tx)).toString('hex');
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
    story('send_and_sign_operation', '', async (chain) => {
      const answer = await chain.waited('alexandria_api.send_and_sign_operation', {
        op: transfer('bob', 'alice', '0.5', 'by the node'),
        pk: wif('bob'),
      });
      const signed = {
        signatures: [signatureText],
        transaction_id: id40,
        block_num: integer,
        transaction_num: integer,
      };
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
      assert.ok(verifies(textMember(answer, 'signed_digest'), digest, testSecret('dave')));
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
          signature: sign(Buffer.alloc(32, 0x5a), testSecret(signer)),
        }),
        { signature_valid: valid },
        `${signer} signed, ${claimed} is asked for`,
      ),
    ),
  ],
};

function binary(bytes: number): Json {
  return [
    'custom_binary',
    { fee: '0.010000 COIN', sender: 'alice', recipients: ['bob'], app_id: APP, data: 'ab'.repeat(bytes) },
  ];
}

function withFee(fee: string): Json {
  return ['transfer', { fee, from: 'alice', to: 'bob', amount: '1 COIN', memo: '' }];
}

/** Keys with the weight 1 each, in their order. */
function pairs(keys: readonly string[]): Json {
  return keys.toSorted().map((one) => [one, 1]);
}

function brainSecret(words: string): Buffer {
  const sha512 = createHash('sha512').update(`${words} 0`).digest();
  return createHash('sha256').update(sha512).digest();
}

async function encrypted(chain: Chain, data: string): Promise<Json> {
  return await chain.ask('alexandria_api.encrypt_data', { data, public_key: key('bob'), private_key: wif('alice') });
}
