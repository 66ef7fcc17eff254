// Signs slot after slot with a journal, in a process whose disk fails, and says which: on standard output, so that
// nothing is lost.
import { writeSync } from 'node:fs';
import { SigningJournalFile } from '../../src/witness/signing/signing_journal_file.ts';

const [path = '', count = '0'] = process.argv.slice(2);
const journal = new SigningJournalFile(path);
for (let slot = 1; slot <= Number(count); slot++) {
  journal.record({
    ...{ chain: 'ab'.repeat(32), key: `02${'cd'.repeat(32)}`, slot },
    ...{ digest: slot.toString(16).padStart(64, '0'), id: '34'.repeat(20), previous: '56'.repeat(20) },
  });
  writeSync(1, `${slot}\n`);
}
