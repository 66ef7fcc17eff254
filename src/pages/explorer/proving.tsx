import {
  verifiedClient,
  type VerifiedBlock,
  type VerifiedClient,
  type VerifiedTransaction,
} from '../../client/verified.ts';
import type { Operation, Result } from '../../client/index.ts';

// Loaded when somebody has given a checkpoint.

let made: { readonly checkpoint: string; readonly client: VerifiedClient } | undefined;

/** The client that proves from this checkpoint on; what it has come to trust is kept while the page is open. */
function makeVerifiedClient(checkpoint: string): VerifiedClient {
  if (made?.checkpoint !== checkpoint) {
    made?.client.close();
    const url = new URL('.', location.href.replace(/#.*$/, '')).href;
    made = { checkpoint, client: verifiedClient({ checkpoint, nodes: [url] }) };
  }
  return made.client;
}

type Shown = Result<'alexandria_api.get_transaction'>['tx'];

/** The proof of a transaction that is shown. Throws the reason where there is none, or where it says something else. */
export async function proofOfTransaction(checkpoint: string, id: string, shown: Shown): Promise<VerifiedTransaction> {
  const proven = await makeVerifiedClient(checkpoint).transaction(id);
  const isSame =
    shown.block_num === proven.block_num &&
    shown.expiration === proven.expiration &&
    operationsText(shown.operations) === operationsText(proven.operations);
  return isSame ? proven : differs();
}

type ShownHeader = NonNullable<Result<'block_api.get_block_header'>> & {
  /** Undefined if no id is shown. */
  readonly id: string | undefined;
};

/** The proof of a block whose header is shown. */
export async function proofOfBlock(checkpoint: string, number: number, shown: ShownHeader): Promise<VerifiedBlock> {
  const proven = await makeVerifiedClient(checkpoint).block(number);
  const members = ['previous', 'timestamp', 'witness', 'transaction_merkle_root'] as const;
  const isSame = members.every((member) => shown[member] === proven[member]);
  return isSame && (shown.id === undefined || shown.id === proven.id) ? proven : differs();
}

function differs(): never {
  throw new Error('the node shows something else than what it proves');
}

/** The same text for the same operations, in whatever order their members stand. */
function operationsText(operations: readonly Operation[]): string {
  return JSON.stringify(operations, (_, value: unknown) => {
    if (typeof value === 'bigint') return `${value}n`;
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
    return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
  });
}
