import type { Clock } from '../base/clock.ts';
import { Fault } from '../base/fault.ts';
import { verifiedClient } from '../client/verified.ts';
import type { WaitFor } from '../rpc/wait_for.ts';
import { profiles } from '../values/profile.ts';
import { parseAsset } from '../values/asset.ts';
import { commands } from './commands/index.ts';
import { KeyStore } from './key_store.ts';
import { Node } from './node.ts';
import { Proofs } from './proofs.ts';
import { Session } from './session.ts';

/** The options that the wallet is started with, as strings from the command line. */
export interface WalletOptions {
  readonly walletFile: string;
  /** Says that systemd has given a file to this process alone, whatever its mode. */
  readonly isCredential?: ((path: string) => boolean) | undefined;
  /** URL of the node; '' means the one in the wallet file, or `usualServer`. */
  readonly server: string;
  /** The node where neither names one. */
  readonly usualServer?: string | undefined;
  /** Works without a node. */
  readonly offline: boolean;
  readonly chainId: string;
  readonly profile: string;
  readonly maxFee: string;
  readonly feeSymbol: string;
  readonly trustTime: boolean;
  readonly yes: boolean;
  readonly expirationSeconds: number;
  /** `block` unless said; `final` with a checkpoint. */
  readonly waitFor?: WaitFor | undefined;
  /** The checkpoint that proves the node's answers; '' for none. */
  readonly checkpoint?: string;
  /** Other nodes, which are asked whether other voters are right. */
  readonly verifyWith?: readonly string[];
  readonly lockAfterMinutes: number;
  readonly clock: Clock;
  readonly onIdleLock: () => void;
}

/** `pharos dev` and `pharos run` listen here. */
export const USUAL_SERVER = 'ws://127.0.0.1:9193';
const MS_PER_MINUTE = 60_000;

/** Opens a wallet. Throws Fault for an unreadable wallet file or an invalid option. */
export function openWallet(options: WalletOptions): Session {
  const { clock, offline, lockAfterMinutes, expirationSeconds } = options;
  const fallbackSymbols =
    profiles[options.profile] ??
    fail(`profile: ${Object.keys(profiles).join(' or ')} expected, got ${options.profile}`);
  const chainId = options.chainId === '' ? undefined : options.chainId;
  if (chainId !== undefined && !/^[0-9a-f]{64}$/.test(chainId)) fail('chain-id: 64 hex digits expected');
  const maxFee =
    parseAsset(`${options.maxFee} ANY`)?.amount ?? fail(`max-fee: an amount expected, got ${options.maxFee}`);
  const keys = new KeyStore({
    path: options.walletFile,
    isCredential: options.isCredential,
    clock,
    lockAfterMs: lockAfterMinutes * MS_PER_MINUTE,
    onIdleLock: options.onIdleLock,
  });
  const server = offline ? '' : options.server || keys.server || (options.usualServer ?? USUAL_SERVER);
  const { feeSymbol, trustTime: trustsTime, yes: agrees, checkpoint = '', verifyWith = [] } = options;
  const waitFor = options.waitFor ?? (checkpoint === '' ? 'block' : 'final');
  const nodes = [server, ...verifyWith];
  const proofs = checkpoint === '' || server === '' ? undefined : new Proofs(verifiedClient({ checkpoint, nodes }));
  const lifetime = { expirationSeconds: expirationSeconds === 0 ? undefined : expirationSeconds };
  const settings = { ...lifetime, waitFor, maxFee, feeSymbol, trustsTime, agrees, chainId, fallbackSymbols };
  return new Session({ keys, node: new Node(server, clock, proofs), clock, settings, commands }, commands);
}

function fail(message: string): never {
  throw new Fault('configuration', message);
}
