import { text } from '../../codec/primitives.ts';
import { command } from '../command.ts';
import { qrCode, qrCodeRefusals } from '../qr_code.ts';
import { showQrCode } from '../show/qr_code.ts';

/** A QR code of a text. */
export const qrCodeCommand = command({
  name: 'qr_code',
  doc: 'A QR code of a public key or any other text of at most 180 bytes; as JSON its rows, 1 for dark.',
  params: { text },
  example: 'qr_code PHR7zsqi7QUAjTAdyynd6DVe8uv4K8gCTRHnAoMN9w9CA1xLCTDVv',
  local: true,
  show: showQrCode,
  refuses: qrCodeRefusals,
  handler: ({ text: said }) => ({
    text: said,
    rows: qrCode(said).map((row) => row.map((dark) => (dark ? '1' : '0')).join('')),
  }),
});
