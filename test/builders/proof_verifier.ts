import { createHash, createPublicKey, verify, type KeyObject } from 'node:crypto';

/*
 * A verifier of proofs that shares no code with the node: written from the rules of finality, with the cryptography of
 * the runtime.
 */

/** A client's trust, and the time. */
export interface Trust {
  readonly chainId: string;
  readonly epoch: number;
  /** The digest of the epoch's voters. */
  readonly voters: string;
  /** When it became trusted, and now, in seconds since 1970. */
  readonly since: number;
  readonly now: number;
  readonly intervalSeconds: number;
}

/** A proof as a node answers it. */
export interface ProofJson {
  readonly header: string;
  readonly path: string;
  readonly certificate: string;
  readonly voters: string;
  readonly trusted?: { readonly kept: string; readonly others: string };
  readonly steps: readonly { readonly certificate: string; readonly voters: string }[];
}

/** The facts that a valid proof shows. */
export interface ProvenHeader {
  readonly number: number;
  readonly header: Buffer;
  readonly merkleRoot: string;
  /** Of the last certificate: what the client trusts from now on. */
  readonly epoch: number;
  readonly voters: string;
  /** Signatures that were verified. */
  readonly signatures: number;
}

const LONGEST_TRUST_SECONDS = 30 * 86_400;
const ZERO_DIGEST = '0'.repeat(64);

/** The signatures that were verified before: mutated proofs share most of them. */
const verified = new Map<string, boolean>();
const keyObjects = new Map<string, KeyObject>();

/** Throws with the reason why a proof proves nothing. */
export function verifyProof(proof: ProofJson, trust: Trust): ProvenHeader {
  requireMembers(proof, ['header', 'path', 'certificate', 'voters', 'trusted', 'steps']);
  for (const step of proof.steps) requireMembers(step, ['certificate', 'voters']);
  const all = [...proof.steps, proof].map(({ certificate, voters }) => ({
    certificate: parseCertificate(certificate),
    keys: splitKeys(voters),
  }));
  const last = all.at(-1);
  const [first] = all;
  if (first === undefined || last === undefined) throw new Error('no certificate');
  const header = hexBytes(proof.header);
  const number = header.readUInt32BE(0) + 1;
  requireInRange(last.certificate, number, sha256(header), hexBytes(proof.path));
  requireRising(all.map(({ certificate }) => certificate));
  for (const { certificate, keys } of all) requireForm(certificate, keys, trust);
  const signatures = requireTrusted(all, trustedKeys(first, proof.trusted, trust), trust);
  return {
    ...{ number, header, merkleRoot: readMerkleRoot(header), signatures },
    epoch: last.certificate.epoch,
    voters: last.certificate.voters,
  };
}

/** A proof of a transaction as a node answers it. */
export interface TransactionProofJson {
  readonly transaction: string;
  readonly branch: string;
  readonly finality: ProofJson;
}

/** Throws with the reason why a proof of a transaction proves nothing; returns the packed transaction. */
export function verifyTransactionProof(proof: TransactionProofJson, trust: Trust): Buffer {
  requireMembers(proof, ['transaction', 'branch', 'finality']);
  const transaction = hexBytes(proof.transaction);
  verifyBranch(transaction, proof.branch, verifyProof(proof.finality, trust).merkleRoot);
  return transaction;
}

/** Throws unless a transaction with this branch is in the block with that header. */
function verifyBranch(transaction: Buffer, branch: string, merkleRoot: string): void {
  if (transaction.length === 64) throw new Error('a transaction of 64 bytes may be a node of the tree');
  const bytes = hexBytes(branch);
  if (bytes.length % 33 !== 0) throw new Error('a branch of another length');
  let node = sha256(transaction);
  for (let at = 0; at < bytes.length; at += 33) {
    const beside = bytes.subarray(at + 1, at + 33);
    if ((bytes[at] ?? 2) > 1) throw new Error('a side that is none');
    node = sha256(bytes[at] === 1 ? beside : node, bytes[at] === 1 ? node : beside);
  }
  if (createHash('ripemd160').update(node).digest('hex') !== merkleRoot) throw new Error('another merkle root');
}

interface ReadCertificate {
  readonly epoch: number;
  readonly voters: string;
  readonly view: number;
  readonly kind: number;
  readonly block: string;
  readonly root: string;
  readonly nextVoters: string;
  readonly subject: Buffer;
  readonly signatures: readonly { readonly voter: number; readonly rs: Buffer }[];
}

interface Signed {
  readonly certificate: ReadCertificate;
  readonly keys: readonly string[];
}

const SUBJECT_BYTES = 157;

function parseCertificate(text: string): ReadCertificate {
  const bytes = hexBytes(text);
  const subject = bytes.subarray(0, SUBJECT_BYTES);
  const count = bytes.readUInt8(SUBJECT_BYTES);
  const bitmap = bytes.subarray(SUBJECT_BYTES + 1, SUBJECT_BYTES + 1 + count);
  if (bitmap.length !== count || bitmap.at(-1) === 0) throw new Error('a bitmap of another form');
  const voters = Array.from({ length: 8 * count }, (_, at) => at).filter(
    (at) => ((bitmap[at >> 3] ?? 0) & (1 << (at & 7))) !== 0,
  );
  const rest = bytes.subarray(SUBJECT_BYTES + 1 + count);
  if (rest.length !== 65 * voters.length) throw new Error('signatures of another length');
  const signatures = voters.map((voter, at) => {
    if (rest[65 * at] !== 31) throw new Error('a header byte that is not 31');
    return { voter, rs: rest.subarray(65 * at + 1, 65 * at + 65) };
  });
  return {
    epoch: subject.readUInt32LE(0),
    voters: subject.toString('hex', 4, 36),
    view: subject.readUInt32LE(36),
    kind: subject.readUInt8(40),
    block: subject.toString('hex', 41, 61),
    root: subject.toString('hex', 93, 125),
    nextVoters: subject.toString('hex', 125, 157),
    ...{ subject, signatures },
  };
}

function splitKeys(text: string): readonly string[] {
  const bytes = hexBytes(text);
  if (bytes.length % 33 !== 0) throw new Error('keys of another length');
  return Array.from({ length: bytes.length / 33 }, (_, at) => bytes.toString('hex', 33 * at, 33 * (at + 1)));
}

function requireRising(certificates: readonly ReadCertificate[]): void {
  certificates.forEach(({ epoch, nextVoters }, at) => {
    const before = certificates[at - 1];
    if (before !== undefined && before.epoch >= epoch) throw new Error('epochs that do not rise');
    if (at < certificates.length - 1 && nextVoters === ZERO_DIGEST) throw new Error('a step that ends no epoch');
  });
}

function requireForm(certificate: ReadCertificate, keys: readonly string[], trust: Trust): void {
  const { chainId, now, intervalSeconds } = trust;
  if (certificate.kind !== 2) throw new Error('not of commits');
  if (certificate.view * intervalSeconds > now) throw new Error('of the future');
  if (votersDigest(chainId, certificate.epoch, keys) !== certificate.voters)
    throw new Error('other voters were signed');
  const quorum = Math.floor((2 * keys.length) / 3) + 1;
  if (certificate.signatures.length < quorum) throw new Error('too few signatures');
  if (certificate.signatures.some(({ voter }) => voter >= keys.length)) throw new Error('a voter that there is not');
}

/** Fails for keys that are not strictly ascending: then one would count twice. */
function votersDigest(chainId: string, epoch: number, keys: readonly string[]): string {
  keys.forEach((key, at) => {
    if (at > 0 && (keys[at - 1] ?? '') >= key) throw new Error('keys that do not ascend');
    if (!/^0[23]/.test(key)) throw new Error('a key that is none');
  });
  const count = Buffer.alloc(5);
  count.writeUInt32LE(epoch);
  count.writeUInt8(keys.length, 4);
  return sha256(
    Buffer.from('pharos voters'),
    Buffer.from(chainId, 'hex'),
    count,
    Buffer.from(keys.join(''), 'hex'),
  ).toString('hex');
}

/** The keys of the trusted epoch, which are not sent twice. */
function trustedKeys(
  first: Signed,
  changed: ProofJson['trusted'],
  { chainId, epoch, voters }: Trust,
): readonly string[] {
  if (first.certificate.epoch === epoch) {
    if (changed !== undefined) throw new Error('the trusted voters are told twice');
    if (first.certificate.voters !== voters) throw new Error('other voters than the trusted ones');
    return first.keys;
  }
  if (changed === undefined) throw new Error('the trusted voters are not told');
  requireMembers(changed, ['kept', 'others']);
  const kept = hexBytes(changed.kept);
  if (kept.length !== Math.ceil(first.keys.length / 8)) throw new Error('a bitmap of another length');
  for (let at = first.keys.length; at < 8 * kept.length; at++)
    if (((kept[at >> 3] ?? 0) & (1 << (at & 7))) !== 0) throw new Error('a bit for no key');
  const others = splitKeys(changed.others);
  if (others.some((key, at) => at > 0 && (others[at - 1] ?? '') >= key)) throw new Error('keys that do not ascend');
  const keys = [...first.keys.filter((_, at) => ((kept[at >> 3] ?? 0) & (1 << (at & 7))) !== 0), ...others].toSorted();
  if (votersDigest(chainId, epoch, keys) !== voters) throw new Error('other voters than the trusted ones');
  return keys;
}

/** Each certificate by voters that the client can trust by then; the number of signatures that were verified. */
function requireTrusted(all: readonly Signed[], keys: readonly string[], trust: Trust): number {
  let trusted = { epoch: trust.epoch, keys, since: trust.since, named: ZERO_DIGEST };
  let count = 0;
  for (const signed of all) {
    const { certificate } = signed;
    requireSignatures(signed, trust.chainId);
    count += certificate.signatures.length;
    const signers = new Set(certificate.signatures.map(({ voter }) => signed.keys[voter]));
    const common = trusted.keys.filter((key) => signers.has(key)).length;
    const isYoung = trust.now - trusted.since < LONGEST_TRUST_SECONDS;
    const isTrusted =
      certificate.epoch === trusted.epoch ||
      certificate.voters === trusted.named ||
      (isYoung && 3 * common > trusted.keys.length) ||
      common >= Math.floor((2 * trusted.keys.length) / 3) + 1;
    if (certificate.epoch < trusted.epoch) throw new Error('of an earlier epoch');
    if (!isTrusted) throw new Error('voters whom nobody trusted has named');
    trusted = {
      ...{ epoch: certificate.epoch, keys: signed.keys, named: certificate.nextVoters },
      since: certificate.view * trust.intervalSeconds,
    };
  }
  return count;
}

function requireSignatures({ certificate, keys }: Signed, chainId: string): void {
  const message = Buffer.concat([Buffer.from('pharos vote'), Buffer.from(chainId, 'hex'), certificate.subject]);
  const prefix = sha256(message).toString('hex');
  for (const { voter, rs } of certificate.signatures) {
    const key = keys[voter] ?? '';
    const name = `${prefix}${key}${rs.toString('hex')}`;
    // Of sha512 the algorithm takes as many bits as the curve has: the first half.
    const isRight =
      verified.get(name) ?? verify('sha512', message, { key: keyObject(key), dsaEncoding: 'ieee-p1363' }, rs);
    verified.set(name, isRight);
    if (!isRight) throw new Error('a forged signature');
  }
}

/** Stands before a compressed point of the curve secp256k1 in the usual form of a key (SPKI). */
const BEFORE_POINT = Buffer.from('3036301006072a8648ce3d020106052b8104000a032200', 'hex');

function keyObject(key: string): KeyObject {
  const known = keyObjects.get(key);
  if (known !== undefined) return known;
  const made = createPublicKey({
    key: Buffer.concat([BEFORE_POINT, Buffer.from(key, 'hex')]),
    ...{ format: 'der', type: 'spki' },
  });
  keyObjects.set(key, made);
  return made;
}

/** The header's block is one of the range whose root was signed. */
function requireInRange(certificate: ReadCertificate, number: number, header: Buffer, path: Buffer): void {
  const count = Number.parseInt(certificate.block.slice(0, 8), 16);
  if (computeRangeRoot(number, count, header, path) !== certificate.root) throw new Error('another root');
}

/** The root of a range of blocks in which a path leads from the sha256 of a header to the top. */
export function computeRangeRoot(number: number, count: number, header: Buffer, path: Buffer): string {
  if (number < 1 || number > count) throw new Error('a block above the certificate');
  if (path.length % 32 !== 0) throw new Error('a path of another length');
  const beside = Array.from({ length: path.length / 32 }, (_, at) => path.subarray(32 * at, 32 * (at + 1)));
  const take = (): Buffer => beside.shift() ?? fail('a path that is too short');
  // Mountains stand as the binary digits of the count do, the highest over the oldest blocks.
  let [before, mountains, height] = [0, 0, 31];
  for (; ; height--) {
    if (Math.floor(count / 2 ** height) % 2 === 0) continue;
    if (number <= before + 2 ** height) break;
    before += 2 ** height;
    mountains++;
  }
  let node = sha256(Buffer.of(0), header);
  for (let [at, index] = [0, number - 1]; at < height; at++, index = Math.floor(index / 2))
    node = index % 2 === 0 ? sha256(Buffer.of(1), node, take()) : sha256(Buffer.of(1), take(), node);
  if (before + 2 ** height < count) node = sha256(Buffer.of(2), node, take());
  for (; mountains > 0; mountains--) node = sha256(Buffer.of(2), take(), node);
  const counted = Buffer.alloc(5, 3);
  counted.writeUInt32LE(count, 1);
  if (beside.length > 0) throw new Error('a path that is too long');
  return sha256(counted, node).toString('hex');
}

/** Behind the id before, the time and the witness. */
function readMerkleRoot(header: Buffer): string {
  const name = header.readUInt8(24);
  return header.toString('hex', 25 + name, 45 + name);
}

function requireMembers(value: object, known: readonly string[]): void {
  const strange = Object.keys(value).find((member) => !known.includes(member));
  if (strange !== undefined) throw new Error(`a member ${strange}`);
}

function hexBytes(text: string): Buffer {
  const bytes = Buffer.from(text, 'base64');
  if (bytes.toString('base64') !== text) throw new Error('not the only base64 of its bytes');
  return bytes;
}

function sha256(...parts: readonly Buffer[]): Buffer {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(part);
  return hash.digest();
}

function fail(reason: string): never {
  throw new Error(reason);
}
