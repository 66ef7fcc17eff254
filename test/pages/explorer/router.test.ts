import assert from 'node:assert/strict';
import { test } from 'node:test';
import { linkTo, routeOf } from '../../../src/pages/explorer/router.ts';

test('a link leads to what it was made for, whatever the name', () => {
  for (const of of ['alice', 'a/b?c#d', '<b>', 'ä €', '100%', '']) {
    assert.deepEqual(routeOf(linkTo('account', of, of === '' ? '' : 'history', 20)), {
      ...{ view: 'account', of, part: of === '' ? '' : 'history', at: '20' },
    });
  }
  assert.equal(linkTo('block', 5), '#/block/5');
  assert.equal(linkTo('overview'), '#/overview');
});

test('no fragment is the overview, and what nobody understands is said to be missing', () => {
  for (const fragment of ['', '#', '#/', '#/overview']) assert.equal(routeOf(fragment).view, 'overview', fragment);
  for (const fragment of ['#/nothing', '#/constructor', '#/account/a/b/c/d', '#//'])
    assert.equal(routeOf(fragment).view, 'missing', fragment);
});

test('an escape that is none stands for itself', () => {
  assert.equal(routeOf('#/search/100%').of, '100%');
});
