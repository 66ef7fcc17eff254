import { writeJson } from '../../src/codec/json_writer.ts';
import type { Json } from '../../src/codec/json.ts';
import { customJson } from '../../src/operations/custom_json.ts';
import type { Operation } from '../../src/operations/operation.ts';
import { transfer } from '../../src/operations/transfer.ts';
import { sampleBlock, sampleTransaction } from '../../src/rpc/sample_transaction.ts';
import type { Methods } from '../../src/rpc/method.ts';
import type { ChainState } from '../../src/state/chain_state.ts';
import { addAccount } from '../../src/state/new_account.ts';
import type { ChainParameters } from '../../src/state/parameters.ts';
import { accountMetadata } from '../../src/state/tables/account_metadata.ts';
import { accountRecoveryRequests } from '../../src/state/tables/account_recovery_request.ts';
import { applicationBuyings } from '../../src/state/tables/application_buying.ts';
import { applications } from '../../src/state/tables/application.ts';
import { changeRecoveryAccountRequests } from '../../src/state/tables/change_recovery_account_request.ts';
import { escrows } from '../../src/state/tables/escrow.ts';
import { keyLookups } from '../../src/state/tables/key_lookup.ts';
import { ownerAuthorityHistories } from '../../src/state/tables/owner_authority_history.ts';
import { witnesses } from '../../src/state/tables/witness.ts';
import { witnessVotes } from '../../src/state/tables/witness_vote.ts';
import { addWitness } from '../../src/state/witnesses.ts';
import { nameFromSeed, type AccountName } from '../../src/values/account_name.ts';
import { keyAuthority, type Authority } from '../../src/values/authority.ts';
import { publicKeyText, type PublicKey } from '../../src/values/public_key.ts';

/** The number of rows of each kind on a hostile chain. */
export interface HostileSizes {
  /** Accounts with the largest authorities. */
  readonly heavy: number;
  /** Accounts that share one key, escrows, witnesses and so on. */
  readonly rows: number;
  /** Documents of almost the largest transaction each. */
  readonly documents: number;
  /** Transfers in one block. */
  readonly transfers: number;
}

/** The chain that is filled; nobody checks signatures on it. */
export interface Ground {
  readonly parameters: ChainParameters;
  accept(operation: Operation, signer: AccountName): void;
  seal(): void;
  readonly head: number;
  /** Writes rows past the chain. */
  write(change: (state: ChainState) => void): void;
}

/** The facts of a filled chain for calls. */
export interface HostileChain extends HostileSizes {
  readonly keyPrefix: string;
  readonly transferBlock: number;
  readonly documentBlock: number;
}

/** Room for an operation and its signature in a transaction of 8 KiB. */
const TEXT_BYTES = 7500;
const MEMBERS = 64;
const IN_A_BLOCK = 5000;
const many = <T>(count: number, of: (k: number) => T): T[] => Array.from({ length: count }, (_, k) => of(k));

/** Text that JSON has to escape. */
const heavyText = (k: number): string => JSON.stringify({ k, text: '"'.repeat(TEXT_BYTES / 2) });

function heavyAccount(k: number): AccountName {
  return nameFromSeed(`heavy ${k}`);
}

function lightAccount(k: number): AccountName {
  return nameFromSeed(`light ${k}`);
}

function keyNumbered(k: number): PublicKey {
  return `02${(k + 1).toString(16).padStart(64, '0')}`;
}

/** As large as fits into a transaction; everybody's members are the next accounts. */
function heavyAuthority(k: number, heavy: number): Authority {
  const names = [...new Set(many(MEMBERS, (n) => heavyAccount((k * MEMBERS + n + 1) % heavy)))].toSorted();
  return {
    weight_threshold: 1000,
    account_auths: names.map((name) => [name, 1]),
    key_auths: many(MEMBERS, (n): [PublicKey, number] => [keyNumbered(k * MEMBERS + n), 1]),
  };
}

/** Puts the worst of everything on a chain that has the accounts alice and bob. */
export function makeHostile(ground: Ground, sizes: HostileSizes): HostileChain {
  const { parameters } = ground;
  const symbol = parameters.coinSymbol;
  const fee = { amount: 1_000_000n, symbol };
  for (let k = 0; k < sizes.documents; k++) {
    ground.accept(
      customJson.of({ fee, sender: 'alice', recipients: ['bob'], app_id: 1n, json: heavyText(k) }),
      'alice',
    );
    if (k % IN_A_BLOCK === IN_A_BLOCK - 1) ground.seal();
  }
  ground.seal();
  const documentBlock = ground.head;
  for (let k = 0; k < sizes.transfers; k++)
    ground.accept(
      transfer.of({ fee, from: 'alice', to: 'bob', amount: { amount: BigInt(k + 1), symbol }, memo: '' }),
      'alice',
    );
  ground.seal();
  const transferBlock = ground.head;
  ground.seal();
  ground.write((state) => {
    fillAccounts(state, sizes);
    fillRows(state, sizes);
  });
  return { ...sizes, keyPrefix: parameters.profile.keyPrefix, transferBlock, documentBlock };
}

function fillAccounts(state: ChainState, { heavy, rows: count }: HostileSizes): void {
  const { rows } = state;
  const memo_key = keyNumbered(0);
  const added = { memo_key, created: 0, recovery_account: 'alice' };
  for (let k = 0; k < heavy; k++) {
    const name = heavyAccount(k);
    const large = heavyAuthority(k, heavy);
    addAccount(state, { ...added, name, owner: large, active: large });
    rows.put(accountMetadata, { account: name, json_metadata: heavyText(k) });
    rows.put(accountRecoveryRequests, {
      id: BigInt(k),
      account_to_recover: name,
      new_owner_authority: large,
      expires: 2_000_000_000,
    });
  }
  for (let k = 0; k < count; k++) {
    const name = lightAccount(k);
    addAccount(state, { ...added, name, owner: keyAuthority(memo_key), active: keyAuthority(memo_key) });
    rows.put(keyLookups, { key: memo_key, account: name });
  }
}

/** Gives alice many rows of every kind. */
function fillRows(state: ChainState, { heavy, rows: count }: HostileSizes): void {
  const { rows, parameters } = state;
  const props = {
    account_creation_fee: { amount: 1_000_000n, symbol: parameters.coinSymbol },
    maximum_block_size: 262_144,
  };
  for (let k = 0; k < count; k++) {
    const id = BigInt(k);
    const name = lightAccount(k);
    rows.put(escrows, {
      ...{
        id,
        escrow_id: k,
        from: 'alice',
        to: 'bob',
        agent: name,
        ratification_deadline: 2_000_000_000,
        escrow_expiration: 2_000_000_001,
      },
      ...{ coin_balance: 10n, pending_fee: 1n, to_approved: false, agent_approved: false, disputed: false },
    });
    rows.put(ownerAuthorityHistories, {
      ...{
        id,
        account: 'alice',
        last_valid_time: 1_900_000_000 + k,
        previous_owner_authority: heavyAuthority(k, heavy),
      },
    });
    rows.put(changeRecoveryAccountRequests, {
      id,
      account_to_recover: name,
      recovery_account: 'bob',
      effective_on: 2_000_000_000,
    });
    const text = { url: 'https://'.padEnd(2000, 'x'), metadata: heavyText(k) };
    rows.put(applications, {
      id,
      name: nameFromSeed(`application ${k}`),
      author: 'alice',
      author_place: id,
      ...text,
      price_param: 0,
    });
    rows.put(applicationBuyings, { id, buyer: 'alice', app_id: id, created: 0 });
    rows.put(witnessVotes, { id, witness: name, account: 'alice' });
    addWitness(state, name, { url: text.url, block_signing_key: keyNumbered(0), props }, 0);
    const witness = rows.get(witnesses, name);
    if (witness !== undefined) rows.put(witnesses, { ...witness, votes: id });
  }
}

/** The params of calls that cost a method as much as any that it takes. */
export function heaviestCalls(
  methods: Methods,
  chain: HostileChain,
): { readonly method: string; readonly params: Json }[] {
  const known = heaviestParams(chain);
  return [...methods.values()].flatMap(({ name, example }) =>
    (known[name] ?? [example.params]).map((params) => ({ method: name, params })),
  );
}

/** Of methods whose cost depends on their params. */
function heaviestParams({
  heavy,
  rows,
  documents,
  keyPrefix,
  transferBlock,
  documentBlock,
}: HostileChain): Readonly<Record<string, readonly Json[]>> {
  const page = Math.min(rows, 1000);
  const heavyNames = many(1000, (k) => heavyAccount(k % heavy));
  const lightNames = many(page, lightAccount);
  const keys = many(1000, (k) => publicKeyText(keyNumbered(k), keyPrefix));
  const blocks: Json[] = [{ block_num: transferBlock }, { block_num: documentBlock }];
  const seeds = many(1000, (k) => `nobody is named so ${k}`);
  const lists = (orders: readonly string[]): Json[] =>
    orders.flatMap((order) => [order, `${order}_reverse`]).map((order) => ({ start: null, limit: 1000, order }));
  const documentSearch = (search_type: string): Json => ({
    app_id: 1,
    account_name: search_type.includes('sender') ? 'alice' : 'bob',
    search_type,
    start: null,
    count: Math.min(documents, 10_000),
  });
  const searches = ['by_sender', 'by_recipient_reverse', 'by_sender_datetime', 'by_recipient_datetime_reverse'].map(
    documentSearch,
  );
  const signatures = many(100, (k) => `1f${(k + 1).toString(16).padStart(64, '1')}${'1'.padStart(64, '2')}`);
  const fee = '0.010000 COIN';
  const payment = (k: number): Json => [
    'transfer',
    { fee, from: heavyAccount(k % heavy), to: 'bob', amount: '0.000001 COIN', memo: '' },
  ];
  const manyOperations: Json = { ...sampleTransaction, operations: many(80, payment), signatures: [] };
  const longText: Json = {
    ...sampleTransaction,
    operations: [
      ['custom_json', { fee, sender: 'alice', recipients: ['bob'], app_id: 1, json: '"'.repeat(TEXT_BYTES) }],
    ],
    signatures,
  };
  const manySignatures: Json = { ...sampleTransaction, signatures };
  const tooLarge: Json = { ...sampleTransaction, operations: many(6000, payment), signatures: [] };
  const transactions = [manyOperations, manySignatures, longText, tooLarge];
  const history = { account: 'alice', start: -1, limit: 10_000 };
  const data = '"'.repeat(200_000);
  return {
    'account_by_key_api.get_key_references': [{ keys }, { keys: many(1000, () => keys[0] ?? '') }],
    'alexandria_api.get_key_references': [{ keys }, { keys: many(1000, () => keys[0] ?? '') }],
    'account_history_api.get_account_history': [history, { ...history, account: 'bob' }],
    'alexandria_api.get_account_history': [history],
    'account_history_api.get_ops_in_block': blocks.map((block) => Object.assign({}, block)),
    'alexandria_api.get_ops_in_block': [transferBlock, documentBlock].map((number) => ({
      block_num: number,
      only_virtual: false,
    })),
    'alexandria_api.get_block': [transferBlock, documentBlock].map((num) => ({ num })),
    'block_api.get_block': blocks,
    'block_api.get_block_header': blocks,
    'alexandria_api.get_account': [{ account_name: heavyAccount(0) }],
    'alexandria_api.get_accounts': [
      { account_names: heavyNames },
      { account_names: heavyNames, pending: true },
      { account_names: seeds },
    ],
    'database_api.find_accounts': [{ accounts: heavyNames }, { accounts: heavyNames, pending: true }],
    'database_api.find_account_recovery_requests': [{ accounts: heavyNames }],
    'database_api.find_change_recovery_account_requests': [{ accounts: lightNames }],
    'database_api.find_escrows': [{ from: 'alice' }],
    'database_api.find_owner_histories': [{ owner: 'alice' }],
    'database_api.find_witnesses': [{ owners: lightNames }],
    'alexandria_api.get_owner_history': [{ account: 'alice' }],
    'alexandria_api.get_active_authority': [{ account_name: heavyAccount(0) }],
    'alexandria_api.get_owner_authority': [{ account_name: heavyAccount(0) }],
    'database_api.get_application_buyings': [
      { start: 'alice', limit: 1000, search_type: 'by_buyer' },
      { start: null, limit: 1000, search_type: 'by_app_id' },
    ],
    'alexandria_api.get_application_buyings': [{ name: 'alice', count: 1000, search_type: 'by_buyer' }],
    'alexandria_api.get_applications': [{ names: many(page, (k) => nameFromSeed(`application ${k}`)) }],
    'alexandria_api.get_applications_by_ids': [{ ids: many(page, (k) => k) }],
    'database_api.list_accounts': lists(['by_name', 'by_proxy', 'by_next_vesting_withdrawal']).concat(
      ['by_id', 'by_balance'].map((order) => ({ start: null, limit: 1000, order })),
    ),
    'database_api.list_account_recovery_requests': lists(['by_account', 'by_expiration']),
    'database_api.list_applications': lists(['by_name', 'by_author']),
    'database_api.list_change_recovery_account_requests': lists(['by_account', 'by_effective_date']),
    'database_api.list_escrows': lists(['by_from_id', 'by_ratification_deadline']),
    'database_api.list_owner_histories': [{ start: null, limit: 1000 }],
    'database_api.list_witnesses': lists(['by_name', 'by_id', 'by_vote_name', 'by_schedule_time']),
    'database_api.list_witness_votes': lists(['by_account_witness', 'by_witness_account']),
    'alexandria_api.list_witnesses': [{ start: '', limit: 1000 }],
    'alexandria_api.list_witnesses_by_vote': [{ name: '', limit: 1000 }],
    'custom_api.get_app_custom_messages': [{ app_id: 1, start: -1, limit: Math.min(documents, 10_000) }],
    'custom_api.list_received_documents': searches,
    'alexandria_api.get_received_documents': searches,
    'database_api.get_potential_signatures': transactions.map((trx) => ({ trx })),
    'database_api.get_required_signatures': transactions.map((trx) => ({ trx, available_keys: keys })),
    'database_api.get_transaction_hex': transactions.map((trx) => ({ trx })),
    'database_api.verify_authority': transactions.map((trx) => ({ trx })),
    'database_api.verify_signatures': [
      {
        ...{
          hash: '27f9d273190f5f11b3ea85032eb3346911fed476a787e7a51300acdd6d80b0b6',
          signatures,
          required_owner: heavyNames.slice(0, 60),
        },
        ...{ required_active: heavyNames.slice(0, 60), required_other: [] },
      },
    ],
    'database_api.verify_account_authority': [{ account: 'alice', signers: keys }],
    'alexandria_api.check_transaction': transactions.map((tx) => ({ tx })),
    'alexandria_api.get_required_signatures': transactions.map((tx) => ({ tx })),
    'alexandria_api.get_transaction_digest': transactions.map((tx) => ({ tx })),
    'alexandria_api.get_transaction_id': transactions.map((tx) => ({ tx })),
    'alexandria_api.to_base64': [{ data }],
    'chain_api.push_block': [
      { block: { ...sampleBlock, transactions: many(60, () => manyOperations) }, currently_syncing: false },
    ],
    'jsonrpc.get_signature': [{ method: 'block_api.get_block' }],
  };
}

/** Bodies that no method answers, and that cost as much as possible to find that out. */
export function heaviestBodies(): Readonly<Record<string, string>> {
  const full = (piece: string, count = Math.floor(1_000_000 / piece.length)): string => piece.repeat(count);
  const call = (method: string, params: string): string =>
    `{"jsonrpc":"2.0","id":1,"method":"${method}","params":${params}}`;
  return {
    'params of nested lists': call('database_api.find_accounts', `{"accounts":[${full('[[[[[[[[]]]]]]]],')}1]}`),
    'params of small objects': call('database_api.find_accounts', `{"accounts":[${full('{"a":1},')}1]}`),
    'params of unknown members': call('database_api.find_accounts', `{${full('"a":1,')}"b":1}`),
    'params of different members': call('database_api.find_accounts', `{${many(80_000, (k) => `"m${k}":1`).join()}}`),
    'a transaction of many operations': call(
      'database_api.get_transaction_hex',
      writeJson({
        trx: { ...sampleTransaction, operations: many(6000, () => sampleTransaction.operations[0] ?? null) },
      }),
    ),
    'a member of half a megabyte': call('alexandria_api.get_account', `{"account_name":"${'x'.repeat(500_000)}"}`),
    escapes: call('alexandria_api.get_account', `{"account_name":"${full('\\u0041', 150_000)}"}`),
    'long numbers': call('database_api.find_accounts', `{"accounts":[${'1'.repeat(900_000)}]}`),
  };
}
