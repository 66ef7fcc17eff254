import { present } from '../../base/assert.ts';
import type { MessageForm } from '../message_kind.ts';
import { alive } from './alive.ts';
import { ancestor } from './ancestor.ts';
import { ancestorRequest } from './ancestor_request.ts';
import { block } from './block.ts';
import { blockAnnouncement } from './block_announcement.ts';
import { blockRequest } from './block_request.ts';
import { bundle } from './bundle.ts';
import { bundleAnnouncement } from './bundle_announcement.ts';
import { bundleRequest } from './bundle_request.ts';
import { certificate } from './certificate.ts';
import { certificateAnnouncement } from './certificate_announcement.ts';
import { compactBlock } from './compact_block.ts';
import { consumed } from './consumed.ts';
import { finality } from './finality.ts';
import { finalityRequest } from './finality_request.ts';
import { genesis } from './genesis.ts';
import { genesisRequest } from './genesis_request.ts';
import { goodbye } from './goodbye.ts';
import { hello } from './hello.ts';
import { missing } from './missing.ts';
import { missingRequest } from './missing_request.ts';
import { peers } from './peers.ts';
import { peersRequest } from './peers_request.ts';
import { ping } from './ping.ts';
import { pong } from './pong.ts';
import { range } from './range.ts';
import { rangeRequest } from './range_request.ts';
import { standbySwitch } from './standby_switch.ts';
import { stateHash } from './state_hash.ts';
import { status } from './status.ts';
import { unavailable } from './unavailable.ts';
import { votes } from './votes.ts';

/**
 * The protocol on one page. A number is for ever, and kinds that a node doesn't know are skipped.
 */
export const messageKinds: Readonly<Record<number, MessageForm>> = {
  0: hello,
  1: status,
  2: goodbye,
  3: ping,
  4: pong,
  5: blockAnnouncement,
  6: compactBlock,
  7: blockRequest,
  8: missingRequest,
  9: missing,
  10: block,
  11: bundleAnnouncement,
  12: bundleRequest,
  13: bundle,
  14: ancestorRequest,
  15: ancestor,
  16: rangeRequest,
  17: range,
  18: peersRequest,
  19: peers,
  20: alive,
  21: unavailable,
  22: consumed,
  23: standbySwitch,
  24: stateHash,
  25: genesisRequest,
  26: genesis,
  27: votes,
  28: certificate,
  29: finalityRequest,
  30: finality,
  31: certificateAnnouncement,
};

const numbers = new Map<MessageForm, number>(
  Object.entries(messageKinds).map(([number, kind]) => [kind, Number(number)]),
);

/** The number of a kind. */
export function messageNumber(kind: MessageForm): number {
  return present(numbers.get(kind), `the number of ${kind.name}`);
}
