import assert from 'node:assert/strict';
import { test } from 'node:test';
import { viewLink, parseRoute } from '../../../src/pages/explorer/router.ts';

test('a link leads to what it was made for, whatever the name', () => {
  for (const of of ['alice', 'a/b?c#d', '<b>', 'ä €', '100%', '']) {
    assert.deepEqual(parseRoute(viewLink('account', of, of === '' ? '' : 'history', 20)), {
      ...{ view: 'account', of, part: of === '' ? '' : 'history', at: '20', chosen: {} },
    });
  }
  assert.equal(viewLink('block', 5), '#/block/5');
  assert.equal(viewLink('overview'), '#/overview');
});

test('no fragment is the overview, and what nobody understands is said to be missing', () => {
  for (const fragment of ['', '#', '#/', '#/overview']) assert.equal(parseRoute(fragment).view, 'overview', fragment);
  for (const fragment of ['#/nothing', '#/constructor', '#/account/a/b/c/d', '#//'])
    assert.equal(parseRoute(fragment).view, 'missing', fragment);
});

test('choices stand in the address beside the start of the page, without those that are empty', () => {
  const chosen = { kind: 'transfer', partner: 'a&b=c', least: '' };
  const link = viewLink('account', 'alice', 'history', 7, chosen);
  assert.equal(link, '#/account/alice/history?at=7&kind=transfer&partner=a%26b%3Dc');
  assert.deepEqual(parseRoute(link), {
    ...{ view: 'account', of: 'alice', part: 'history', at: '7' },
    chosen: { kind: 'transfer', partner: 'a&b=c' },
  });
});

test('an escape that is none stands for itself', () => {
  assert.equal(parseRoute('#/search/100%').of, '100%');
});
