import assert from 'node:assert/strict';
import { at, textMember, type Json } from '../outside/json.ts';
import { fetchChainId, signingDigest, testSecret, sign, unsignedBytes } from '../outside/signer.ts';
import { accountCreate, authorityMembers, transfer, type Chain } from './chain.ts';
import { recovery, recoveryRequest, robbed, setReset } from './deeds.ts';
import { nameOfSeed, publicKey as key, wif } from './keys.ts';
import { call, expect, on, type Section } from './lines.ts';
import { ADMIN_UPDATE } from './private_net.ts';
import { has, hex, listIncluding, signatureText, text } from './shapes.ts';

const { row, story } = on('dev');
const privateNet = on('private net');

/** Methods that take a private key, under that name. */
const keyed = [
  ['send_and_sign_operation', 'pk'],
  ['send_and_sign_transaction', 'pk'],
  ['sign_digest', 'pk'],
  ['encrypt_data', 'private_key'],
  ['decrypt_data', 'private_key'],
  ['get_public_key', 'private_key'],
] as const;

export const authentication: Section = {
  title: 'Authentication',
  lines: [
    story('Writing is authorized by signatures on the transaction', 'without, nothing is written', async (chain) => {
      await chain.refused('missing_active_authority', [transfer('alice', 'bob', '1')]);
      await chain.refused('missing_active_authority', [transfer('alice', 'bob', '1')], 'bob');
      await chain.send([transfer('alice', 'bob', '1')], 'alice');
    }),
    row('A signature is a hex string in the `signatures` array', async (chain) => await signedByNode(chain), {
      signed_tx: has({ signatures: [signatureText] }),
    }),
    ...(
      [
        ['owner', true],
        ['active', true],
        ['memo_key', false],
      ] as const
    ).map(([part, maySign]) =>
      story(
        'defines which keys may sign',
        `the ${part} key ${maySign ? 'signs' : 'does not sign'} a transfer`,
        async (chain) => {
          const name = await chain.once('three keys of its own', async () => {
            const parts = {
              owner: authorityMembers('own owner'),
              active: authorityMembers('own active'),
              memo_key: key('own memo_key'),
            };
            await chain.send([accountCreate('three keys of its own', parts)], 'alice');
            await chain.send([transfer('alice', nameOfSeed('three keys of its own'), '10')], 'alice');
            return nameOfSeed('three keys of its own');
          });
          const operations = [transfer(name, 'bob', '0.5')];
          if (maySign) await chain.send(operations, `own ${part}`);
          else await chain.refused('missing_active_authority', operations, `own ${part}`);
        },
      ),
    ),
    ...(
      [
        [['w1', 'w2'], true],
        [['w3'], true],
        [['w1'], false],
        [['w2'], false],
      ] as const
    ).map(([labels, isEnough]) =>
      story(
        'An authority is satisfied when the summed weight',
        `${labels.join(' and ')} ${isEnough ? 'reach' : 'do not reach'} 3`,
        async (chain) => {
          const name = await chain.once('weights', async () => {
            const key_auths = [1, 2, 3]
              .map((weight) => [key(`w${weight}`), weight] as const)
              .toSorted(([a], [b]) => (a < b ? -1 : 1));
            const active = { weight_threshold: 3, account_auths: [], key_auths };
            await chain.send([accountCreate('weights', { active })], 'alice');
            await chain.send([transfer('alice', nameOfSeed('weights'), '10')], 'alice');
            return nameOfSeed('weights');
          });
          if (isEnough) await chain.send([transfer(name, 'bob', '0.25')], ...labels);
          else await chain.refused('missing_active_authority', [transfer(name, 'bob', '0.25')], ...labels);
        },
      ),
    ),

    story('report which public keys must or may sign', '', async (chain) => {
      const trx = await chain.signed([transfer('alice', 'bob', '1')]);
      expect(
        { required_signatures: [key('alice')] },
        await chain.ask('alexandria_api.get_required_signatures', { tx: trx }),
      );
      expect({ keys: listIncluding(key('alice')) }, await chain.ask('database_api.get_potential_signatures', { trx }));
      const available_keys = ['alice', 'bob'].map(key);
      expect(
        { keys: [key('alice')] },
        await chain.ask('database_api.get_required_signatures', { trx, available_keys }),
      );
    }),
    row(
      '`get_transaction_digest` returns the digest',
      async (chain) => await digest(chain, await chain.signed([transfer('alice', 'bob', '1')])),
      hex(64),
    ),
    story('`sign_digest` signs it', 'and the transaction is taken', async (chain) => {
      await chain.ask('network_broadcast_api.broadcast_transaction', {
        trx: at(await signedByNode(chain), 'signed_tx'),
      });
    }),
    row('`add_signature` attaches a signature', async (chain) => await signedByNode(chain), {
      signed_tx: has({ signatures: [signatureText] }),
    }),
    story('check signatures', 'each of the three', async (chain) => {
      const trx = await chain.signed([transfer('alice', 'bob', '1')], 'alice');
      const hash = await digest(chain, trx);
      const signature = at(trx, 'signatures.0');
      expect(
        { signature_valid: true },
        await chain.ask('alexandria_api.verify_signature', { digest: hash, pub_key: key('alice'), signature }),
      );
      expect({ valid: true }, await chain.ask('database_api.verify_authority', { trx }));
      const required = { required_owner: [], required_active: ['alice'], required_other: [] };
      expect(
        { valid: true },
        await chain.ask('database_api.verify_signatures', { hash, signatures: [signature], ...required }),
      );
    }),
    story('identifies the chain', 'what was signed for another is refused', async (chain) => {
      const version = await chain.ask('alexandria_api.get_version');
      assert.equal(textMember(version, 'version_info.chain_id'), await fetchChainId(chain.program));
      const trx = await chain.signed([transfer('alice', 'bob', '1')]);
      const foreign = sign(
        signingDigest('ab'.repeat(32), await unsignedBytes(chain.program, trx)),
        testSecret('alice'),
      );
      const refusal = await chain.refusal('network_broadcast_api.broadcast_transaction', {
        trx: { ...trx, signatures: [foreign] },
      });
      assert.equal(refusal.name, 'missing_active_authority');
    }),

    ...keyed.map(([name, param]) =>
      row(
        'take a private key as a parameter',
        call('jsonrpc.get_signature', { method: `alexandria_api.${name}` }),
        has({ args: has({ [param]: text }) }),
        name,
      ),
    ),

    story('request_account_recovery needs only the signature of the recovery account', '', async (chain) => {
      const { name, label } = await chain.account('asked for by its partner');
      await chain.refused('missing_active_authority', [recoveryRequest(name, authorityMembers('fresh'))], label);
      await chain.send([recoveryRequest(name, authorityMembers('fresh'))], 'alice');
    }),
    story('recover_account needs signatures satisfying both', '', async (chain) => {
      const { name, label } = await robbed(chain, 'needs both');
      await chain.send([recoveryRequest(name, authorityMembers('fresh'))], 'alice');
      const recover = recovery(name, authorityMembers('fresh'), authorityMembers(label));
      for (const one of ['fresh', label, 'alice']) await chain.refused('missing_other_authority', [recover], one);
      await chain.send([recover], 'fresh', label);
    }),

    story('transfer_from_promotion_pool is permitted only to `initminer`', '', async (chain) => {
      await chain.produce(3);
      const take = ['transfer_from_promotion_pool', { transfer_to: 'bob', amount: '0.000002 COIN', extensions: [] }];
      await chain.refused('missing_active_authority', [take], 'bob');
      await chain.send([take], 'initminer');
    }),
    story('feed_publish is permitted only to the top N witnesses', '', async (chain) => {
      const feed = (publisher: string): Json => [
        'feed_publish',
        { publisher, exchange_rate: { base: '1 COIN', quote: '0.4 EUR' } },
      ];
      await chain.refused('', [feed('dave')], 'dave');
      await chain.send([feed('initminer')], 'initminer');
    }),
    story('admin_witness_update works only in private nets', 'not here', async (chain) => {
      await chain.refused('in_private_nets_only', [ADMIN_UPDATE], 'initminer');
    }),
    privateNet.story('admin_witness_update works only in private nets', 'but there', async (net) => {
      assert.match(await net.administered(), /^[0-9a-f]{40}$/);
    }),

    story(
      'Credentials for HTTP access to the read methods',
      'none are asked for, and none disturb',
      async ({ program }) => {
        const body = JSON.stringify({
          jsonrpc: '2.0',
          id: 1,
          method: 'alexandria_api.account_exist',
          params: { account_name: 'alice' },
        });
        for (const headers of [{}, { authorization: 'Basic YTpi' }]) {
          const answer = await program.raw(body, headers);
          assert.deepEqual(JSON.parse(answer.body), { jsonrpc: '2.0', result: { account_exist: true }, id: 1 });
        }
      },
    ),
    story(
      'The signature algorithm and the construction of the signed digest',
      'secp256k1 over sha256 of chain id and bytes',
      async (chain) => {
        const trx = await chain.signed([transfer('alice', 'bob', '1', 'signed at home')]);
        const signature = sign(
          signingDigest(await chain.chainId(), await unsignedBytes(chain.program, trx)),
          testSecret('alice'),
        );
        await chain.ask('network_broadcast_api.broadcast_transaction', { trx: { ...trx, signatures: [signature] } });
      },
    ),
    ...(
      [
        ['account_update', 'active', 'with keys left as they are', { memo_key: key('m') }],
        [
          'account_update',
          'owner',
          'with a new active authority',
          { memo_key: key('m'), active: authorityMembers('a') },
        ],
        ['account_delete', 'owner', '', {}],
      ] as const
    ).map(([kind, part, what, body]) =>
      story(
        'The signing authority (owner or active)',
        `${kind} ${what} needs the ${part} authority`.replace('  ', ' '),
        async (chain) => {
          const label = `${kind} ${part}`;
          const parts = { owner: authorityMembers(`owner ${label}`), active: authorityMembers(`active ${label}`) };
          await chain.send([accountCreate(label, parts)], 'alice');
          const operation = [
            kind,
            { account: nameOfSeed(label), ...(kind === 'account_update' ? { json_metadata: '' } : {}), ...body },
          ];
          if (part === 'owner') await chain.refused('missing_owner_authority', [operation], `active ${label}`);
          await chain.send([operation], `${part} ${label}`);
        },
      ),
    ),
    ...['change_recovery_account', 'set_reset_account'].map((kind) =>
      story('The signing authority (owner or active)', `${kind} needs the owner authority`, async (chain) => {
        const parts = { owner: authorityMembers(`owner ${kind}`), active: authorityMembers(`active ${kind}`) };
        await chain.send([accountCreate(kind, parts)], 'alice');
        const change = { account_to_recover: nameOfSeed(kind), new_recovery_account: 'bob', extensions: [] };
        const operation = kind === 'set_reset_account' ? setReset(nameOfSeed(kind), 'none', 'bob') : [kind, change];
        await chain.refused('missing_owner_authority', [operation], `active ${kind}`);
        await chain.send([operation], `owner ${kind}`);
      }),
    ),
  ],
};

async function digest(chain: Chain, tx: Json): Promise<string> {
  return textMember(await chain.ask('alexandria_api.get_transaction_digest', { tx }), 'tx_digest');
}

/** A transfer that the tools of the node have signed, one after the other. */
async function signedByNode(chain: Chain): Promise<Json> {
  const built = await chain.ask('alexandria_api.create_simple_transaction', {
    op: transfer('alice', 'bob', '1', 'signed with the tools'),
  });
  const tx = at(built, 'simple_tx');
  const signed = await chain.ask('alexandria_api.sign_digest', { digest: await digest(chain, tx), pk: wif('alice') });
  return await chain.ask('alexandria_api.add_signature', { tx, signature: at(signed, 'signed_digest') });
}
