import { sha256Binary } from '../../crypto/hashes.ts';
import { replacing } from '../../codec/struct.ts';
import { witnesses, witnessRow } from '../../state/tables/witness.ts';
import { entriesOf } from '../../storage/entries.ts';
import { WriteBatch, type KeyValueStore } from '../../storage/key_value.ts';
import { decodeRow, encodeRow } from '../../storage/row_bytes.ts';
import type { StateHash } from '../../storage/state_hash.ts';
import { NULL_KEY, type PublicKey } from '../../values/public_key.ts';

const withKey = replacing(witnessRow, ['signing_key']);

/** Has each witness of a state sign with this key, but for those that have stopped: whoever forks a chain has none of their keys. */
export function giveWitnessesKey(store: KeyValueStore, signing_key: PublicKey, hash: StateHash): void {
  const batch = new WriteBatch();
  for (const { key, value } of entriesOf(store, witnesses)) {
    const witness = decodeRow(witnesses, value);
    if (witness.signing_key === NULL_KEY) continue;
    const after = encodeRow(witnesses, witness.owner, withKey(witness, { signing_key }));
    hash.subtract(sha256Binary(Buffer.concat([key, value])));
    hash.add(sha256Binary(Buffer.concat([after.key, after.value])));
    batch.put(witnesses.column, after.key, after.value);
  }
  store.write(batch, false);
}
