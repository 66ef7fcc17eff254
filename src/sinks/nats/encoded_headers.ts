import type { MsgHdrs } from '@nats-io/transport-node';

/** Headers as a message has them on the way: as an object of the library they cost more than the rest of a message. The values are plain text. */
export async function headerEncoder(): Promise<(headers: readonly (readonly [string, string])[]) => MsgHdrs> {
  const { MsgHdrsImpl } = await import('@nats-io/transport-node');
  class EncodedHeaders extends MsgHdrsImpl {
    text = '';

    override encode(): Uint8Array {
      return Buffer.from(this.text, 'latin1');
    }
  }
  // They are encoded before `publish` returns.
  const shared = new EncodedHeaders();
  return (headers) => {
    let text = 'NATS/1.0\r\n';
    for (const [name, value] of headers) text += `${name}: ${value}\r\n`;
    shared.text = `${text}\r\n`;
    return shared;
  };
}
