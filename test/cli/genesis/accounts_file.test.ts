import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { readAccounts } from '../../../src/cli/genesis/accounts_file.ts';
import { readValue, shownValue } from '../../../src/cli/genesis/units.ts';
import { genesisMemberList, genesisMembers } from '../../../src/state/genesis_members.ts';
import { encoding, testKeyText } from '../../builders/chain.ts';
import { RandomSource } from '../../builders/random_source.ts';

const folder = mkdtempSync(join(tmpdir(), 'pharos-accounts-'));
const path = join(folder, 'accounts.csv');
after(() => rmSync(folder, { recursive: true }));

const key = testKeyText('anna');

function read(text: string): ReturnType<typeof readAccounts> {
  writeFileSync(path, text);
  return readAccounts(path, encoding);
}

test('a list of accounts is read with its head or without, with comments, quotes and line ends of any system', () => {
  const expected = [
    { name: 'anna', key, balance: 1_000_500_000n, isWitness: false },
    { name: 'ben', key: undefined, balance: 2_000_000n, isWitness: true },
    { name: 'initminer', key: undefined, balance: 0n, isWitness: true },
  ];
  const lines = [`anna,${key},1000.5`, 'ben,,2 COIN,witness', 'initminer,,0'];
  assert.deepEqual(read(lines.join('\n')), expected);
  assert.deepEqual(read(`\uFEFFname,key,balance,witness\r\n# founders\r\n\r\n${lines.join('\r\n')}\r\n`), expected);
  assert.deepEqual(
    read(lines.map((line) => line.replaceAll(/[^,]+/g, '"$&"').replaceAll(',', ' , ')).join('\n')),
    expected,
  );
  assert.deepEqual(read(''), []);
});

test('a line that can’t be read is named, with what was expected', () => {
  const cases: readonly (readonly [line: string, text: RegExp])[] = [
    ['anna', /name,key,balance .* expected, got 1 cells/],
    ['anna,,1,witness,more', /expected, got 5 cells/],
    [',,1', /a name expected/],
    ['a b,,1', /"a b" is no account name/],
    ['none,,1', /every chain has the account none already/],
    ['anna,PHRx,1', /a public key with a right checksum expected/],
    ['anna,5J9bWm2ThenDm3tjvmUgHtWCVMUdjRR1pxnRtnJjvKA4b2ut5WK,1', /got a private key/],
    ['anna,,-1', /a balance such as 1000 or 0\.5 expected, got "-1"/],
    ['anna,,1.0000001', /a balance such as/],
    ['anna,,1 USD', /a balance such as/],
    ['anna,,', /a balance such as/],
    ['anna,,1,maybe', /witness or nothing expected behind the balance/],
    ['ben,,5', /ben stands in line 1 already/],
  ];
  for (const [line, text] of cases) {
    assert.throws(
      () => read(`ben,,1\n\n${line}\n`),
      (error) => {
        assert.ok(error instanceof Error && error.message.startsWith(`${path}, line 3: `), String(error));
        assert.match(error.message, text);
        assert.doesNotMatch(error.message, /5J9bWm2/);
        return true;
      },
      line,
    );
  }
  assert.throws(() => readAccounts(join(folder, 'nowhere'), encoding), /cannot read .*nowhere/);
});

test('each value of a member is read back as it is shown', () => {
  const random = new RandomSource(1);
  for (const [name, { unit, range }] of genesisMemberList) {
    if (unit === 'text') continue;
    const [lowest, highest] = range ?? [0, 0xffff_fffe];
    for (let turn = 0; turn < 20; turn++) {
      const value = lowest + random.roll(highest - lowest + 1);
      const shown = shownValue(unit, unit === 'flag' ? value % 2 === 0 : value, encoding);
      const expected: unknown = unit === 'flag' ? value % 2 === 0 : unit === 'time' ? shown : value;
      assert.deepEqual(readValue(name, unit, shown), expected, `${name}: ${shown}`);
    }
  }
  for (const [name, { unit }] of genesisMemberList) {
    if (unit === 'text') continue;
    for (const typed of ['', '-1', 'many', '1e3', '١', '99999999999999999999'])
      assert.throws(
        () => readValue(name, unit, typed),
        new RegExp(`^Fault: ${name}: .* expected, got ${typed}$`),
        `${name} ${typed}`,
      );
  }
  assert.equal(readValue('total_supply', genesisMembers.total_supply.unit, '9223372036.854775'), '9223372036854775');
});
