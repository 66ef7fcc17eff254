import type { ForeignBlock, SigningJournal, SigningRecord } from '../../src/witness/signing_journal.ts';

/** A signing journal that a test keeps, copies and loses. */
export class MemoryJournal implements SigningJournal {
  records: SigningRecord[];
  locks: ForeignBlock[] = [];
  isDamaged = false;

  constructor(records: readonly SigningRecord[] = []) {
    this.records = [...records];
  }

  lastSlot(chain: string, key: string): number | undefined {
    return this.records.findLast((record) => record.chain === chain && record.key === key)?.slot;
  }

  signedDigest(chain: string, key: string, slot: number): string | undefined {
    return this.records.findLast((record) => record.chain === chain && record.key === key && record.slot === slot)
      ?.digest;
  }

  foreignLock(chain: string, key: string): ForeignBlock | undefined {
    return this.locks.find((foreign) => foreign.chain === chain && foreign.key === key);
  }

  record(record: SigningRecord): void {
    this.records.push(record);
  }

  lock(foreign: ForeignBlock): void {
    this.locks.push(foreign);
  }

  close(): void {
    // It has no file.
  }
}
