import assert from 'node:assert/strict';
import { test } from 'node:test';

import { AddressBook } from '../../../src/p2p/peers/address_book.ts';
import { Bans } from '../../../src/p2p/peers/bans.ts';
import { RandomSource } from '../../builders/random_source.ts';
import { makeNodeId } from '../../builders/pipes.ts';

const HOUR = 3_600_000;
const id = makeNodeId('somebody');

test('one peer fills a part of the book, and so does one owner of addresses', () => {
  const book = new AddressBook(false);
  for (let count = 0; count < 200; count++) book.hear(`${20 + (count % 60)}.${count}.1.1:9290`, id, makeNodeId('liar'));
  assert.equal(book.size, 64);
  for (let count = 0; count < 200; count++) book.hear(`9.9.${count}.1:9290`, id, makeNodeId(`liar ${count}`));
  assert.equal(book.size, 64 + 32);
});

test('what can not be reached from everywhere is not believed, but on networks of their own', () => {
  const told = ['10.0.0.1:9290', '127.0.0.1:9290', 'name.example:9290', '1.2.3.4:0', 'rubbish'];
  const [book, own] = [new AddressBook(false), new AddressBook(true)];
  for (const endpoint of told) {
    book.hear(endpoint, id, id);
    own.hear(endpoint, id, id);
  }
  assert.equal(book.size, 0);
  assert.equal(own.size, 2);
});

test('however much is heard, whom we have reached ourselves stays, and is tried first', () => {
  const book = new AddressBook(false);
  for (let count = 0; count < 100; count++)
    book.noteReached({ host: `11.${count}.1.1`, port: 1 }, makeNodeId(`peer ${count}`), 0);
  for (let count = 0; count < 3000; count++)
    book.hear(`${20 + (count % 150)}.${count % 256}.${(count >> 8) % 256}.1:9290`, id, makeNodeId(`liar ${count}`));
  assert.equal(book.size, 1000);
  assert(book.hasReached('11.50.1.1') && !book.hasReached('20.0.0.1'));
  const candidates = book.candidates(new RandomSource(1));
  assert(candidates.slice(0, 100).every(({ endpoint }) => endpoint.startsWith('11.')));
  book.noteFailed({ host: '11.50.1.1', port: 1 });
  assert(book.hasReached('11.50.1.1'));
});

test('whoever owns two wide groups and answers at thousands of addresses crowds out nobody, and is not who is tried first', () => {
  const book = new AddressBook(false);
  for (let count = 0; count < 30; count++)
    book.noteReached({ host: `${30 + count}.1.1.1`, port: 1 }, makeNodeId(`peer ${count}`), 0);
  for (let count = 0; count < 4000; count++)
    book.noteReached(
      { host: `9.${count % 2}.${count % 250}.${count % 249}`, port: 1 + (count % 7) },
      makeNodeId(`liar ${count}`),
      1000 + count,
    );
  const isLiar = ({ endpoint }: { readonly endpoint: string }): boolean => endpoint.startsWith('9.');
  assert.equal(book.entries().filter(isLiar).length, 128);
  assert.equal(book.entries().filter((entry) => !isLiar(entry)).length, 30);
  for (let seed = 1; seed <= 20; seed++)
    assert(book.candidates(new RandomSource(seed)).slice(0, 8).filter(isLiar).length <= 2);
});

test('only what was reached in the last day is told', () => {
  const book = new AddressBook(false);
  book.noteReached({ host: '11.1.1.1', port: 1 }, id, 0);
  book.noteReached({ host: '11.2.1.1', port: 1 }, id, 20 * HOUR);
  book.hear('11.3.1.1:1', id, id);
  assert.deepEqual(
    book.told(64, 25 * HOUR, new RandomSource(1)).map(({ endpoint, seen_hours }) => [endpoint, seen_hours]),
    [['11.2.1.1:1', 5]],
  );
});

test('a kept book is read again', () => {
  const book = new AddressBook(false);
  book.noteReached({ host: '11.1.1.1', port: 1 }, id, 5);
  book.hear('11.3.1.1:1', id, id);
  assert.deepEqual([...new AddressBook(false, book.entries()).entries()], [...book.entries()]);
});

test('a ban lasts an hour, twice as long each time, a day at most, and is forgiven a day later', () => {
  const bans = new Bans();
  bans.add('x', 0);
  assert(bans.has('x', HOUR - 1) && !bans.has('x', HOUR));
  bans.add('x', HOUR);
  assert(bans.has('x', 3 * HOUR - 1) && !bans.has('x', 3 * HOUR));
  for (let time = 0; time < 10; time++) bans.add('x', 4 * HOUR);
  assert(bans.has('x', 28 * HOUR - 1) && !bans.has('x', 28 * HOUR));
  bans.add('x', 53 * HOUR);
  assert(!bans.has('x', 54 * HOUR));
  const kept = new Bans(bans.list(53 * HOUR));
  assert(kept.has('x', 54 * HOUR - 1));
  assert(kept.remove('x') && !kept.has('x', 53 * HOUR));
});

test('bans are bounded, and those that end first are forgotten', () => {
  const bans = new Bans();
  for (let time = 0; time < 5; time++) bans.add('worst', 0);
  for (let count = 0; count < 10_000; count++) bans.add(`id ${count}`, 0);
  assert.equal(bans.list(0).length, 4096);
  assert(bans.has('worst', HOUR + 1));
});
