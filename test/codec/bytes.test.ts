import assert from 'node:assert/strict';
import { test } from 'node:test';

import { ByteWriter } from '../../src/codec/bytes.ts';

const writes: Readonly<Record<string, { readonly write: (out: ByteWriter) => void; readonly hex: string }>> = {
  u8: { write: (out) => out.u8(0xab), hex: 'ab' },
  u16: { write: (out) => out.u16(0xabcd), hex: 'cdab' },
  u32: { write: (out) => out.u32(0x12345678), hex: '78563412' },
  i64: { write: (out) => out.i64(-2n), hex: 'feffffffffffffff' },
  u64: { write: (out) => out.u64(1n), hex: '0100000000000000' },
  varint: { write: (out) => out.varint(300), hex: 'ac02' },
  bytes: { write: (out) => out.bytes(Uint8Array.of(1, 2, 3)), hex: '010203' },
  hex: { write: (out) => out.hex('c0ffee'), hex: 'c0ffee' },
  latin1: { write: (out) => out.latin1('aé'), hex: '61e9' },
  text: { write: (out) => out.text('aé'), hex: '0361c3a9' },
  'text that is no UTF-8': { write: (out) => out.text('a\udcff'), hex: '0261ff' },
};

for (const [name, { write, hex }] of Object.entries(writes)) {
  test(`${name} comes out whole wherever the writer has to grow`, () => {
    for (let capacity = 1; capacity <= 16; capacity++) {
      const out = new ByteWriter(capacity);
      for (let count = 0; count < 20; count++) write(out);
      assert.equal(Buffer.from(out.finish()).toString('hex'), hex.repeat(20), `capacity ${capacity}`);
    }
  });
}
