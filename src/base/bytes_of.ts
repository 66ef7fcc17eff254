declare const content: unique symbol;

/** Bytes that an encoder has made of a value of that type; only the compiler knows the difference. */
export interface BytesOf<Value> extends Uint8Array<ArrayBuffer> {
  readonly [content]?: Value;
}
