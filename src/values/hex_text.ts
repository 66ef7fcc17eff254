/**
 * The JSON form of a text whose bytes are no valid UTF-8. It stands alone, because the declarations of pharos-client
 * take it without codecs.
 */
export interface HexText {
  readonly hex: string;
}
