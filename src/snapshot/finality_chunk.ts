import { Fault } from '../base/fault.ts';
import { catchRefusal } from '../base/refusal.ts';
import { FinalityRecords, finalityBeginning, type FinalityBeginning } from '../chain/ledger/finality_records.ts';
import { ByteReader, ByteWriter } from '../codec/bytes.ts';
import type { ChainParameters } from '../state/parameters.ts';
import type { KeyValueReader } from '../storage/key_value.ts';
import { sealChunk } from './snapshot_digests.ts';
import type { SnapshotChunk } from './snapshot_schema.ts';

/** Stands in the place of a table's name. A program that knows no finality refuses it as a table that there is not. */
export const FINALITY = 'finality';

const MEMBER = 'beginning';

/** The last block of a state, and the first that comes with it. */
interface FinalityScope {
  readonly head: number;
  readonly oldest: number;
  readonly parameters: ChainParameters;
}

/**
 * Makes the chunk that a chain can't compute from the snapshot's rows: the range of all earlier headers, and the voters
 * of the running epoch.
 */
export function finalityChunk(reader: KeyValueReader, { head, oldest, parameters }: FinalityScope): SnapshotChunk {
  const out = new ByteWriter();
  finalityBeginning.write(out, new FinalityRecords(reader, parameters).beginningAt(oldest, head));
  const columns = [
    { member: MEMBER, form: 'cells', lengths: Buffer.alloc(0), cells: Buffer.from(out.finish()) },
  ] as const;
  return { seal: sealChunk(FINALITY, 1, columns), columns };
}

/** Reads that chunk. Fault `damaged_data` when it says something else. */
export function readFinality({ columns }: SnapshotChunk): FinalityBeginning {
  const [column] = columns;
  let found: FinalityBeginning | undefined;
  const refusal = catchRefusal(() => {
    if (column === undefined) return;
    const input = new ByteReader(column.cells);
    const read = finalityBeginning.read(input);
    input.expectEnd();
    found = read;
  });
  if (found === undefined || columns.length !== 1 || column?.member !== MEMBER)
    throw new Fault('damaged_data', 'what it says of finality is damaged', refusal);
  return found;
}
