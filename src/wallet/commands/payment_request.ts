import { text } from '../../codec/primitives.ts';
import { asset, assetText } from '../../values/asset.ts';
import { command } from '../command.ts';
import { chainName } from '../params.ts';
import { showQrCode } from '../show/qr_code.ts';
import { chainSymbols } from '../wallet.ts';

/** A payment request as a text and a QR code. */
export const paymentRequestCommand = command({
  name: 'payment_request',
  doc: 'A request to pay an account, as a text in the manner of BIP 21 and as a QR code: coin:alice?amount=…&memo=…',
  params: { to: chainName, amount: asset, memo: text },
  example: 'payment_request alice "1 COIN" "order 17"',
  show: showQrCode,
  handler: async ({ to, amount, memo }, wallet) => {
    const { coinName: word } = await chainSymbols(wallet);
    const about = memo === '' ? '' : `&memo=${encodeURIComponent(memo)}`;
    return { text: `${word}:${to}?amount=${encodeURIComponent(assetText(amount))}${about}` };
  },
});
