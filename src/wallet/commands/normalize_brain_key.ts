import { text } from '../../codec/primitives.ts';
import { normalizeBrainKey } from '../../crypto/brain_key.ts';
import { command } from '../command.ts';

/** A phrase as it is used: single blanks, capitals. */
export const normalizeBrainKeyCommand = command({
  name: 'normalize_brain_key',
  doc: 'A phrase as it is used: single blanks, capitals.',
  params: { s: text },
  example: 'normalize_brain_key',
  secrets: ['s'],
  local: true,
  handler: ({ s }) => normalizeBrainKey(s),
});
