import { writeJson } from '../../codec/json_writer.ts';
import type { EncodingOptions } from '../../codec/encoding_options.ts';
import { u64 } from '../../codec/primitives.ts';
import { sha256Hex } from '../../crypto/hashes.ts';
import { copyRecipients } from '../../state/document_copies.ts';
import { documentRecord, makeDocumentRecord } from '../records/document.ts';
import type { CustomContent } from '../../state/tables/custom_content.ts';

/** A message as text. The parts as long as the message are made once, however many of its recipients are followed. */
export class MessageText {
  readonly message: CustomContent;
  #fingerprint: string | undefined;
  #behindId: string | undefined;

  constructor(message: CustomContent) {
    this.message = message;
  }

  /** Identifies the same document on another branch, where its id and its time may differ. */
  get fingerprint(): string {
    const { sender, app_id, payload, binary } = this.message;
    this.#fingerprint ??= sha256Hex(
      Buffer.from(writeJson([sender, copyRecipients(this.message), app_id, payload, binary])),
    );
    return this.#fingerprint;
  }

  /** The text of a copy in a notice, with its number: as written by the codec numberedDocument. */
  pair(number: bigint, place: number, encoding: EncodingOptions): string {
    this.#behindId ??= textBehindId(this.message, encoding);
    const [numberText, idText] = [number, this.message.id + BigInt(place)].map((value) =>
      writeJson(u64.toJson(value, encoding)),
    );
    return `[${numberText},{"id":${idText}${this.#behindId}]`;
  }
}

/** The id is the first member of a document, and the only one in which the copies of a message differ. */
function textBehindId(message: CustomContent, encoding: EncodingOptions): string {
  const text = writeJson(documentRecord.toJson(makeDocumentRecord(message, 0), encoding));
  return text.slice(text.indexOf(','));
}
