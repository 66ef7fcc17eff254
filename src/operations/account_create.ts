import { refusals } from '../base/refusal.ts';
import { textByteCount } from '../codec/bytes.ts';
import {
  namedAccountRefusals,
  plainNameRefusals,
  requireNamedAccounts,
  requirePlainNames,
  updateKeyIndex,
} from '../state/authorities.ts';
import { adjustBalance } from '../state/balance.ts';
import { headProperties, type ChainState } from '../state/chain_state.ts';
import { creationFee, inCoins, payFee } from '../state/fees.ts';
import { hardforkRules, currentRule } from '../state/rules/index.ts';
import { requireAccount } from '../state/lookups.ts';
import { addAccount } from '../state/new_account.ts';
import { shownCoins } from '../state/parameters.ts';
import { accountMetadata } from '../state/tables/account_metadata.ts';
import { accountName, nameFromSeed } from '../values/account_name.ts';
import { asset } from '../values/asset.ts';
import { authority } from '../values/authority.ts';
import { jsonTextRefusals, requireMetadata } from '../values/json_text.ts';
import { sentAnyText, sentText } from '../values/limited_text.ts';
import { MAX_NAME_SEED_BYTES } from '../values/limits.ts';
import { publicKey } from '../values/public_key.ts';
import { operation, paidBody } from './operation.ts';

const refuse = refusals({
  name_seed_too_large: {
    text: 'the name seed has {bytes} bytes; at most {most} are taken',
    lineage: 'Name seed is too large',
  },
  name_seed_not_utf8: 'the name seed is no valid UTF-8',
  insufficient_balance: {
    text: '{creator} has {balance}, less than the {fee} that it offers for the account',
    lineage: 'Insufficient balance to create account.',
  },
  insufficient_fee: {
    text: 'fee of at least {required} expected, which an account costs, got {offered}',
    lineage: 'Insufficient Fee: {required} required, {offered} provided.',
  },
});

/** Creates an account, whose name is derived from a seed. */
export const accountCreate = operation({
  name: 'account_create',
  doc: 'Adds an account, whose name follows from a seed. What the fee exceeds the creation fee by goes to the new account.',
  fields: paidBody({
    fee: asset,
    creator: accountName,
    name_seed: sentAnyText,
    owner: authority,
    active: authority,
    memo_key: publicKey,
    json_metadata: sentText,
  }),
  refuses: { texts: { ...refuse.texts, ...jsonTextRefusals, ...namedAccountRefusals, ...plainNameRefusals } },
  feeAccount: (body) => body.creator,
  feeRule: 'own',
  authorities: (body) => ({ active: [body.creator] }),
  impacts: (body) => [body.creator, nameFromSeed(body.name_seed)],
  setsAuthorities({ name_seed, owner, active }) {
    const account = nameFromSeed(name_seed);
    return [
      { account, role: 'owner', authority: owner },
      { account, role: 'active', authority: active },
    ];
  },

  validate({ name_seed, owner, active, json_metadata }, parameters) {
    if (!name_seed.isWellFormed() && !parameters.rules.texts_of_any_bytes) refuse.name_seed_not_utf8();
    requirePlainNames(parameters, owner);
    requirePlainNames(parameters, active);
    requireMetadata(json_metadata);
  },

  apply({ fee, creator, name_seed, owner, active, memo_key, json_metadata }, state) {
    const { balance } = requireAccount(state.rows, creator);
    const paid = inCoins(state.rows, state.parameters, fee);
    const bytes = textByteCount(name_seed);
    const isLong = bytes > MAX_NAME_SEED_BYTES;
    if (isLong && currentRule(state.rows, state.parameters.ruleSet, hardforkRules.bounded_name_seeds))
      refuse.name_seed_too_large({ bytes, most: MAX_NAME_SEED_BYTES });
    const inText = (amount: bigint): string => shownCoins(state.parameters, amount);
    if (balance < paid) refuse.insufficient_balance({ creator, balance: inText(balance), fee: inText(paid) });
    const required = creationFee(state).amount;
    if (paid < required) refuse.insufficient_fee({ required: inText(required), offered: inText(paid) });
    const name = nameFromSeed(name_seed);
    requireNamedAccounts(state, 'owner', name, owner);
    requireNamedAccounts(state, 'active', name, active);

    addAccount(state, {
      name,
      memo_key,
      owner,
      active,
      created: headProperties(state).time,
      recovery_account: creator,
    });
    if (json_metadata !== '') state.rows.put(accountMetadata, { account: name, json_metadata });
    updateKeyIndex(state, name, undefined);
    payFee(state, creator, required);
    moveExcess(state, creator, name, paid - required);
  },
});

function moveExcess(state: ChainState, creator: string, name: string, excess: bigint): void {
  if (excess === 0n) return;
  adjustBalance(state, creator, -excess);
  adjustBalance(state, name, excess);
}
