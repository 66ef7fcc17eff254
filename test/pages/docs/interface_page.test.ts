import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { after, test } from 'node:test';
import { knownHardforks } from '../../../src/state/hardforks.ts';
import { declaredRefusal, catchRefusal, unlessRefused, type RefusalText } from '../../../src/base/refusal.ts';
import { isJsonObject, type Json } from '../../../src/codec/json.ts';
import { neutralEncoding } from '../../../src/codec/encoding_options.ts';
import { bringIntoOneForm, isOfOneForm } from '../../../src/crypto/canonical.ts';
import { secretOfSeed } from '../../../src/crypto/brain_key.ts';
import { derivePublicKey } from '../../../src/crypto/keys.ts';
import { verify } from '../../../src/crypto/verify.ts';
import { refuseJson } from '../../../src/codec/json_refusals.ts';
import { refuseCall } from '../../../src/jsonrpc/envelope/errors.ts';
import { refuseParams } from '../../../src/jsonrpc/envelope/params.ts';
import { operationKinds } from '../../../src/operations/index.ts';
import { consequenceRefusals } from '../../../src/state/consequences.ts';
import { defaultLimits } from '../../../src/jsonrpc/limits/limits.ts';
import { options } from '../../../src/settings/options.ts';
import { servedMethods } from '../../../src/settings/served_methods.ts';
import { transfer } from '../../../src/operations/transfer.ts';
import { docsFiles } from '../../../src/pages/docs/docs_files.ts';
import { genesisFile } from '../../../src/state/genesis_file.ts';
import { accountName } from '../../../src/values/account_name.ts';
import { profiles } from '../../../src/values/profile.ts';
import { publicKeyText } from '../../../src/values/public_key.ts';
import { timeText } from '../../../src/values/time.ts';
import { versionText } from '../../../src/values/version.ts';
import { broadcastFlag } from '../../../src/wallet/command.ts';
import { commands } from '../../../src/wallet/commands/index.ts';
import { encoding, testParameters, makeTransaction } from '../../builders/chain.ts';
import { NodeOfMethods } from '../../rpc/methods/node_of_methods.ts';
import { catalogue, methods, samples } from './built.ts';

const files = new Map(docsFiles(catalogue, samples, []).map(({ path, text }) => [path, text]));
// Blanks within a tag mean nothing.
const markup = (files.get('interface.html') ?? assert.fail('the page is there')).replaceAll(/\s+>/g, '>');
const profile = profiles['default'] ?? assert.fail();
const node = new NodeOfMethods();
const emptyNode = new NodeOfMethods({ isEmpty: true });
after(() => {
  node.stop();
  emptyNode.stop();
});

/** A section of the page, as a reader sees it. */
function getSection(id: string): string {
  const [, rest = assert.fail(id)] = markup.split(`<h2 id="${id}">`);
  return plainText(rest.split('</section>', 1)[0] ?? '');
}

function plainText(html: string): string {
  return html.replaceAll(/<[^>]*>/g, '').replaceAll(/\s+/g, ' ');
}

/** The rows of the table with that name. */
function tableRows(label: string): string[][] {
  const [, rest = assert.fail(label)] = markup.split(`aria-label="${label}"`);
  const body = rest.split('</tbody>', 1)[0]?.split('<tbody>')[1] ?? assert.fail(label);
  return [...body.matchAll(/<tr>([^]*?)<\/tr>/g)].map(([, row = '']) =>
    [...row.matchAll(/<t[hd][^>]*>([^]*?)<\/t[hd]>/g)].map(([, cell = '']) => plainText(cell).trim()),
  );
}

function findExample(name: string): string {
  return new RegExp(`data-code="example-${name}"[^>]*><code>([^<]*)`).exec(markup)?.[1] ?? assert.fail(name);
}

const sha256 = (hex: string): string => createHash('sha256').update(Buffer.from(hex, 'hex')).digest('hex');
const parseDigits = (text: string): number => Number(text.replaceAll(/\D/g, ''));

test('the worked example: its parts are its bytes, and everything else follows from them by sha256', () => {
  const bytes = tableRows('Bytes of the transaction').map(([, , hex]) => hex);
  assert.equal(bytes.join(''), findExample('bytes'));
  assert.equal(findExample('chain-id'), createHash('sha256').update('example').digest('hex'));
  assert.equal(findExample('digest'), sha256(findExample('chain-id') + findExample('bytes')));
  assert.equal(findExample('transaction-id'), sha256(findExample('bytes')).slice(0, 40));
  assert.equal(findExample('signed'), `${findExample('bytes')}01${findExample('signature')}`);
  assert.equal(findExample('leaf'), sha256(findExample('signed')));
});

test('its bytes are those that the node has for the same JSON, and its signature is that of the key', async () => {
  const [byMember, id] = [
    new Map(tableRows('Bytes of the transaction').map(([member = '', value = '']) => [member, value])),
    findExample('transaction-id'),
  ];
  const member = (name: string): string => byMember.get(name) ?? assert.fail(name);
  const [fee, from, to, amount, memo] = ['fee', 'from', 'to', 'amount', 'memo'].map(member);
  const trx = {
    ref_block_num: Number(member('ref_block_num')),
    ref_block_prefix: Number(member('ref_block_prefix')),
    expiration: member('expiration'),
    operations: [
      ['transfer', { fee: fee ?? '', from: from ?? '', to: to ?? '', amount: amount ?? '', memo: memo ?? '' }],
    ],
    extensions: [],
    signatures: [findExample('signature')],
  } satisfies Json;
  assert.deepEqual(await node.result('database_api.get_transaction_hex', { trx }), { hex: findExample('signed') });
  assert.deepEqual(await node.result('alexandria_api.get_transaction_id', { tx: trx }), { tx_id: id });
  const asked = {
    digest: findExample('digest'),
    pub_key: findExample('public-key'),
    signature: findExample('signature'),
  };
  assert.deepEqual(await node.result('alexandria_api.verify_signature', asked), { signature_valid: true });
  const key = derivePublicKey(secretOfSeed('alice')) ?? assert.fail();
  assert.equal(findExample('public-key'), publicKeyText(Buffer.from(key).toString('hex'), profile.keyPrefix));
  assert.ok(verify(Buffer.from(findExample('digest'), 'hex'), Buffer.from(findExample('signature'), 'hex'), key));
  assert.equal(findExample('chain-id').length, 64);
});

test('a node brings a signature into the canonical form, and the example has it', () => {
  const signature = Buffer.from(findExample('signature'), 'hex');
  assert.ok(isOfOneForm(signature));
  assert.match(getSection('canonical'), /31 to 34/);
  const older = Buffer.from(signature);
  older[0] = (signature[0] ?? 0) - 4;
  const order = 0xffff_ffff_ffff_ffff_ffff_ffff_ffff_fffe_baae_dce6_af48_a03b_bfd2_5e8c_d036_4141n;
  const high = order - BigInt(`0x${signature.toString('hex', 33)}`);
  const twin = Buffer.concat([signature.subarray(0, 33), Buffer.from(high.toString(16).padStart(64, '0'), 'hex')]);
  twin[0] = 31 + (((signature[0] ?? 0) - 31) ^ 1);
  for (const form of [older, twin]) {
    assert.ok(!isOfOneForm(form));
    bringIntoOneForm(form);
    assert.deepEqual(form, signature);
  }
});

test('every limit of requests is on the page with its setting and its default', () => {
  const rows = new Map(
    tableRows('Limits of requests').map(([setting = '', figure = '']) => [setting, parseDigits(figure)]),
  );
  const shown = Object.entries(options).flatMap(([setting, option]) =>
    'limit' in option ? [[setting, defaultLimits[option.limit]]] : [],
  );
  assert.deepEqual([...rows], shown);
  const withoutSetting = Object.keys(defaultLimits).filter(
    (limit) => !Object.values(options).some((each) => 'limit' in each && each.limit === limit),
  );
  assert.deepEqual(withoutSetting, ['idBytes', 'countsLocalCalls']);
  assert.ok(getSection('limits').includes(`An id of a request has at most ${defaultLimits.idBytes} bytes`));
});

/** Limits of the chain by the refusal, as their rows are called. */
const chainRowsOf: Readonly<Record<string, string>> = {
  memo_too_large: 'bytes of a memo',
  url_too_long: 'bytes of a URL',
  name_seed_too_large: 'bytes of a name seed',
  name_too_long: 'characters of the name of an account or an application',
  name_not_kept: 'characters of the name of an account or an application',
  transaction_too_big: 'bytes of a transaction',
  block_too_big: 'bytes of a block',
  block_size_too_large: 'bytes of a block',
  expiration_too_far: 'seconds from the head block to the expiration',
  too_many_accounts_visited: 'accounts that one check of signatures visits',
  proxy_chain_too_long: 'accounts in a row of voting proxies, the first one included',
  too_many_votes: 'witnesses that an account votes for',
  too_many_votes_moved: 'witnesses whose votes a transaction moves',
  too_many_voters_moved: 'votes that a transaction looks at',
  authorities_too_large: 'members in the authorities of the accounts that a transaction updates',
  bandwidth_exceeded: 'bytes of operations without a fee, of an account',
  operations_exceeded: 'operations without a fee, of an account',
  integer_overflow: 'units of an amount',
};
/** Limits with a setting, by the refusal. */
const settingsOf: Readonly<Record<string, keyof typeof defaultLimits>> = {
  json_too_deep: 'jsonDepth',
  too_busy: 'requestsInFlight',
  answer_too_large: 'answerBytes',
  rate_exceeded: 'callsPerSecond',
  batch_rate_exceeded: 'callsPerSecond',
  batch_too_heavy: 'batchWeight',
  too_many_subscriptions: 'subscriptionsPerSocket',
  address_has_too_many_subscriptions: 'subscriptionsPerAddress',
  node_has_too_many_subscriptions: 'subscriptions',
};
/** They say what the call itself asked for. */
const ofTheCall: ReadonlySet<string> = new Set(['head_too_old', 'start_below_count']);

test('every refusal that names a limit has a row on the page', () => {
  const rows = new Set(tableRows('Limits of the chain').map(([of]) => of));
  const fixed = new Map(
    tableRows('Limits without a setting').map(([name = '', figure = '']) => [name, parseDigits(figure)]),
  );
  const settings = new Set(tableRows('Limits of requests').map(([setting]) => setting));
  const served = [...methods.values()].filter(({ group }) => group !== 'debug_api');
  const declared = [...served, ...Object.values(operationKinds)].flatMap(({ refuses }) => Object.entries(refuses));
  const common = [refuseCall.texts, refuseParams.texts, refuseJson.texts, consequenceRefusals].flatMap((texts) =>
    Object.entries<RefusalText>(texts),
  );
  const limits = [...declared, ...common].filter(([, text]) => /\{(?:most|limit)\}/.test(declaredRefusal(text).text));
  assert.ok(new Set(limits.map(([name]) => name)).size > 20);
  for (const [name] of limits) {
    const [setting, chain] = [settingsOf[name], chainRowsOf[name]];
    const isShown =
      fixed.has(name) ||
      (chain !== undefined && rows.has(chain)) ||
      Object.entries(options).some(
        ([each, option]) => 'limit' in option && option.limit === setting && settings.has(each),
      );
    assert.ok(isShown || ofTheCall.has(name) || name.endsWith('page_too_large'), name);
  }
});

test('the limits of params and of JSON are those that a node refuses by', async () => {
  const fixed = new Map(
    tableRows('Limits without a setting').map(([name = '', figure = '']) => [name, parseDigits(figure)]),
  );
  const most = (name: string): number => fixed.get(name) ?? assert.fail(name);
  const fetchDetail = async (text: string, method = 'database_api.find_accounts'): Promise<unknown[]> => {
    const body = `{"jsonrpc":"2.0","id":1,"method":"${method}","params":{"accounts":${text}}}`;
    const { error } = JSON.parse((await node.dispatcher.dispatch(Buffer.from(body)))?.toString() ?? assert.fail());
    return [error.data.name, error.data.most ?? error.data.limit];
  };
  const long = (bytes: number): string => `["${'a'.repeat(bytes - '{"accounts":[""]}'.length)}"]`;
  // The object and the list count as well.
  const values = (count: number): string => `[${'0,'.repeat(count - 3)}0]`;
  const digits = (count: number): string => `[${'1'.repeat(count)}]`;
  const checks = [
    ['params_too_long', long, 'database_api.find_accounts'],
    // So many values are longer than the params of most methods.
    ['params_too_many', values, 'alexandria_api.to_base64'],
    ['json_number_too_long', digits, 'database_api.find_accounts'],
  ] as const;
  for (const [name, textOfSize, method] of checks) {
    assert.deepEqual(await fetchDetail(textOfSize(most(name) + 1), method), [name, most(name)]);
    assert.notEqual((await fetchDetail(textOfSize(most(name)), method))[0], name);
  }
  const longest = `["${'a'.repeat(most('params_too_long'))}"]`;
  const named = new Set(
    /as long as a body: (.*?)\. *Pages and lists/.exec(getSection('limits'))?.[1]?.trim().split(', '),
  );
  for (const { name, group } of methods.values()) {
    if (group === '') continue;
    const body = `{"jsonrpc":"2.0","id":1,"method":"${name}","params":{"no_such_member":${longest}}}`;
    const text = (await node.dispatcher.dispatch(Buffer.from(body)))?.toString() ?? assert.fail(name);
    assert.equal(!text.includes('"params_too_long"'), named.has(name), `${name} ${text.slice(0, 200)}`);
  }
});

test('the limits of pages are those that methods keep to, and every method with pages is there', async () => {
  const rows = tableRows('Limits of pages');
  for (const [name = '', param = '', most = ''] of rows) {
    const method = methods.get(name) ?? assert.fail(name);
    const { params } = method.example;
    const example = isJsonObject(params) ? params : assert.fail(name);
    const count = parseDigits(most);
    const item = Array.isArray(example[param]) ? example[param][0] : undefined;
    const above: Json = most.endsWith('items') ? Array.from({ length: count + 1 }, () => item ?? '') : count + 1;
    const { error } = await node.call(name, { ...example, [param]: above });
    assert.ok(error !== undefined, `${name} ${param} ${most}`);
    if (item !== undefined || most.endsWith('entries'))
      assert.ok(error.message.includes(String(count)), `${name}: ${error.message}`);
    if (!most.endsWith('entries')) continue;
    const whole = await node.call(name, { ...example, [param]: count });
    assert.ok(!/page_too_large/.test(String(whole.error?.data?.['name'])), name);
  }
  const refusing = [...methods.values()].filter(
    ({ refuses }) => 'page_too_large' in refuses || 'history_page_too_large' in refuses,
  );
  assert.ok(refusing.length > 10);
  const named = new Set(rows.map(([name]) => name));
  assert.deepEqual(
    refusing.map(({ name }) => name).filter((name) => !named.has(name)),
    [],
  );
});

test('the limits of the chain are those that it refuses by, and that get_config says', () => {
  const rows = new Map(tableRows('Limits of the chain').map(([of = '', figure = '']) => [of, parseDigits(figure)]));
  const most = (of: string): number => rows.get(of) ?? assert.fail(of);
  const config = samples.methods['database_api.get_config'] ?? assert.fail();
  const constant = (name: string): unknown =>
    'result' in config && isJsonObject(config.result) ? config.result[name] : undefined;
  assert.equal(most('bytes of a URL'), constant('COIN_MAX_WITNESS_URL_LENGTH'));
  assert.equal(most('bytes of a name seed'), constant('COIN_MAX_NAME_SEED_SIZE'));
  assert.equal(most('bytes of a transaction'), constant('COIN_MAX_TRANSACTION_SIZE'));
  assert.equal(most('bytes of a block'), constant('COIN_MAX_BLOCK_SIZE'));
  assert.equal(most('seconds from the head block to the expiration'), constant('COIN_MAX_TIME_UNTIL_EXPIRATION'));
  assert.equal(most('levels of accounts in an authority'), constant('COIN_MAX_SIG_CHECK_DEPTH'));
  assert.equal(
    most('accounts in a row of voting proxies, the first one included'),
    constant('COIN_MAX_PROXY_RECURSION_DEPTH'),
  );
  assert.equal(most('witnesses that an account votes for'), constant('COIN_MAX_ACCOUNT_WITNESS_VOTES'));
  const parameters = testParameters();
  assert.equal(most('accounts that one check of signatures visits'), parameters.rules.authority_visits);

  const bytes = most('bytes of a memo');
  const coins = (amount: bigint): { amount: bigint; symbol: string } => ({ amount, symbol: parameters.coinSymbol });
  const paying = (memo: string) => () =>
    transfer.of({ fee: coins(0n), from: 'alice', to: 'bob', amount: coins(1n), memo }).validate(parameters);
  assert.equal(catchRefusal(paying('m'.repeat(bytes))), undefined);
  assert.equal(catchRefusal(paying('m'.repeat(bytes + 1)))?.code, 'memo_too_large');

  const characters = most('characters of the name of an account or an application');
  const tryName = (length: number): unknown => unlessRefused(() => accountName.fromJson('n'.repeat(length), encoding));
  assert.deepEqual([tryName(characters), tryName(characters + 1)], ['n'.repeat(characters), undefined]);
});

test('the groups that are called ready are stable as a whole, and no other group has a stable method', () => {
  const text = getSection('groups');
  const [, ready = ''] = /Ready for use: (.*?)\. Its/.exec(text) ?? [];
  const [, others = ''] = /may change: (.*?)\. Each/.exec(text) ?? [];
  assert.deepEqual(ready.split(', '), ['alexandria_api']);
  for (const { group, stability, name } of methods.values()) {
    if (group === '') continue;
    assert.equal(stability === 'stable', ready.split(', ').includes(group), name);
    assert.notEqual(others.split(', ').includes(group), ready.split(', ').includes(group), group);
  }
});

test('deprecated methods are told from those that are not implemented', () => {
  const text = getSection('deprecated');
  const [, section = ''] = markup.split('<h2 id="deprecated">');
  const links = section.split('</section>', 1)[0] ?? '';
  for (const { name, stability } of methods.values())
    assert.equal(links.includes(`href="methods/${name}.html"`), stability === 'deprecated', name);
  assert.match(text, /database_api\.verify_account_authority Not implemented: always refused/);
  assert.match(text, /account_history_api\.get_transaction Deprecated: it works/);
});

test('the markers attach to nothing: no hardfork has their number, and both methods answer on an empty chain', async () => {
  const numbers = knownHardforks.map(({ id }) => id);
  for (const { id, version, doc } of knownHardforks) {
    assert.match(
      getSection('markers'),
      new RegExp(`Hardfork ${id}, version ${versionText(version)}, not before \\S+ ${doc}`),
    );
  }
  assert.ok(getSection('markers').includes(`have the numbers ${numbers.join(' and ')}, and`));
  assert.ok(!numbers.includes(11) && !numbers.includes(14));
  assert.deepEqual(await emptyNode.result('database_api.find_accounts', { accounts: [] }), { accounts: [] });
  assert.deepEqual(await emptyNode.result('database_api.find_change_recovery_account_requests', { accounts: [] }), {
    requests: [],
  });
});

test('a wallet is served by the default settings, and by the plugins that the interface names', () => {
  assert.ok(
    getSection('wallet-node').includes(`webserver-http-endpoint (${options['webserver-http-endpoint'].initial})`),
  );
  assert.ok(!('initial' in options['webserver-ws-endpoint']) && !('initial' in options.plugin));
  for (const plugins of [[], ['account_by_key', 'alexandria_api']]) {
    const served = servedMethods({ plugin: plugins }, profile, { network: false, production: false });
    for (const name of [
      'get_key_references',
      'get_account',
      'create_transaction',
      'broadcast_transaction',
      'get_version',
    ])
      assert.ok(served.has(`alexandria_api.${name}`), `${plugins.join()} ${name}`);
  }
  const countGroups = (plugins: readonly string[]): number =>
    new Set(
      [...servedMethods({ plugin: plugins }, profile, { network: false, production: false }).values()].map(
        ({ group }) => group,
      ),
    ).size;
  assert.equal(countGroups(['account_by_key', 'alexandria_api']), countGroups(['alexandria_api']));
});

test('an expired transaction is a result of the synchronous call, and a refusal of the others', async () => {
  const { chain, parameters } = node;
  const operation = ['transfer', { fee: '0.010000 COIN', from: 'alice', to: 'bob', amount: '1.000000 COIN', memo: '' }];
  const names: unknown[] = [];
  for (const expiration of [chain.head.time - 3, chain.head.time + 1]) {
    const { transaction } = makeTransaction(chain, parameters, [operation], ['alice'], { expiration });
    const signatures = [...transaction.signatures];
    const trx = {
      ...transaction,
      expiration: timeText(expiration),
      operations: [operation],
      extensions: [],
      signatures,
    };
    const outcome = await node.result('network_broadcast_api.broadcast_transaction_synchronous', {
      trx,
      max_block_age: -1,
    });
    assert.ok(typeof outcome === 'object' && outcome !== null);
    assert.deepEqual({ ...outcome, id: '' }, { id: '', block_num: -1, trx_num: -1, expired: true });
    names.push((await node.call('alexandria_api.broadcast_transaction', { tx: trx })).error?.data?.['name']);
    names.push(
      (await node.call('network_broadcast_api.broadcast_transaction', { trx, max_block_age: -1 })).error?.data?.[
        'name'
      ],
    );
  }
  assert.equal(names[0], 'transaction_expired');
  for (const name of names) assert.ok(getSection('expired').includes(String(name)));
});

test('the trailing booleans are the flag that sends, and no other', () => {
  const text = getSection('trailing-booleans');
  const named = new Set(/have it: (.*)\./.exec(text)?.[1]?.split(', '));
  assert.deepEqual(
    named,
    new Set(commands.filter(({ params }) => params.at(-1)?.codec === broadcastFlag).map(({ name }) => name)),
  );
  for (const name of ['create_account_with_keys', 'transfer', 'transfer_to_vesting', 'withdraw_vesting'])
    assert.ok(named.has(name), name);
  assert.equal(broadcastFlag.describe(neutralEncoding).default, false);
});

test('withdrawals and rounds are those of a genesis that says nothing', () => {
  const { parameters } = new NodeOfMethods({ isEmpty: true });
  const genesis = genesisFile.initial(encoding);
  const { vesting_withdraw_intervals: intervals, vesting_withdraw_interval_seconds: seconds } = genesis;
  assert.deepEqual([parameters.withdrawIntervals, parameters.withdrawIntervalSeconds], [intervals, seconds]);
  assert.ok(getSection('withdrawals').includes(`pays ${intervals} instalments, ${seconds / 86_400} day apart`));
  const {
    max_voted_witnesses: voted,
    max_runner_witnesses: runners,
    hardfork_req_witnesses: required,
    max_witnesses: round,
  } = genesis;
  assert.ok(getSection('schedule').includes(`A chain has ${voted}, ${runners} and ${required} unless`));
  assert.equal(voted + runners, round);
  assert.match(
    getSection('schedule'),
    /max_voted_witnesses 83, max_runner_witnesses 80 and hardfork_required_witnesses 72/,
  );
  assert.ok(83 > round);
});

/** A transaction by alice, with these signatures in place of hers. */
function signedTransaction(signers: readonly string[], signatures?: readonly string[]): Json {
  const operation = ['transfer', { fee: '0.010000 COIN', from: 'alice', to: 'bob', amount: '1.000000 COIN', memo: '' }];
  const { transaction } = makeTransaction(node.chain, node.parameters, [operation], signers);
  const { expiration } = transaction;
  return {
    ...transaction,
    expiration: timeText(expiration),
    operations: [operation],
    extensions: [],
    signatures: [...(signatures ?? transaction.signatures)],
  };
}

test('what is a result in the default dialect stands among the errors of no page, and everything else does', async () => {
  const twice = signedTransaction(['alice']);
  const [signature = null] = isJsonObject(twice) && Array.isArray(twice['signatures']) ? twice['signatures'] : [];
  const wrong: readonly Json[] = [
    signedTransaction(['bob']),
    signedTransaction(['alice', 'bob']),
    isJsonObject(twice) ? { ...twice, signatures: [signature, signature] } : null,
    signedTransaction([], ['00'.repeat(65)]),
    signedTransaction([], [`1f${'ff'.repeat(64)}`]),
  ];
  for (const trx of wrong)
    assert.deepEqual(await node.result('database_api.verify_authority', { trx }), { valid: false });
  const search = { app_id: 1, account_name: 'bob', search_type: 'by_recipient', start: 1, count: 2 };
  assert.equal((await node.call('custom_api.list_received_documents', search)).error, undefined);

  const hidden = [...methods.values()].flatMap(({ name, refusesLineageOnly }) =>
    [...(refusesLineageOnly ?? [])].map((code) => `${name} ${code}`),
  );
  assert.ok(hidden.length >= 8, hidden.join());
  for (const { name, refuses } of methods.values()) {
    const page = files.get(`methods/${name}.html`) ?? assert.fail(name);
    for (const code of Object.keys(refuses))
      assert.equal(page.includes(`id="error-${code}"`), !hidden.includes(`${name} ${code}`), `${name} ${code}`);
  }
  const twiceSigned = { hash: findExample('digest'), signatures: [findExample('signature'), findExample('signature')] };
  const required = { required_owner: [], required_active: ['alice'], required_other: [] };
  const { error } = await node.call('database_api.verify_signatures', { ...twiceSigned, ...required });
  assert.equal(error?.data?.['name'], 'duplicate_signature');
});
