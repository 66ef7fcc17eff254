import { present } from '../../base/assert.ts';
import { Fault } from '../../base/fault.ts';
import { connect, type Client } from '../../client/index.ts';
import { derivePublicKey } from '../../crypto/keys.ts';
import { encodeWif } from '../../crypto/wif.ts';
import { publicKeyText } from '../../values/public_key.ts';
import { readSigningKeys } from '../../witness/signing/signing_keys.ts';
import { VIEWS_UNCERTAIN } from '../../blocks/finality/voting_rule.ts';
import { keyFilePath, type Net } from './net_folder.ts';
import { eventually } from './node_processes.ts';

/** A node begins to note votes when it has heard the clocks of its peers. */
const BEGINNING_SLOTS = 3;
/** More than three rounds of the largest net. */
const PATIENCE_SLOTS = 1000;

/** Makes witnesses of the accounts that are to be some, as far as they are none, and waits until all are in the round. */
export async function makeWitnesses(net: Net): Promise<void> {
  const [first] = net.members;
  const client = await connect(`http://127.0.0.1:${present(first, 'a node').port}`);
  try {
    const names = net.members.flatMap(({ witnesses }) => witnesses);
    const known = await Promise.all(names.map(async (name) => await isWitness(client, name)));
    const missing = names.filter((_name, k) => known[k] !== true);
    if (missing.length === 0) return;
    await untilAllCanVote(client, net);
    await Promise.all(missing.map(async (name) => await makeWitness(client, net, name)));
    await until(net, async () => (await roundSize(client)) === net.witnesses);
  } finally {
    client.close();
  }
}

async function isWitness(client: Client, owner_account: string): Promise<boolean> {
  return (await client.call('alexandria_api.get_witness', { owner_account })).witness !== undefined;
}

/** A key votes in epochs that begin so many slots after its node has begun to note its votes. */
async function untilAllCanVote(client: Client, net: Net): Promise<void> {
  const head = async (): Promise<number> =>
    (await client.call('database_api.get_dynamic_global_properties', {})).head_block_number;
  const first = await head();
  await until(net, async () => (await head()) > first + VIEWS_UNCERTAIN + BEGINNING_SLOTS);
}

async function until({ intervalSeconds }: Net, isTrue: () => Promise<boolean>): Promise<void> {
  if (await eventually(isTrue, PATIENCE_SLOTS * intervalSeconds * 1000)) return;
  throw new Fault('runtime', 'the net makes no blocks, or lacks witnesses; pharos net status shows which nodes run');
}

async function roundSize(client: Client): Promise<number> {
  return (await client.call('alexandria_api.get_witness_schedule_object', {})).schedule_obj.num_scheduled_witnesses;
}

async function makeWitness(client: Client, net: Net, owner: string): Promise<void> {
  const { median_props } = (await client.call('alexandria_api.get_witness_schedule_object', {})).schedule_obj;
  const { account_creation_fee, maximum_block_size } = median_props;
  const [secret] = await readSigningKeys([keyFilePath(net, owner)], undefined);
  const key = Buffer.from(present(derivePublicKey(present(secret, 'a key')), 'a key')).toString('hex');
  const block_signing_key = publicKeyText(key, client.symbols.keyPrefix);
  const props = { account_creation_fee, maximum_block_size, price_feeds: [] };
  const update = { owner, url: `https://${owner}.example`, block_signing_key, props };
  await client.send([['witness_update', update]], [encodeWif(present(secret, 'a key'))]);
}
