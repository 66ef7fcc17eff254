import assert from 'node:assert/strict';
import { test } from 'node:test';

import { originOf, privateNetOrigin } from '../../src/chain/chain_origin.ts';
import { ByteWriter } from '../../src/codec/bytes.ts';
import { genesisFile, packedGenesis } from '../../src/state/genesis_file.ts';
import { chainParameters } from '../../src/state/parameters.ts';
import { accounts } from '../../src/state/tables/account.ts';
import { accountAuthorities } from '../../src/state/tables/account_authority.ts';
import { dynamicGlobalProperties } from '../../src/state/tables/dynamic_global_property.ts';
import { economicModel } from '../../src/state/tables/economic_model.ts';
import { witnesses } from '../../src/state/tables/witness.ts';
import { DEVELOPMENT_SIGNING_KEY, profiles } from '../../src/values/profile.ts';
import { keyOf, keyTextOf, openChain, produce, testParameters, transactionOn, transferJson } from '../builders/chain.ts';
import { lineageKey, lineageNotation } from '../builders/lineage_chain.ts';
import { recording, textAt } from '../builders/recordings.ts';

const lineage = profiles['lineage'] ?? assert.fail();
const standard = profiles['default'] ?? assert.fail();

test('a private net that is started by a key has the recorded bytes and chain id', () => {
  const vectors = recording('vectors-sdk.json');
  const key = lineageKey(textAt(vectors, 'node.private_net_genesis.key'));
  const { genesis, chainId } = privateNetOrigin(lineage, key);
  const packed = new ByteWriter();
  packedGenesis.write(packed, genesis);
  assert.equal(Buffer.from(packed.view()).toString('hex'), textAt(vectors, 'node.private_net_genesis.packed'));
  assert.equal(chainId, textAt(vectors, 'node.private_net_genesis.chain_id'));
  const standardBytes = new ByteWriter();
  packedGenesis.write(standardBytes, { ...genesisFile.initial(lineageNotation), initial_public_key: lineage.initialSigningKey });
  assert.equal(Buffer.from(standardBytes.view()).toString('hex'), textAt(vectors, 'node.private_net_genesis.default_packed'));
});

test('the chain id is the hash of the exact text: white space counts', () => {
  const text = '{"symbol":"COIN"}';
  assert.notEqual(originOf(Buffer.from(text), standard).chainId, originOf(Buffer.from(`${text}\n`), standard).chainId);
});

test('genesis makes the reserved accounts first, then those of the file', () => {
  const chain = openChain();
  const names = chain.committed.range(accounts.by_id, { limit: 100 }).map(({ name }) => name);
  assert.deepEqual(names, ['miners', 'none', 'temp', 'initminer', 'alice', 'bob', 'carol', 'dave', 'erin']);
  const alice = chain.committed.get(accounts, 'alice');
  assert.deepEqual(
    [alice?.recovery_account, alice?.reset_account, alice?.holdings_considered_for_interests],
    ['initminer', 'initminer', 20_000_000_000_000n],
  );
  const initminer = chain.committed.get(accounts, 'initminer');
  assert.deepEqual([initminer?.recovery_account, initminer?.reset_account, initminer?.memo_key], ['', 'none', keyOf('initminer')]);
});

test('an account with the null key belongs to the first witness', () => {
  const parameters = testParameters({
    initial_accounts: [{ name: 'keyless', key: `${standard.keyPrefix}1111111111111111111111111111111114T1Anm`, balance: 1 }],
  });
  const authority = openChain(parameters).committed.get(accountAuthorities, 'keyless');
  assert.deepEqual(authority?.owner.account_auths, [['initminer', 1]]);
});

test('the pools are what genesis leaves, split as it says', () => {
  const parameters = testParameters({ initial_balace: 300_000_000_000_000 });
  const model = openChain(parameters).committed.only(economicModel);
  assert.deepEqual(
    [model.mining_pool_from_coinbase, model.interest_pool_from_coinbase, model.promotion_pool],
    [37_500_000_000_000n, 97_500_000_000_000n, 15_000_000_000_000n],
  );
  assert.equal(model.coinbase_block_reward, 142_694n);
});

test('a private net moves no money and takes no fees, and its admin appoints witnesses', () => {
  const { genesis, chainId } = privateNetOrigin(standard, DEVELOPMENT_SIGNING_KEY);
  const parameters = chainParameters(
    standard,
    { ...genesis, initial_public_key: keyOf('initminer'), initial_signing_key: keyOf('initminer') },
    chainId,
  );
  const chain = openChain(parameters);
  for (let number = 0; number < 5; number++) produce(chain);
  assert.throws(
    () => chain.accept(transactionOn(chain, parameters, [transferJson('initminer', 'temp', 1)], ['initminer'])),
    /not available in private nets/,
  );
  const props = { account_creation_fee: '0.000000 COIN', maximum_block_size: 131_072 };
  const appoint = [
    'admin_witness_update',
    { fee: '0.000000 COIN', owner: 'someone', url: 'x', block_signing_key: keyTextOf('someone'), props },
  ];
  chain.accept(transactionOn(chain, parameters, [appoint], ['initminer']));
  for (let number = 0; number < 60; number++) produce(chain);
  assert.equal(chain.committed.get(witnesses, 'someone')?.owner, 'someone');
  assert((chain.committed.get(witnesses, 'someone')?.last_confirmed_block_num ?? 0n) > 0n);
  assert.equal(chain.committed.only(dynamicGlobalProperties).current_supply, 0n);
});
