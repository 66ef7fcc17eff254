import type { Json } from '../../src/codec/json.ts';
import { parsePublicKey } from '../../src/values/public_key.ts';
import type { Asset, Authority, Price } from './values.ts';

type JsonObject = { readonly [member: string]: Json };

/** Reads the members of an operation's body from its JSON, under the names of the lineage. */
export class Body {
  readonly #json: JsonObject;
  readonly #keyPrefix: string;

  constructor(json: Json, keyPrefix: string) {
    this.#json = objectOf(json);
    this.#keyPrefix = keyPrefix;
  }

  has(member: string): boolean {
    return (this.#json[member] ?? null) !== null;
  }

  text(member: string): string {
    return textOf(this.#json[member]);
  }

  texts(member: string): string[] {
    return listOf(this.#json[member]).map(textOf);
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
    return assetOf(this.#json[member]);
  }

  price(member: string): Price {
    return priceOf(this.#json[member]);
  }

  key(member: string): string {
    return this.#keyOf(this.#json[member]);
  }

  authority(member: string): Authority {
    const { weight_threshold, account_auths, key_auths } = objectOf(this.#json[member]);
    return {
      threshold: Number(weight_threshold),
      accounts: pairsOf(account_auths).map(([name, weight]) => [textOf(name), Number(weight)]),
      keys: pairsOf(key_auths).map(([key, weight]) => [this.#keyOf(key), Number(weight)]),
    };
  }

  /** A member that is a body itself. */
  inner(member: string): Body {
    return new Body(this.#json[member] ?? {}, this.#keyPrefix);
  }

  /** Prices by symbol. */
  prices(member: string): (readonly [symbol: string, price: Price])[] {
    return pairsOf(this.#json[member]).map(([symbol, price]) => [textOf(symbol), priceOf(price)]);
  }

  /** Packed values by name. */
  packed(member: string): (readonly [name: string, hex: string])[] {
    return pairsOf(this.#json[member]).map(([name, hex]) => [textOf(name), textOf(hex)]);
  }

  #keyOf(json: Json | undefined): string {
    return parsePublicKey(textOf(json), this.#keyPrefix) ?? wrong(json);
  }
}

const SYMBOL_AT = 1;

function assetOf(json: Json | undefined): Asset {
  const parts = textOf(json).split(' ');
  const digits = (parts[0] ?? '').replace('.', '');
  // A negative amount is printed as if it had no sign.
  return { amount: BigInt.asIntN(64, BigInt(digits)), symbol: parts.slice(SYMBOL_AT).join(' ') };
}

function priceOf(json: Json | undefined): Price {
  const { base, quote } = objectOf(json);
  return { base: assetOf(base), quote: assetOf(quote) };
}

function objectOf(json: Json | undefined): JsonObject {
  return typeof json === 'object' && json !== null && !Array.isArray(json) ? json : wrong(json);
}

function listOf(json: Json | undefined): readonly Json[] {
  return Array.isArray(json) ? json : wrong(json);
}

function pairsOf(json: Json | undefined): (readonly [Json | undefined, Json | undefined])[] {
  return listOf(json).map((pair) => {
    const [first, second] = listOf(pair);
    return [first, second];
  });
}

function textOf(json: Json | undefined): string {
  return typeof json === 'string' ? json : wrong(json);
}

function wrong(json: Json | undefined): never {
  throw new TypeError(`not what the body should say: ${JSON.stringify(json)}`);
}
