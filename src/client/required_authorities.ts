import { INIT_MINER_ACCOUNT } from '../values/reserved_accounts.ts';
import type { Operation } from './index.ts';

/** An authority of an account that must have signed. The owner authority may stand in for the active one. */
export interface RequiredAuthority {
  readonly account: string;
  readonly level: 'active' | 'owner';
}

/** The member that names the account whose active authority signs. */
const ACTIVE_MEMBERS: ReadonlyMap<string, string> = new Map([
  ...signerMember('from', ['transfer', 'transfer_to_vesting', 'escrow_transfer']),
  ...signerMember('account', ['withdraw_vesting', 'account_witness_vote', 'account_witness_proxy']),
  ...signerMember('owner', ['witness_update', 'witness_stop']),
  ...signerMember('author', ['application_create', 'application_update', 'application_delete']),
  ...signerMember('sender', ['custom', 'custom_json', 'custom_binary']),
  ...signerMember('who', ['escrow_approve', 'escrow_dispute', 'escrow_release']),
  ...signerMember('creator', ['account_create']),
  ...signerMember('publisher', ['feed_publish']),
  ...signerMember('buyer', ['buy_application']),
  ...signerMember('app_owner', ['cancel_application_buying']),
  ...signerMember('recovery_account', ['request_account_recovery']),
  ...signerMember('reset_account', ['reset_account']),
]);

function signerMember(member: string, kinds: readonly Operation[0][]): readonly (readonly [string, string])[] {
  return kinds.map((kind) => [kind, member] as const);
}

/**
 * The authorities of accounts that operations require, each once. Authorities that an operation brings itself are left
 * out: those of `recover_account`, and the key of `witness_set_properties`. A client has no declarations of operations
 * with their authorities, which would bring the whole state into a page.
 */
export function requiredAuthorities(operations: readonly Operation[]): readonly RequiredAuthority[] {
  const unique = new Map<string, RequiredAuthority>();
  for (const each of operations.flatMap((operation) => requiredAuthority(operation) ?? []))
    unique.set(`${each.level} ${each.account}`, each);
  return [...unique.values()];
}

function requiredAuthority(operation: Operation): RequiredAuthority | undefined {
  const [kind, body] = operation;
  switch (kind) {
    case 'account_update':
      return { account: body.account, level: (body.owner ?? body.active ?? null) === null ? 'active' : 'owner' };
    case 'account_delete':
      return { account: body.account, level: 'owner' };
    case 'change_recovery_account':
      return { account: body.account_to_recover, level: 'owner' };
    case 'set_reset_account':
      return body.current_reset_account === '' ? undefined : { account: body.account, level: 'owner' };
    case 'sponsor_fees':
      return { account: body.sponsor === '' ? body.sponsored : body.sponsor, level: 'active' };
    case 'witness_set_properties':
      return body.props.some(([name]) => name === 'key') ? undefined : { account: body.owner, level: 'active' };
    case 'admin_witness_update':
    case 'transfer_from_promotion_pool':
      return { account: INIT_MINER_ACCOUNT, level: 'active' };
    default: {
      const name: unknown = new Map<string, unknown>(Object.entries(body)).get(ACTIVE_MEMBERS.get(kind) ?? '');
      return typeof name === 'string' ? { account: name, level: 'active' } : undefined;
    }
  }
}
