import { present } from '../../../src/base/assert.ts';
import { signWithSecret } from '../../../src/blocks/sign_transaction.ts';
import type { Json } from '../../../src/codec/json.ts';
import type { Method } from '../../../src/rpc/method.ts';
import { testKeyText, people, testSecret, testParameters } from '../../builders/chain.ts';
import type { Answer } from './node_of_methods.ts';
import { asking, changed, node, ownNode, payment, signed, type Provocation } from './provoking_nodes.ts';

const RICH = 10_000_000_000_000;

function signatureOfAlice(digest: string): string {
  return present(signWithSecret(Buffer.from(digest, 'hex'), testSecret('alice')), 'a signature');
}

const bobsKey = { weight_threshold: 1, account_auths: [], key_auths: [[testKeyText('bob'), 1]] } satisfies Json;
/** Needs the owner authority, and costs nothing. */
export const asksForOwner: Json = ['account_delete', { fee: '0.000000 COIN', account: 'alice' }];
const asksForOthers: Json = [
  'recover_account',
  {
    fee: '0.000000 COIN',
    account_to_recover: 'alice',
    new_owner_authority: bobsKey,
    recent_owner_authority: bobsKey,
    extensions: [],
  },
];

/** Checks a transaction of this operation with these signatures. */
function verifying(operation: Json, ...signers: readonly string[]): Provocation {
  return asking((on) => ({ trx: signed(on, operation, signers) }));
}

/** With a signature of that kind in place of a right one. */
function withSignature(signature: string): Provocation {
  return asking((on) => ({ trx: { ...signed(on, payment(), []), signatures: [signature] } }));
}

/** An authority that names more accounts than one call looks into. */
async function askAboutMany(method: Method): Promise<Answer> {
  const names = Array.from({ length: 126 }, (_, index) => `member${index}`);
  const own = ownNode({
    parameters: testParameters({
      genesis_time: '2026-01-01T00:00:00',
      initial_accounts: [
        ...people.map((name) => accountMember(name, RICH)),
        ...names.map((name) => accountMember(name, 0)),
      ],
    }),
  });
  const all = {
    weight_threshold: 127,
    account_auths: names.toSorted().map((name) => [name, 1]),
    key_auths: [],
  } satisfies Json;
  const recovery = {
    fee: '0.000000 COIN',
    account_to_recover: 'alice',
    new_owner_authority: all,
    recent_owner_authority: bobsKey,
  };
  const trx = signed(own, ['recover_account', { ...recovery, extensions: [] }], []);
  return await own.call(method.name, changed(method, { trx, tx: trx, required_other: [all] }));
}

/** Which of hundreds of keys are needed, where each is and is asked for twice. */
async function askForMinimum(method: Method): Promise<Answer> {
  const own = ownNode({
    parameters: testParameters({ genesis_time: '2026-01-01T00:00:00', max_transaction_size: 65_536 }),
    isEmpty: true,
  });
  const keys = Array.from({ length: 500 }, (_, index) => testKeyText(`signer ${index}`));
  const all = {
    weight_threshold: keys.length,
    account_auths: [],
    key_auths: keys.toSorted().map((key) => [key, 1]),
  } satisfies Json;
  const recovery = {
    fee: '0.000000 COIN',
    account_to_recover: 'alice',
    new_owner_authority: all,
    recent_owner_authority: all,
  };
  const trx = signed(own, ['recover_account', { ...recovery, extensions: [] }], []);
  return await own.call(method.name, changed(method, { trx, available_keys: keys }));
}

function accountMember(name: string, balance: number): Json {
  return { name, key: testKeyText(name), balance };
}

/** Provokes the refusals of transactions whose signatures or authorities are not as they should be. */
export const signatureRefusals = {
  unknown_approving_account: asking(() => ({ tx: signed(node, payment('', 'nobody-here'), []) })),
  missing_active_authority: verifying(payment(), 'bob'),
  missing_owner_authority: verifying(asksForOwner),
  missing_other_authority: verifying(asksForOthers),
  irrelevant_signature: verifying(payment(), 'alice', 'bob'),
  too_many_accounts_visited: askAboutMany,
  too_many_keys_to_try: askForMinimum,
  duplicate_signature: asking((on) => {
    const hash = '11'.repeat(32);
    const { signatures = [], ...trx } = signed(on, payment(), ['alice']);
    const twice = Array.isArray(signatures) ? [...signatures, ...signatures] : signatures;
    return { trx: { ...trx, signatures: twice }, hash, signatures: [signatureOfAlice(hash), signatureOfAlice(hash)] };
  }),
  signature_without_key: withSignature('00'.repeat(65)),
  signature_not_canonical: withSignature(`1f${'ff'.repeat(64)}`),
} satisfies Readonly<Record<string, Provocation>>;
