import assert from 'node:assert/strict';
import { test } from 'node:test';

import { present } from '../../../src/base/assert.ts';
import { AddressBook } from '../../../src/p2p/peers/address_book.ts';
import { Bans } from '../../../src/p2p/peers/bans.ts';
import { encodeFrame } from '../../../src/wire/link/frame.ts';
import { messageNumber } from '../../../src/wire/messages/index.ts';
import { hello } from '../../../src/wire/messages/hello.ts';
import { standbySwitch } from '../../../src/wire/messages/standby_switch.ts';
import { Network } from '../../../src/p2p/network.ts';
import type { PipeListener } from '../../../src/wire/link/pipe.ts';
import { HandClock } from '../../builders/hand_clock.ts';
import { packedSwitch, switchTerms } from '../../builders/key_switch.ts';
import { networkSettings } from '../../builders/network_settings.ts';
import { HandPipe, makeNodeId } from '../../builders/pipes.ts';
import { CHAIN_ID, madeUpId, PROFILE, quietWorld, StillChain } from '../../builders/still_chain.ts';

const SWITCH = packedSwitch(CHAIN_ID, switchTerms('bob', 'carol', 1_700_000_000), 'bob');

interface Guest {
  readonly pipe: HandPipe;
  says(number: number, bytes: Uint8Array): void;
  /** Bytes of the switches that it was sent since this was last asked. */
  given(): string[];
}

class Host {
  readonly clock = new HandClock(3_000_000);
  readonly taken: string[] = [];
  readonly bans = new Bans();
  readonly network: Network;

  constructor(isStandby = true) {
    const standby = { standbySwitch: (from: string): void => void this.taken.push(from) };
    this.network = new Network(
      { ...quietWorld(this.clock, new StillChain(900)), ...(isStandby ? standby : {}) },
      {
        settings: networkSettings(),
        book: new AddressBook(false),
        bans: this.bans,
        anchors: [],
        checkpoint: 0,
        syncRate: 1,
      },
    );
  }

  /** Somebody has connected and says hello. */
  guest(name: string, head = 900): Guest {
    const pipe = new HandPipe(makeNodeId(name), true, { host: `93.184.${name.length}.${name.charCodeAt(0)}`, port: 1 });
    const place = present(
      this.network.admit(pipe.address.host, () => undefined),
      'a place',
    );
    const listener: PipeListener = present(this.network.accept(pipe, place), 'a listener');
    pipe.listener = listener;
    const says = (number: number, bytes: Uint8Array): void => listener.received(encodeFrame(number, 0, bytes, false));
    says(messageNumber(hello), greeting(head));
    return { pipe, says, given: () => readSwitches(pipe.take()) };
  }
}

function greeting(head: number): Uint8Array {
  const status = {
    head_number: head,
    head_id: madeUpId(head),
    irreversible_number: 890,
    irreversible_id: madeUpId(890),
  };
  const chain = { chain_id: CHAIN_ID, profile: PROFILE };
  return hello.encode({
    protocol: 1,
    ...chain,
    agent: 'them',
    endpoints: [],
    roles: 0,
    oldest_block: 1,
    status,
    clock_ms: 0n,
  });
}

function readSwitches(sent: Uint8Array): string[] {
  const all = Buffer.from(sent);
  const found: string[] = [];
  for (let at = 0; at < all.length; at += 6 + all.readUInt32LE(at))
    if (all[at + 4] === messageNumber(standbySwitch))
      found.push(all.toString('hex', at + 6, at + 6 + all.readUInt32LE(at)));
  return found;
}

test('a switch goes to the node that the operator has named, each time that it comes, and to nobody else', () => {
  const host = new Host();
  const [standby, other] = [host.guest('standby'), host.guest('other')];
  host.network.standbySwitches.hand(makeNodeId('standby'), SWITCH);
  host.network.standbySwitches.hand(makeNodeId('later'), SWITCH);
  assert.deepEqual(standby.given(), [Buffer.from(SWITCH).toString('hex')]);
  assert.deepEqual(other.given(), []);
  assert.deepEqual(host.guest('later').given(), [Buffer.from(SWITCH).toString('hex')]);
  assert.deepEqual(host.guest('stranger').given(), []);
});

test('a standby takes four switches of a peer at once, then one a minute; anything else by that number is malformed', () => {
  const host = new Host();
  const giver = host.guest('giver');
  const give = (): void => giver.says(messageNumber(standbySwitch), standbySwitch.encode(SWITCH));
  for (let times = 0; times < 9; times++) give();
  assert.equal(host.taken.length, 4);
  host.clock.pass(61_000);
  give();
  assert.deepEqual(
    host.taken,
    Array.from({ length: 5 }, () => makeNodeId('giver')),
  );
  host.guest('liar').says(messageNumber(standbySwitch), Buffer.from('anything else'));
  assert.equal(host.bans.has(makeNodeId('liar'), host.clock.nowMs()), true);
  assert.equal(host.bans.has(makeNodeId('giver'), host.clock.nowMs()), false);
});

test('a node that stands by for nobody wants no switches, and lets go who sends them again and again', () => {
  const host = new Host(false);
  const giver = host.guest('giver');
  for (let times = 0; times < 6; times++) giver.says(messageNumber(standbySwitch), standbySwitch.encode(SWITCH));
  assert.deepEqual([host.taken, giver.pipe.isClosed], [[], true]);
});

test('peers are in step whose head is ours, or at most two blocks from it on our branch', () => {
  const host = new Host();
  for (const [name, head] of Object.entries({ same: 900, near: 898, far: 897, ahead: 902, beyond: 903 }))
    host.guest(name, head);
  assert.deepEqual(new Set(host.network.standing.inStep), new Set(['same', 'near', 'ahead'].map(makeNodeId)));
});
