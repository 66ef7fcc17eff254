import { readSloppyJson } from '../../../src/codec/json_validity.ts';
import { isStrictName, decodeName } from '../names.ts';
import { known, require } from '../refusal.ts';
import type { Parameters } from '../parameters.ts';
import type { Rules } from '../rules.ts';
import type { State } from '../state.ts';
import { NEVER, type Authority } from '../values.ts';

const MOST_URL_BYTES = 2048;
const MOST_NAME_BYTES = 256;

export const byteLength = (text: string): number => Buffer.byteLength(text);

export function checkJson(text: string): void {
  require(text.isWellFormed(), 'JSON Metadata not formatted in UTF8');
  const { verdict } = readSloppyJson(text);
  require(verdict !== 'malformed', 'JSON parse error');
  require(verdict !== 'incomplete', 'JSON Metadata not valid JSON');
}

export function checkMetadata(text: string): void {
  if (text !== '') checkJson(text);
}

export function checkUrl(url: string): void {
  require(byteLength(url) <= MOST_URL_BYTES, 'URL is too long');
  require(url !== '', 'URL size must be greater than 0');
  require(url.isWellFormed(), 'URL is not valid UTF8');
}

export function checkApplicationName(name: string, rules: Rules): void {
  require(byteLength(name) <= MOST_NAME_BYTES, 'Name is too long');
  require(name !== '', 'Name size must be greater than 0');
  require(name.isWellFormed(), 'Name is not valid UTF8');
  if (!rules.applicationNamesAreNarrowed) require(decodeName(name) === name, 'name of application does not come back');
}

/** The strict check of the accounts that an authority names. */
export function checkNames({ accounts }: Authority, rules: Rules): void {
  if (!rules.anyNameInAuthorities) require(accounts.every(([name]) => isStrictName(name)), 'strict name check');
}

export function checkAccountsExist(state: State, { accounts }: Authority): void {
  require(accounts.every(([name]) => state.accounts.has(name)), 'authority references non-existing account');
}

/** Refuses a promise that falls due behind the last slot of 32 bits, because it would never happen. */
export function checkDue({ interval }: Pick<Parameters, 'interval'>, time: number): void {
  const lastSlot = Math.floor((NEVER - 1) / interval) * interval;
  require(time <= lastSlot, 'due behind the end of time');
}

/** Accounts that must be there. */
export function checkKnown(state: State, ...names: readonly string[]): void {
  for (const name of names) known(state.accounts.get(name));
}
