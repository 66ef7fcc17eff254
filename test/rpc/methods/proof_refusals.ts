import { present } from '../../../src/base/assert.ts';
import type { Json } from '../../../src/codec/json.ts';
import type { Method } from '../../../src/rpc/method.ts';
import { sampleOperation } from '../../../src/rpc/sample_transaction.ts';
import { HEAD_COLUMN, boundaryCertificateKey, votersKey } from '../../../src/state/head_record.ts';
import { WriteBatch } from '../../../src/storage/key_value.ts';
import { MemoryStore } from '../../../src/storage/memory.ts';
import { testParameters, makeTransaction } from '../../builders/chain.ts';
import { growSide, partedParameters, witnessUpdate } from '../../builders/parted_witnesses.ts';
import { ProvingChain, signingNames } from '../../builders/proving_chain.ts';
import { NodeOfMethods, type Answer } from './node_of_methods.ts';

const rounds = partedParameters({ finality: true, genesis_time: '2026-01-01T00:00:00' });
/** Each block ends an epoch. */
const single = testParameters({
  ...{ max_witnesses: 1, max_voted_witnesses: 1, max_runner_witnesses: 0, initial_witness_req_vesting_balance: 0 },
  ...{ finality: true, genesis_time: '2026-01-01T00:00:00' },
});

/** A chain of one witness with a transfer in each block, all final but the last `open` ones. */
export function provenNode(blocks = 10, open = 0, blocksKept?: number): NodeOfMethods {
  const store = new MemoryStore();
  const proving = new ProvingChain(store, rounds, blocksKept === undefined ? {} : { blocksKept });
  for (let number = 1; number <= blocks; number++) {
    const { chain } = proving;
    chain.accept(makeTransaction(chain, rounds, [sampleOperation], ['alice']));
    growSide(chain, ['initminer'], 1);
    if (number <= blocks - open) proving.finalise(number);
  }
  return new NodeOfMethods({ ...{ parameters: rounds, store, isEmpty: true }, ...(blocksKept && { blocksKept }) });
}

/** Asks for the transfer of a block, or for the block. */
async function askProof(on: NodeOfMethods, { name, paramNames }: Method, number: number, epoch = 0): Promise<Answer> {
  const id = on.chain.block(number)?.transactions[0]?.id ?? '1'.repeat(40);
  const known: Readonly<Record<string, Json>> = {
    block_num: number,
    transaction_id: id,
    trusted_epoch: epoch,
    checkpoint_epoch: epoch,
  };
  return await on.call(name, Object.fromEntries(paramNames.map((param) => [param, known[param] ?? null])));
}

/** A chain whose only voter has another key in each epoch. */
function changingVoters(epochs: number): { readonly node: NodeOfMethods; readonly store: MemoryStore } {
  const store = new MemoryStore();
  const proving = new ProvingChain(store, single);
  let key = 'initminer';
  for (let number = 1; number <= epochs; number++) {
    const { chain } = proving;
    const next = present(signingNames[number], 'a name');
    chain.accept(
      makeTransaction(chain, single, [witnessUpdate('initminer', next), sampleOperation], ['initminer', 'alice']),
    );
    growSide(chain, ['initminer'], 1, { initminer: key });
    proving.finalise(number);
    key = next;
  }
  return { node: new NodeOfMethods({ parameters: single, store, isEmpty: true }), store };
}

function without(store: MemoryStore, ...keys: readonly Uint8Array[]): void {
  const batch = new WriteBatch();
  for (const key of keys) batch.delete(HEAD_COLUMN, key);
  store.write(batch);
}

/** Provokes the refusals of methods that prove what is final. */
export const proofRefusals = {
  not_proven_yet: (method) => askProof(provenNode(10, 10), method, 1),
  block_not_final: (method) => askProof(provenNode(10, 2), method, 9),
  epoch_not_begun: (method) => askProof(provenNode(), method, 1, 7),
  async epoch_not_kept(method) {
    const node = provenNode();
    without(node.store, votersKey(rounds.genesis.max_witnesses));
    return await askProof(node, method, 1, 1);
  },
  checkpoint_too_far: (method) => askProof(changingVoters(12).node, method, 12),
  async no_way_from_epoch(method) {
    const { node, store } = changingVoters(4);
    without(store, boundaryCertificateKey(1), boundaryCertificateKey(2));
    return await askProof(node, method, 4);
  },
  transaction_not_found: (method) => askProof(provenNode(), method, 4_000_000_000),
  pruned: (method) => askProof(provenNode(30, 0, 10), method, 3),
} satisfies Readonly<Record<string, (method: Method) => Promise<Answer>>>;
