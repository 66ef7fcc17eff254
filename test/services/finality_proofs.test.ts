import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import type { Json } from '../../src/codec/json.ts';
import { provenChain } from '../builders/proving_chain.ts';
import { EPOCH_BLOCKS, INTERVAL } from '../client/verified/certified_chain.ts';
import { lies, TRUSTED, makeWorlds, type Lie } from '../client/verified/lies.ts';
import { LyingNode } from '../client/verified/lying_node.ts';
import { project, succeed, temporaryFolder } from './commands.ts';

// Proofs as their page describes them, verified by a program that has nothing of ours: the Debian package python3.

const now = Math.trunc(Date.now() / 1000);
const worlds = makeWorlds(now);
const honest = new LyingNode(worlds);

/** A case of finality_proof.py. */
type Case = Readonly<Record<string, Json>>;

/** The number of each block that is proven, or the reason why none is. */
async function verdicts(cases: readonly Case[]): Promise<readonly (number | string)[]> {
  const file = join(temporaryFolder(), 'cases.json');
  writeFileSync(file, JSON.stringify(cases));
  const script = join(project, 'test', 'services', 'finality_proof.py');
  return JSON.parse(await succeed('python3', [script, file], { folder: temporaryFolder() }));
}

/** The proof of the newest transaction, or of a block, to a client that trusts an epoch. */
function proofCase(node: LyingNode, trusted: number, number?: number): Case {
  const params = number === undefined ? { transaction_id: node.transaction } : { block_num: number };
  const method = number === undefined ? 'get_transaction_proof' : 'get_finality_proof';
  const told = node.answer('block_api.get_finality', {});
  const proof = node.answer(`block_api.${method}`, { ...params, trusted_epoch: trusted });
  return {
    ...{ chain_id: '', epoch_blocks: EPOCH_BLOCKS, ...caseMembers(told) },
    ...{ ...params, checkpoint: node.checkpoint, now, interval: INTERVAL, proof: proof ?? null },
  };
}

function caseMembers(json: Json | undefined): Case {
  return typeof json === 'object' && json !== null && !Array.isArray(json) ? json : {};
}

const toldCase = (lie: Lie): Case => {
  const node = new LyingNode(worlds, lie);
  const number = lie.transaction === undefined ? (lie.final ?? worlds[lie.world ?? 'honest'].newest) : undefined;
  return proofCase(node, lie.trusted ?? TRUSTED, number);
};

/** The case with another byte at a place of one of the proof's texts. */
function mutated(of: Case, member: string, place: number): Case {
  const proof = caseMembers(of['proof']);
  const bytes = Buffer.from(String(proof[member]), 'base64');
  const at = Math.trunc(place * bytes.length);
  bytes[at] = (bytes[at] ?? 0) ^ 4;
  return { ...of, proof: { ...proof, [member]: bytes.toString('base64') } };
}

test('a program in Python proves blocks and transactions of 51 voters by the page alone, across epochs', async () => {
  const { newest } = worlds.honest;
  const numbers = [1, 2, 17, 40, newest - 1, newest];
  const cases = [...numbers.map((number) => proofCase(honest, TRUSTED, number)), proofCase(honest, TRUSTED)];
  assert.deepEqual(await verdicts(cases), [...numbers, newest]);
});

test('it proves the blocks of a chain by the answers of its node', async () => {
  const proving = provenChain(40);
  const { chain_id, epoch_blocks, checkpoint, final_block_num } = await proving.state();
  const trusted_epoch = Number(checkpoint.split(':')[0]) / epoch_blocks;
  const numbers = [1, 8, 33, final_block_num];
  const { now: at, intervalSeconds: interval } = proving.trust(trusted_epoch);
  const cases: Case[] = [];
  for (const block_num of numbers) {
    const proof = await proving.ask<Case>('get_finality_proof', { block_num, trusted_epoch });
    cases.push({ chain_id, epoch_blocks, checkpoint, now: at, interval, block_num, proof });
  }
  assert.deepEqual(await verdicts(cases), numbers);
});

test('it refuses every lie about a proof, and every changed byte; withheld news are no false proof', async () => {
  const changes = ['header', 'path', 'certificate', 'voters'].flatMap((member) =>
    [0, 0.1, 0.3, 0.5, 0.7, 0.99].map((place) => ({ member, place })),
  );
  const whole = proofCase(honest, TRUSTED, worlds.honest.newest);
  const cases = [...lies.map(toldCase), ...changes.map(({ member, place }) => mutated(whole, member, place))];
  const names = [...lies.map(({ name }) => name), ...changes.map(({ member, place }) => `${member} at ${place}`)];
  const taken = (await verdicts(cases)).flatMap((verdict, at) => (typeof verdict === 'number' ? [names[at]] : []));
  assert.deepEqual(taken, ['withheld news']);
});
