import type { Result } from '../../../client/index.ts';
import type { Chosen } from '../router.ts';

/** An account as the node shows it. */
export type AccountRecord = Result<'alexandria_api.get_account'>['account'][number];

/** The props of every part of an account's page. */
export interface PartProps {
  readonly account: AccountRecord;
  /** The start of a list's page, or another choice within the part; '' for the usual. */
  readonly at: string;
  /** Further choices, such as the filters of the history. */
  readonly chosen: Chosen;
}
