import { base64Data, textOfData } from '../../values/base64_data.ts';
import { command } from '../command.ts';
import { knownChainSymbols } from '../wallet.ts';

/** The text of a base64. */
export const decodeFromBase64Command = command({
  name: 'decode_from_base64',
  doc: 'The text of a base64.',
  params: { data: base64Data },
  example: 'decode_from_base64 aGVsbG8=',
  local: true,
  handler: ({ data }, wallet) => textOfData(data, knownChainSymbols(wallet)),
});
