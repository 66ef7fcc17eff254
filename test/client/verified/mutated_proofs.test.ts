import assert from 'node:assert/strict';
import { isDeepStrictEqual } from 'node:util';
import { test } from 'node:test';
import { present } from '../../../src/base/assert.ts';
import { Fault } from '../../../src/base/fault.ts';
import { Refusal } from '../../../src/base/refusal.ts';
import type { VerifySignature } from '../../../src/blocks/finality/certificate.ts';
import { parseCheckpoint } from '../../../src/values/checkpoint.ts';
import { finalityProof, transactionProof } from '../../../src/blocks/finality/finality_proof.ts';
import { provenTransaction } from '../../../src/blocks/finality/proven.ts';
import { checkpointTrust, type TrustChecks } from '../../../src/blocks/finality/trust.ts';
import { isVoteSigned } from '../../../src/blocks/finality/vote_signature.ts';
import { neutralEncoding } from '../../../src/codec/encoding_options.ts';
import type { Json } from '../../../src/codec/json.ts';
import { readJsonText } from '../../../src/codec/json_reader.ts';
import { writeJson } from '../../../src/codec/json_writer.ts';
import { formSize } from '../../builders/forms.ts';
import { RandomSource } from '../../builders/random_source.ts';
import { EPOCH_BLOCKS } from './certified_chain.ts';
import { TRUSTED, makeWorlds, type Members } from './lies.ts';

const MUTATIONS = formSize('PHAROS_TEST_MUTATIONS', { short: 1500, long: 100_000 });
const now = Math.trunc(Date.now() / 1000);
const { honest } = makeWorlds(now);
/** Changed proofs share most of their signatures. */
const verified = new Map<string, boolean>();
const verify: VerifySignature = (digest, signature, key) => {
  const name = `${Buffer.from(digest).toString('hex')}${signature}${key}`;
  const isRight = verified.get(name) ?? isVoteSigned(digest, signature, key);
  verified.set(name, isRight);
  return isRight;
};
const checks: TrustChecks = { verify, nowSeconds: now, isVerified: () => false };
const checkpoint = present(parseCheckpoint(honest.checkpoint(TRUSTED)), 'a checkpoint');
const trust = checkpointTrust(checkpoint, honest.chain, EPOCH_BLOCKS);
/** In a block with five transactions, so that its branch has three steps. */
const { id } = present(honest.block(71).transactions[2], 'a transaction');

/** Proofs of one transaction: by the newest certificate, and by one with a step before it. */
function validProofs(): string[] {
  const direct = present(honest.transactionProof(id, TRUSTED), 'a proof');
  const known = honest.getVoters(TRUSTED).keys;
  const stepped = honest.makeProof(71, TRUSTED, [honest.shown(60, known), honest.shown(80, honest.getVoters(14).keys)]);
  return [direct, { ...direct, finality: stepped }].map((proof) =>
    writeJson(transactionProof.toJson(proof, neutralEncoding)),
  );
}

/** True when a text proves the transaction. Whatever is thrown must be a refusal. */
function isTaken(text: string): boolean {
  try {
    provenTransaction(trust, id, transactionProof.fromJson(readJsonText(text), neutralEncoding), checks);
    return true;
  } catch (error) {
    if (error instanceof Refusal || error instanceof Fault) return false;
    throw error;
  }
}

const DIGITS = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/="{}[],:'];

/** The text with a character, or a few, left out, put in, repeated or exchanged. */
function changedText(random: RandomSource, text: string): string {
  const at = random.roll(text.length);
  const length = 1 + random.roll(random.pick([1, 1, 4, 60]));
  const kind = random.roll(4);
  if (kind === 0) return text.slice(0, at) + text.slice(at + length);
  if (kind === 1) return text.slice(0, at + length) + text.slice(at);
  if (kind === 2) return text.slice(0, at) + random.pick(DIGITS) + text.slice(at);
  return text.slice(0, at) + random.pick(DIGITS) + text.slice(at + 1);
}

/** The text with bits or bytes of one of its base64 texts changed. */
function changedBytes(random: RandomSource, text: string): string {
  const texts = [...text.matchAll(/"([A-Za-z0-9+/]{8,}={0,2})"/g)];
  const found = random.pick(texts);
  const bytes = Buffer.from(found[1] ?? '', 'base64');
  const at = random.roll(bytes.length);
  if (random.chance(50)) bytes[at] = (bytes[at] ?? 0) ^ (1 << random.roll(8));
  else bytes.copy(bytes, at, random.roll(bytes.length), bytes.length);
  return (
    text.slice(0, found.index + 1) + bytes.toString('base64') + text.slice(found.index + 1 + (found[1] ?? '').length)
  );
}

/** The text with a member left out, doubled, or in the place of another one. */
function changedMembers(random: RandomSource, text: string): string {
  const proof = getMembers(readJsonText(text));
  const isWhole = random.chance(30);
  const own = isWhole ? proof : getMembers(proof['finality'] ?? null);
  const [name, other] = [random.pick(Object.keys(own)), random.pick(Object.keys(own))];
  const { [name]: value = null, ...rest } = own;
  const list = random.chance(50) && Array.isArray(value) ? [...value, ...value] : null;
  const changed = random.chance(30) ? rest : { ...own, [name]: list ?? own[other] ?? null };
  return writeJson(isWhole ? changed : { ...proof, finality: changed });
}

function getMembers(json: Json): Members {
  return typeof json === 'object' && json !== null && !Array.isArray(json) ? json : {};
}

test('no changed proof proves anything', () => {
  const random = new RandomSource(51);
  const valid = validProofs();
  for (const text of valid) assert.ok(isTaken(text));
  const read = valid.map((text) => readJsonText(text));
  const saysTheSame = (text: string): boolean => read.some((json) => isDeepStrictEqual(readJsonText(text), json));
  for (let run = 0; run < MUTATIONS; run++) {
    const change = random.pick([changedText, changedBytes, changedBytes, changedMembers]);
    const changed = change(random, random.pick(valid));
    if (isTaken(changed) && !saysTheSame(changed)) assert.fail(`run ${run} by ${change.name}: ${changed}`);
  }
});

test('a proof comes back from its JSON', () => {
  for (const text of validProofs()) {
    const { finality } = transactionProof.fromJson(readJsonText(text), neutralEncoding);
    const json = finalityProof.toJson(finality, neutralEncoding);
    assert.deepEqual(finalityProof.fromJson(readJsonText(writeJson(json)), neutralEncoding), finality);
  }
});
