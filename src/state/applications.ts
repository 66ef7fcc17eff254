import { refusals } from '../base/refusal.ts';
import { shownJson } from '../codec/decode_error.ts';
import type { MutableRows, RowReader } from '../storage/rows.ts';
import { canonicalName, type AccountName } from '../values/account_name.ts';
import { KEPT_CHARACTERS, longName, narrowedCharacter, requireShortName } from '../values/application_name.ts';
import type { ChainState } from './chain_state.ts';
import { refuseUnknownApplication, requireRow } from './lookups.ts';
import type { ChainParameters } from './parameters.ts';
import { applications, type Application } from './tables/application.ts';

const naming = refusals({
  name_empty: {
    text: 'the name of the application is empty; give it one',
    lineage: 'Name size must be greater than 0',
  },
  name_not_utf8: { text: 'the name of the application is no valid UTF-8', lineage: 'Name is not valid UTF8' },
  name_all_zero: 'the name {given} stands for nothing but zero bytes; choose another',
  name_not_kept:
    'the {member} {given} would not come back unchanged: character {position} is {found}, and names of applications have at most {most} characters of A-Z a-z 0-9 - _, the last of them no A',
});
const describing = refusals({
  metadata_not_utf8: { text: 'the metadata is no valid UTF-8', lineage: 'JSON Metadata not formatted in UTF8' },
  price_param_undefined: {
    text: 'price_param is 0 (paid once) or 1 (paid for a time), got {given}',
    lineage: 'Undefined price param',
  },
});

/** The refusals of the checks here, for the operations that call them. */
export const applicationNameRefusals = { ...longName, ...naming.texts };
export const applicationRefusals = { ...applicationNameRefusals, ...describing.texts };

const PRICE_PARAMS = 2; // 0 permanent, 1 time-based; the lineage's third value, none, is not accepted

/**
 * Stateless: checks the name of an application in an operation. Narrowed, it would be another name, perhaps that of
 * another application.
 */
export function requireApplicationName(name: string, { rules }: ChainParameters): void {
  requireShortName(name);
  if (name === '') naming.name_empty();
  if (!name.isWellFormed()) naming.name_not_utf8();
  if (canonicalName(name) === undefined) naming.name_all_zero({ given: name });
  const narrowed = rules.application_names_narrowed ? undefined : narrowedCharacter(name);
  if (narrowed !== undefined)
    naming.name_not_kept({ member: 'name', given: shownJson(name), ...narrowed, most: KEPT_CHARACTERS });
}

/** Stateless: checks the metadata of an application, which need not be JSON. */
export function requireApplicationMetadata(metadata: string): void {
  if (!metadata.isWellFormed()) describing.metadata_not_utf8();
}

/** Stateless: checks how an application is paid for. */
export function requirePriceParam(priceParam: number): void {
  if (priceParam >= PRICE_PARAMS) describing.price_param_undefined({ given: priceParam });
}

/**
 * The name as used in the state: under the lineage several texts are one name, because only 24 bytes of base64 count
 * (chain_rules.md#application-names).
 */
export function applicationKey(name: string): AccountName {
  return canonicalName(name) ?? naming.name_all_zero({ given: name });
}

/** The application with that name. */
export function requireApplication(rows: RowReader, name: string): Application {
  const key = applicationKey(name);
  return requireRow(rows, applications, key, key);
}

/** The application with that id, which operations give as a signed integer. */
export function requireApplicationWithId(state: ChainState, id: bigint): Application {
  const found = id < 0n ? undefined : state.rows.range(applications.by_id, { from: [id], to: [id], limit: 1 })[0];
  return found ?? refuseUnknownApplication(id);
}

/** The position after the last application of an author, where a new one of theirs is listed. */
export function nextPlace(rows: MutableRows, author: AccountName): bigint {
  const [last] = rows.range(applications.by_author, { from: [author], to: [author], reverse: true, limit: 1 });
  return last === undefined ? 0n : last.author_place + 1n;
}
