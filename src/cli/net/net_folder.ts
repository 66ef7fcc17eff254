import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { systemClock } from '../../base/clock.ts';
import { Fault } from '../../base/fault.ts';
import { profileNamed } from '../../settings/chain_settings.ts';
import { isCount, parseMembers } from '../../system/json_members.ts';
import { onDisk } from '../../system/system_error.ts';
import { writeWholeFile } from '../../system/whole_file.ts';
import { writeKeyFile } from '../../witness/signing/signing_keys.ts';
import { newGenesis } from '../genesis/new_genesis.ts';
import { presets } from '../genesis/presets.ts';
import { freePorts } from './free_ports.ts';

/** The size of a net, which never changes. */
export interface NetSize {
  readonly nodes: number;
  readonly witnesses: number;
  readonly intervalSeconds: number;
}

/** A node of a net, as its folder has it. */
export interface NetNode {
  /** From 1 on. */
  readonly number: number;
  readonly folder: string;
  readonly port: number;
  readonly p2pPort: number;
  readonly witnesses: readonly string[];
}

/** A net of nodes below one folder of this machine. */
export interface Net extends NetSize {
  readonly folder: string;
  readonly members: readonly NetNode[];
}

const FILE = 'net.json';

/** The net of a folder; undefined where none was made, or its making was interrupted. Fault `configuration`. */
export function readNet(folder: string): Net | undefined {
  const path = join(folder, FILE);
  if (!existsSync(path)) return undefined;
  const read = parseMembers(onDisk(`cannot read ${path}`, () => readFileSync(path, 'utf8')));
  if (read?.['state'] === 'begun') return undefined;
  const { nodes, witnesses, interval_seconds: intervalSeconds, ports } = read ?? {};
  const isWhole =
    [nodes, witnesses, intervalSeconds].every(isPositive) && Array.isArray(ports) && ports.every(isPositive);
  if (!isWhole || ports.length !== 2 * Number(nodes))
    throw new Fault('configuration', `${path} is no file of pharos net; name another folder by --dir`);
  return planNet(
    resolve(folder),
    { nodes: Number(nodes), witnesses: Number(witnesses), intervalSeconds: Number(intervalSeconds) },
    ports,
  );
}

function isPositive(value: unknown): value is number {
  return isCount(value) && value > 0;
}

function planNet(folder: string, size: NetSize, ports: readonly number[]): Net {
  const names = witnessNames(size.witnesses);
  const members = Array.from({ length: size.nodes }, (_, index) => ({
    number: index + 1,
    folder: join(folder, `node${index + 1}`),
    port: ports[2 * index] ?? 0,
    p2pPort: ports[2 * index + 1] ?? 0,
    witnesses: names.filter((_name, k) => k % size.nodes === index),
  }));
  return { folder, ...size, members };
}

/** As `pharos genesis create` names them. */
function witnessNames(count: number): readonly string[] {
  return Array.from({ length: count }, (_, k) => (k === 0 ? 'initminer' : `witness${k + 1}`));
}

/** The file that holds the key of an account of the net. */
export function keyFilePath({ folder }: Pick<Net, 'folder'>, account: string): string {
  return join(folder, 'keys', `${account}.key`);
}

/** Returns the path of a node's data folder. */
export function dataDirPath({ folder }: Pick<NetNode, 'folder'>): string {
  return join(folder, 'data');
}

/** The settings of a node. */
export function settingsFilePath({ folder }: Pick<NetNode, 'folder'>): string {
  return join(folder, 'node.ini');
}

/** Makes the files of a net that is not there yet; what an interrupted making left is made anew. Fault `configuration`. */
export async function makeNet(folder: string, size: NetSize): Promise<Net> {
  requireOwn(folder);
  const net = planNet(resolve(folder), size, await freePorts(2 * size.nodes));
  const path = join(folder, FILE);
  writeWholeFile(path, `${JSON.stringify({ state: 'begun' })}\n`);
  removeParts(folder);
  const { text, keys } = newGenesis({
    profile: profileNamed('default'),
    preset: presets.development,
    name: 'net',
    witnesses: size.witnesses,
    listed: [],
    signingKey: undefined,
    changes: { block_interval: size.intervalSeconds },
    nowSeconds: Math.trunc(systemClock.nowMs() / 1000),
  });
  writeWholeFile(join(folder, 'genesis.json'), text);
  mkdirSync(join(folder, 'keys'), { mode: 0o700 });
  for (const { file, secret } of keys) await writeKeyFile(join(folder, 'keys', file), secret, undefined);
  for (const node of net.members) {
    mkdirSync(node.folder);
    writeWholeFile(settingsFilePath(node), settingsText(net, node));
  }
  const ports = net.members.flatMap(({ port, p2pPort }) => [port, p2pPort]);
  const { nodes, witnesses, intervalSeconds: interval_seconds } = size;
  writeWholeFile(path, `${JSON.stringify({ state: 'made', nodes, witnesses, interval_seconds, ports }, null, 1)}\n`);
  return net;
}

/** Nobody's files are removed: a net is made in a folder of its own. */
function requireOwn(folder: string): void {
  const strange = readdirSync(folder).find((name) => !name.startsWith('pharos-lock.json'));
  if (strange === undefined || existsSync(join(folder, FILE))) return;
  throw new Fault('configuration', `${folder} holds other files (${strange}): name an empty folder by --dir`);
}

function removeParts(folder: string): void {
  for (const name of readdirSync(folder)) {
    if (/^(?:genesis\.json|keys|node\d+)$/.test(name)) rmSync(join(folder, name), { recursive: true });
  }
}

/** Removes the net; files of others stay. */
export function removeNet({ folder }: Pick<Net, 'folder'>): void {
  onDisk(`cannot remove ${folder}`, () => {
    removeParts(folder);
    rmSync(join(folder, FILE), { force: true });
  });
}

/** Each node has all others as seeds. Blocks are made although the last one is old: the net may have been down. */
function settingsText(net: Net, node: NetNode): string {
  const others = net.members.filter(({ number }) => number !== node.number);
  return [
    `genesis-json = ${join(net.folder, 'genesis.json')}`,
    `data-dir = ${dataDirPath(node)}`,
    `webserver-http-endpoint = 127.0.0.1:${node.port}`,
    `p2p-endpoint = 127.0.0.1:${node.p2pPort}`,
    ...others.map(({ p2pPort }) => `p2p-seed-node = 127.0.0.1:${p2pPort}`),
    'enable-stale-production = true',
    ...node.witnesses.flatMap((name) => [`witness = ${name}`, `private-key-file = ${keyFilePath(net, name)}`]),
    '',
  ].join('\n');
}
