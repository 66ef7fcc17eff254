import { Fault } from '../base/fault.ts';
import type { PackedBlock } from '../blocks/block.ts';
import type { Certificate } from '../blocks/finality/certificate.ts';
import { boundaryCertificates } from '../chain/ledger/boundary_certificates.ts';
import { lastSettled } from '../state/last_irreversible.ts';
import { oldestBlock } from '../state/stored_blocks.ts';
import type { KeyValueReader } from '../storage/key_value.ts';
import { View } from '../storage/view.ts';
import { readStoredBlock } from '../data_folder/verify/stored_block.ts';
import type { BlockSource } from './block_source.ts';

const CACHED_ROWS = 1;

/** The blocks of a stopped folder. The register of tables must have been loaded. */
export class FolderSource implements BlockSource {
  readonly name: string;
  readonly final: number;
  readonly #rows: View;
  readonly #store: KeyValueReader;

  constructor(folder: string, store: KeyValueReader) {
    this.name = folder;
    this.#store = store;
    this.#rows = new View(store, CACHED_ROWS);
    this.final = lastSettled(this.#rows);
  }

  *blocks(first: number, last: number): Generator<PackedBlock> {
    const oldest = oldestBlock(this.#rows);
    if (first < oldest)
      throw new Fault(
        'configuration',
        `${this.name} keeps no block below ${oldest} (blocks-kept): begin there with --from ${oldest}, or take a folder that has all`,
      );
    for (let number = first; number <= last; number++) {
      const stored = readStoredBlock(this.#rows, number, number > oldest);
      if (typeof stored === 'string') throw this.#damaged(stored);
      const { id, block } = stored;
      if (block.id !== id || block.number !== number)
        throw this.#damaged(`block ${number} has id ${block.id}, its row says ${id}`);
      yield block;
    }
  }

  certificates(first: number, last: number): readonly Certificate[] {
    return boundaryCertificates(this.#store, first, last);
  }

  #damaged(what: string): Fault {
    return new Fault('damaged_data', `${this.name} is damaged: ${what}; pharos verify finds the rest`);
  }
}
