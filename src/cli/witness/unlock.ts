import { Command } from 'commander';
import { Fault } from '../../base/fault.ts';
import { publicKeyText } from '../../values/public_key.ts';
import { askYes } from '../../wallet/ask_yes.ts';
import { unlockKeys } from '../../witness/signing/signing_journal_unlock.ts';
import { readJournal } from '../../witness/signing/signing_journal_lines.ts';
import { journalPath, lockedBlocks } from './journal.ts';
import { journalFlags, type JournalFlags } from './journal_flags.ts';

interface Flags extends JournalFlags {
  readonly yes: boolean;
}

/** `pharos witness unlock`: keys that another machine was seen to sign with may sign here again. */
export function unlockCommand(): Command {
  return journalFlags(new Command('unlock').description('let locked keys sign again, once no other machine has them'))
    .option('--yes', 'the other machine is stopped for good', false)
    .action(async (flags: Flags) => {
      const signingJournal = journalPath(flags.signingJournal);
      const journal = readJournal(signingJournal);
      const locked = lockedBlocks(journal);
      if (locked.length === 0 && journal.damagedLine !== undefined)
        throw new Fault(
          'damaged_data',
          `${signingJournal} is damaged in line ${journal.damagedLine}, or no signing journal: nothing in it says whether a key is locked; name the one of the node with --signing-journal`,
        );
      if (locked.length === 0) process.stdout.write('no key is locked\n');
      else await unlock(locked, { ...flags, signingJournal });
    });
}

async function unlock(locked: ReturnType<typeof lockedBlocks>, flags: Flags): Promise<void> {
  const keys = locked.map(({ key }) => publicKeyText(key, flags.keyPrefix)).join(', ');
  process.stdout.write(`locked, because another machine was seen to sign with it: ${keys}\n`);
  const isSure =
    flags.yes ||
    (process.stdin.isTTY && (await askYes('Is the other machine stopped for good?', process.stdin, process.stdout)));
  if (!isSure) throw new Fault('configuration', 'nothing was unlocked: stop the other machine, and say so with --yes');
  unlockKeys(flags.signingJournal, locked);
  process.stdout.write(
    'unlocked; a node that runs makes blocks again after a round without blocks of another machine, and votes as with a lost journal (see pharos witness status); start one that has ended\n',
  );
}
