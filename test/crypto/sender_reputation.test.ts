import assert from 'node:assert/strict';
import { test } from 'node:test';
import { QUARANTINED, SenderReputation, TRUSTED, UNKNOWN } from '../../src/crypto/sender_reputation.ts';

function noteMany(reputation: SenderReputation, senderId: number, count: number): void {
  for (let i = 0; i < count; i++) reputation.note(senderId, true);
}

test('a sender is a newcomer until 1024 right items, then trusted', () => {
  const reputation = new SenderReputation();
  assert.equal(reputation.senderGroup(1), UNKNOWN);
  noteMany(reputation, 1, 1023);
  assert.equal(reputation.senderGroup(1), UNKNOWN);
  noteMany(reputation, 1, 1);
  assert.equal(reputation.senderGroup(1), TRUSTED);
  assert.equal(reputation.senderGroup(2), UNKNOWN);
});

test('one wrong item puts a sender into quarantine, whatever it was, until 256 right ones make it a newcomer', () => {
  const reputation = new SenderReputation();
  noteMany(reputation, 1, 2000);
  reputation.note(1, false);
  assert.equal(reputation.senderGroup(1), QUARANTINED);
  noteMany(reputation, 1, 255);
  assert.equal(reputation.senderGroup(1), QUARANTINED);
  noteMany(reputation, 1, 1);
  assert.equal(reputation.senderGroup(1), UNKNOWN);
});

test('the senderId not heard of for the longest time is forgotten first', () => {
  const reputation = new SenderReputation(2);
  reputation.note(1, false);
  reputation.note(2, false);
  reputation.note(1, false);
  reputation.note(3, false);
  assert.deepEqual(
    [1, 2, 3].map((senderId) => reputation.senderGroup(senderId)),
    [QUARANTINED, UNKNOWN, QUARANTINED],
  );
});
