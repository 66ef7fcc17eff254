import { readFileSync } from 'node:fs';
import { Fault } from '../../../base/fault.ts';
import type { OptionValues } from '../../../settings/options.ts';
import { requireOwnersOnly } from '../../../system/owners_only.ts';
import { readSigningKeys } from '../../../witness/signing/signing_keys.ts';
import type { Check } from '../check.ts';
import { look, ok, wrong, type Finding } from '../finding.ts';

/**
 * Checks that files with secrets exist, are readable by their owner alone, and open without a person at the terminal.
 */
export const keys: Check = async ({ values }) => {
  const { 'private-key-file': signing = [], 'private-key-password-file': password, 'p2p-key-file': network } = values;
  const others = [password, network].filter((path) => path !== undefined);
  const signingFindings = await Promise.all(
    signing.map(async (path) => exposed(path) ?? (await unreadable(path, password))),
  );
  const bad = [...others.map(exposed), ...signingFindings].filter((finding) => finding !== undefined);
  const methods = values['private-key-methods'] === 'always' ? [OPEN_METHODS] : [];
  const files = [...signing, ...others];
  if (bad.length + methods.length > 0) return [...bad, ...methods];
  return [
    ok(files.length === 0 ? 'no files with keys are named' : `${files.join(', ')}: only their owner may read them`),
  ];
};

const OPEN_METHODS = look(
  'private-key-methods is always: whoever reaches the node may send it private keys, which travel as they are',
  'say local, or never behind a proxy',
);

function exposed(path: string): Finding | undefined {
  try {
    requireOwnersOnly(path);
    return undefined;
  } catch (error) {
    return wrong(
      errorSentence(error),
      'whoever has read a signing key can sign with it: consider pharos witness rotate-key',
    );
  }
}

async function unreadable(
  path: string,
  passwordFile: OptionValues['private-key-password-file'],
): Promise<Finding | undefined> {
  try {
    // It would be asked for here, too.
    if (passwordFile === undefined && readFileSync(path, 'utf8').trimStart().startsWith('{'))
      return look(
        `${path} is encrypted, and nothing names its password: it is asked for at the terminal`,
        'where no terminal is, as in a unit, name it by private-key-password-file',
      );
    await readSigningKeys([path], passwordFile);
    return undefined;
  } catch (error) {
    return wrong(errorSentence(error), 'a node with these settings does not start');
  }
}

/** Of what an operator can mend. */
function errorSentence(error: unknown): string {
  if (error instanceof Fault || (error instanceof Error && 'syscall' in error)) return error.message;
  throw error;
}
