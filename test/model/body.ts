import type { Json } from '../../src/codec/json.ts';
import { parsePublicKey } from '../../src/values/public_key.ts';
import type { Asset, Authority, Price } from './values.ts';

type JsonObject = { readonly [member: string]: Json };

/** Reads the members of an operation's body from its JSON, under the names of the lineage. */
export class Body {
  readonly #json: JsonObject;
  readonly #keyPrefix: string;

  constructor(json: Json, keyPrefix: string) {
    this.#json = readObject(json);
    this.#keyPrefix = keyPrefix;
  }

  has(member: string): boolean {
    return (this.#json[member] ?? null) !== null;
  }

  text(member: string): string {
    return readText(this.#json[member]);
  }

  texts(member: string): string[] {
    return readList(this.#json[member]).map(readText);
  }

  flag(member: string): boolean {
    return this.#json[member] === true;
  }

  integer(member: string): bigint {
    return BigInt(String(this.#json[member]));
  }

  number(member: string): number {
    return Number(this.integer(member));
  }

  time(member: string): number {
    return Date.parse(`${this.text(member)}Z`) / 1000;
  }

  asset(member: string): Asset {
    return readAsset(this.#json[member]);
  }

  price(member: string): Price {
    return readPrice(this.#json[member]);
  }

  key(member: string): string {
    return this.#keyOf(this.#json[member]);
  }

  authority(member: string): Authority {
    const { weight_threshold, account_auths, key_auths } = readObject(this.#json[member]);
    return {
      threshold: Number(weight_threshold),
      accounts: readPairs(account_auths).map(([name, weight]) => [readText(name), Number(weight)]),
      keys: readPairs(key_auths).map(([key, weight]) => [this.#keyOf(key), Number(weight)]),
    };
  }

  /** A member that is a body itself. */
  inner(member: string): Body {
    return new Body(this.#json[member] ?? {}, this.#keyPrefix);
  }

  /** Prices by symbol. */
  prices(member: string): (readonly [symbol: string, price: Price])[] {
    return readPairs(this.#json[member]).map(([symbol, price]) => [readText(symbol), readPrice(price)]);
  }

  /** Packed values by name. */
  packed(member: string): (readonly [name: string, hex: string])[] {
    return readPairs(this.#json[member]).map(([name, hex]) => [readText(name), readText(hex)]);
  }

  #keyOf(json: Json | undefined): string {
    return parsePublicKey(readText(json), this.#keyPrefix) ?? wrong(json);
  }
}

const SYMBOL_AT = 1;

function readAsset(json: Json | undefined): Asset {
  const parts = readText(json).split(' ');
  const digits = (parts[0] ?? '').replace('.', '');
  // A negative amount is printed as if it had no sign.
  return { amount: BigInt.asIntN(64, BigInt(digits)), symbol: parts.slice(SYMBOL_AT).join(' ') };
}

function readPrice(json: Json | undefined): Price {
  const { base, quote } = readObject(json);
  return { base: readAsset(base), quote: readAsset(quote) };
}

function readObject(json: Json | undefined): JsonObject {
  return typeof json === 'object' && json !== null && !Array.isArray(json) ? json : wrong(json);
}

function readList(json: Json | undefined): readonly Json[] {
  return Array.isArray(json) ? json : wrong(json);
}

function readPairs(json: Json | undefined): (readonly [Json | undefined, Json | undefined])[] {
  return readList(json).map((pair) => {
    const [first, second] = readList(pair);
    return [first, second];
  });
}

function readText(json: Json | undefined): string {
  return typeof json === 'string' ? json : wrong(json);
}

function wrong(json: Json | undefined): never {
  throw new TypeError(`not what the body should say: ${JSON.stringify(json)}`);
}
