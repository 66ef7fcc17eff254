import { Command } from 'commander';
import { existsSync } from 'node:fs';
import { present } from '../../base/assert.ts';
import { Fault } from '../../base/fault.ts';
import type { Client } from '../../client/index.ts';
import { assetText, parseAsset, type Asset } from '../../values/asset.ts';
import { NULL_KEY, publicKeyText } from '../../values/public_key.ts';
import { onChain, makeSender, sendAs, fetchWitness, type ChainWitness, type Sender } from './chain_access.ts';
import { untilKeyVotes } from './first_votes.ts';
import { chooseKey, makeUpdate, withKeyFlags, type KeyFlags } from './signing_key.ts';

/** `pharos witness create`: from an account to a producing witness, each step shown. */
export function createCommand(): Command {
  return withKeyFlags(new Command('create').description('make a witness of an account, with a new signing key')).action(
    async (name: string, flags: KeyFlags) => {
      await onChain(flags, async (client) => await created(client, name, flags));
      step(4, 'the node, unless it runs so: start it, or start it again, with');
      process.stdout.write(`witness = ${name}\nprivate-key-file = ${flags.keyFile}\n`);
      // Not sent from here: a witness that is voted in before its node runs misses its slots, and takes them from one
      // that doesn't.
      step(5, 'votes, which give it slots: its own, once the node runs, and those of others');
      process.stdout.write(
        `pharos wallet vote_for_witness ${name} ${name} true true\nthen see pharos witness status ${name}\n`,
      );
    },
  );
}

/** Checks everything before it makes anything; each step runs only when it is still needed. */
async function created(client: Client, name: string, flags: KeyFlags): Promise<void> {
  const sender = await makeSender(client, name, flags);
  const known = existsSync(flags.keyFile) ? await chooseKey(flags) : undefined;
  const witness = await fetchWitness(client, name);
  requireNotProducing(name, witness, known, flags);
  const missing = await missingStake(client, sender);
  step(1, `the signing key, in ${flags.keyFile}`);
  const key = known ?? (await chooseKey(flags));
  process.stdout.write(`${key}\n`);
  step(2, 'the stake, which every witness has');
  if (missing === undefined) process.stdout.write(`${name} has ${sender.account.vesting_shares}: enough\n`);
  else await sendAs(client, sender, ['transfer_to_vesting', { from: name, to: name, amount: missing }], flags);
  step(3, 'the witness, on the chain');
  if (witness?.signing_key === key && flags.witnessUrl === '')
    process.stdout.write(`${name} is a witness and signs with it already\n`);
  else {
    await untilKeyVotes(client, { name, key, flags });
    await sendAs(client, sender, await makeUpdate(client, name, key, flags), flags);
  }
}

/**
 * Returns the coins that an account must vest before it may be a witness; undefined when it has enough. Fault
 * `configuration` when it can't pay for it.
 */
async function missingStake(client: Client, { account }: Sender): Promise<string | undefined> {
  const { witness_required_vesting } = await client.call('database_api.get_dynamic_global_properties', {});
  const required = parseAmount(witness_required_vesting);
  const [vested, balance] = [parseAmount(account.vesting_shares), parseAmount(account.balance)];
  if (vested.amount >= required.amount) return undefined;
  const missing = { amount: required.amount - vested.amount, symbol: balance.symbol };
  if (balance.amount >= missing.amount) return assetText(missing);
  throw new Fault(
    'configuration',
    `a witness has at least ${assetText(required)}; ${account.name} has ${assetText(vested)} and could vest ${assetText(balance)}, less than the ${assetText(missing)} that are missing`,
  );
}

function parseAmount(text: string): Asset {
  return present(parseAsset(text), 'an amount in an answer');
}

/** Fault `configuration` when a witness signs with another key: whoever makes its blocks would stop. */
function requireNotProducing(
  name: string,
  witness: ChainWitness | undefined,
  key: string | undefined,
  { keyPrefix }: KeyFlags,
): void {
  if (witness === undefined || [key, publicKeyText(NULL_KEY, keyPrefix)].includes(witness.signing_key)) return;
  throw new Fault(
    'configuration',
    `${name} is a witness already and signs with another key; pharos witness rotate-key gives it a new one, pharos witness switch has another machine make its blocks`,
  );
}

function step(number: number, what: string): void {
  process.stdout.write(`${number}. ${what}\n`);
}
