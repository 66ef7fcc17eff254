import type { Result } from '../../../client/index.ts';

/** An account as the node shows it. */
export type AccountRecord = Result<'alexandria_api.get_account'>['account'][number];

/** What every part of an account's page is handed. */
export interface PartProps {
  readonly account: AccountRecord;
  /** Where a page of a list begins, or what else is chosen in the part; '' for the usual. */
  readonly at: string;
}
