import { catchRefusal } from '../../src/base/refusal.ts';
import type { VerifiedBlock } from '../../src/blocks/block.ts';
import type { VerifiedTransaction } from '../../src/blocks/transaction.ts';
import type { Json } from '../../src/codec/json.ts';
import { testKeyText } from '../../test/builders/chain.ts';
import { forgedBlock } from '../../test/builders/forged_block.ts';
import {
  accountUpdate,
  authorityJson,
  ForkedChains,
  KINDS_OF_CHAINS,
  STAFF,
} from '../../test/builders/forked_chains.ts';
import { copyBlock, THERE, witnessUpdate } from '../../test/builders/parted_witnesses.ts';
import type { Times } from './cost.ts';

/** A block of a branch that is dear to judge and to keep, by the operations that fill it. */
export interface SideBlockKind {
  readonly what: string;
  /** The operations of one transaction, and who signs it. */
  readonly transaction: (number: number) => { readonly operations: readonly Json[]; readonly signer: string };
}

/** As large as four of them that once took a writer 1.0 to 4.3 s. */
const BLOCK_BYTES = 214 * 1024;
const KEYS_OF_TRANSACTION = 200; // of 33 bytes, in a transaction of 8 KiB
const UPDATES_OF_TRANSACTION = 60;
const SCHEDULED = 'bob';

const makeKeys = (number: number): readonly string[] =>
  Array.from({ length: KEYS_OF_TRANSACTION }, (_, k) => `${number % 30} ${k}`);

function updates(owner: string, number: number): Json[] {
  return Array.from({ length: UPDATES_OF_TRANSACTION }, (_, k) => witnessUpdate(owner, `${number % 30} ${k}`));
}

function switches(number: number): Json[] {
  return Array.from({ length: UPDATES_OF_TRANSACTION }, (_, k): Json => {
    const props = { key: testKeyText(SCHEDULED), new_signing_key: testKeyText(`${number % 30} ${k}`) };
    return ['witness_set_properties', { fee: '0.000000 COIN', owner: SCHEDULED, props, extensions: [] }];
  });
}

export const sideBlocks: readonly SideBlockKind[] = [
  {
    what: 'account_update, 200 keys in each, of a scheduled witness',
    transaction: (number) => ({
      operations: [accountUpdate(SCHEDULED, { active: authorityJson(makeKeys(number)) })],
      signer: SCHEDULED,
    }),
  },
  {
    what: 'account_update, 200 keys in each, of strangers',
    transaction(number) {
      const stranger = STAFF[number % STAFF.length] ?? 'erin';
      return { operations: [accountUpdate(stranger, { active: authorityJson(makeKeys(number)) })], signer: stranger };
    },
  },
  {
    what: 'witness_update, 60 in each transaction, of a scheduled witness',
    transaction: (number) => ({ operations: updates(SCHEDULED, number), signer: SCHEDULED }),
  },
  {
    what: 'witness_update, 60 in each transaction, of a stranger',
    transaction: (number) => ({ operations: updates('erin', number), signer: 'erin' }),
  },
  {
    what: 'witness_set_properties, 60 in each transaction',
    transaction: (number) => ({ operations: switches(number), signer: SCHEDULED }),
  },
];

/** CPU-ms of the last of four such blocks on one branch, at its cheapest of several times. */
export function sideBlockMs(
  kind: SideBlockKind,
  { least, most, enough, plain }: Times,
): { readonly ms: number; readonly bytes: number } {
  const chains = new ForkedChains(KINDS_OF_CHAINS[0], BLOCK_BYTES + 2048);
  chains.growA(8);
  const transactions = filling(chains, kind);
  let best = { ms: Infinity, bytes: 0 };
  for (let time = 0; time < least || (time < most && best.ms > enough * plain.ms); time++) {
    plain.takeTurn();
    let previous: VerifiedBlock | undefined;
    for (let place = 0; place < 4; place++) {
      const block = copyBlock(chains.parameters, nextBlock(chains, previous, transactions, time));
      const ms = measureCpuMs(() => {
        chains.here.judge(block);
        chains.here.push(block, 'a peer');
      });
      if (place === 3 && ms < best.ms) best = { ms, bytes: block.packed.length };
      previous = block;
    }
  }
  return best;
}

function filling(chains: ForkedChains, { transaction }: SideBlockKind): VerifiedTransaction[] {
  const all: VerifiedTransaction[] = [];
  for (let bytes = 0, number = 0; ; number++) {
    const { operations, signer } = transaction(number);
    const made = chains.transaction(operations, signer);
    bytes += made.packed.length;
    if (bytes > BLOCK_BYTES) return all;
    all.push(made);
  }
}

/**
 * The block of the next slot that is one of the second side's; of another slot each time, so that it is another block.
 */
function nextBlock(
  chains: ForkedChains,
  before: VerifiedBlock | undefined,
  transactions: VerifiedTransaction[],
  time: number,
): VerifiedBlock {
  const { here, there } = chains;
  const from = before?.header.timestamp ?? there.head.time + 12 * time;
  for (let slot = 1; slot < 100; slot++) {
    for (const witness of THERE) {
      const header = { previous: before?.id ?? there.head.id, timestamp: from + 3 * slot, witness };
      const block = forgedBlock(there, { header });
      if (catchRefusal(() => here.judge(block)) === undefined) return forgedBlock(there, { header, transactions });
    }
  }
  throw new RangeError('no slot of the second side');
}

function measureCpuMs(run: () => void): number {
  const before = process.cpuUsage();
  run();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}
