import { at, listMember, optionalMember, textMember, type Json } from '../../outside/json.ts';

// A transaction's bytes as the JavaScript SDK of the lineage makes them: its own serialiser, in the order of its own
// lists, for the kinds that it gets right and for one that it gets wrong.

/** The packed kind of an operation's member. */
type Kind =
  | 'name'
  | 'text'
  | 'asset'
  | 'key'
  | 'authority'
  | 'maybe authority'
  | 'flag'
  | 'u16'
  | 'u64'
  | 'names'
  | 'hex'
  | 'witness';

interface Shape {
  readonly number: number;
  readonly members: readonly (readonly [name: string, kind: Kind])[];
}

const shapes: Readonly<Record<string, Shape>> = {
  transfer: {
    number: 0,
    members: [
      ['from', 'name'],
      ['to', 'name'],
      ['amount', 'asset'],
      ['memo', 'text'],
    ],
  },
  transfer_to_vesting: {
    number: 1,
    members: [
      ['from', 'name'],
      ['to', 'name'],
      ['amount', 'asset'],
    ],
  },
  withdraw_vesting: {
    number: 2,
    members: [
      ['account', 'name'],
      ['vesting_shares', 'asset'],
    ],
  },
  account_create: {
    number: 4,
    members: [
      ['creator', 'name'],
      ['name_seed', 'text'],
      ['owner', 'authority'],
      ['active', 'authority'],
      ['memo_key', 'key'],
      ['json_metadata', 'text'],
    ],
  },
  account_update: {
    number: 5,
    members: [
      ['account', 'name'],
      ['owner', 'maybe authority'],
      ['active', 'maybe authority'],
      ['memo_key', 'key'],
      ['json_metadata', 'text'],
    ],
  },
  account_delete: { number: 6, members: [['account', 'name']] },
  witness_update: {
    number: 7,
    members: [
      ['owner', 'name'],
      ['url', 'text'],
      ['block_signing_key', 'key'],
      ['props', 'witness'],
    ],
  },
  account_witness_vote: {
    number: 9,
    members: [
      ['account', 'name'],
      ['witness', 'name'],
      ['approve', 'flag'],
    ],
  },
  account_witness_proxy: {
    number: 10,
    members: [
      ['account', 'name'],
      ['proxy', 'name'],
    ],
  },
  custom_json: {
    number: 13,
    members: [
      ['sender', 'name'],
      ['recipients', 'names'],
      ['app_id', 'u64'],
      ['json', 'text'],
    ],
  },
  custom_binary: {
    number: 14,
    members: [
      ['sender', 'name'],
      ['recipients', 'names'],
      ['app_id', 'u64'],
      ['data', 'hex'],
    ],
  },
  // The chain's price_param has one byte.
  application_create: {
    number: 24,
    members: [
      ['author', 'name'],
      ['name', 'text'],
      ['url', 'text'],
      ['metadata', 'text'],
      ['price_param', 'u16'],
    ],
  },
  sponsor_fees: {
    number: 30,
    members: [
      ['sponsor', 'name'],
      ['sponsored', 'name'],
      ['is_sponsoring', 'flag'],
    ],
  },
};

/** The bytes that are signed, without the chain id; `transaction` is that of create_simple_transaction. */
export function unsignedBytes(transaction: Json): Buffer {
  const operations = listMember(transaction, 'operations').map((operation) => {
    const shape = shapes[textMember(operation, '0')];
    if (shape === undefined) throw new Error(`the SDK packs no ${textMember(operation, '0')} here`);
    const members: Shape['members'] = [['fee', 'asset'], ...shape.members];
    return Buffer.concat([
      Buffer.of(shape.number),
      ...members.map(([name, kind]) => packers[kind](optionalMember(operation, `1.${name}`) ?? null)),
    ]);
  });
  const head = [
    u16(at(transaction, 'ref_block_num')),
    u32(at(transaction, 'ref_block_prefix')),
    time(textMember(transaction, 'expiration')),
  ];
  return Buffer.concat([...head, varint(operations.length), ...operations, varint(0)]);
}

const packers: Readonly<Record<Kind, (value: Json) => Buffer>> = {
  name: accountName,
  text: (value) => text(String(value)),
  asset: (value) => asset(String(value)),
  key: (value) => key(String(value)),
  authority,
  'maybe authority': (value) => (value === null ? Buffer.of(0) : Buffer.concat([Buffer.of(1), authority(value)])),
  flag: (value) => Buffer.of(value === true ? 1 : 0),
  u16,
  u64: (value) => i64(BigInt(Number(value))),
  names: (value) => list(listMember({ value }, 'value'), accountName),
  hex: (value) => sized(Buffer.from(String(value), 'hex')),
  witness: (value) =>
    Buffer.concat([
      asset(textMember(value, 'account_creation_fee')),
      u32(at(value, 'maximum_block_size')),
      list(listMember(value, 'price_feeds'), (feed) =>
        Buffer.concat([
          symbol(textMember(feed, '0')),
          asset(textMember(feed, '1.base')),
          asset(textMember(feed, '1.quote')),
        ]),
      ),
    ]),
};

function accountName(value: Json): Buffer {
  return text(String(value).replaceAll('-', '+').replaceAll('_', '/'));
}

function authority(value: Json): Buffer {
  const weighed = (entry: Json, pack: (text: string) => Buffer): Buffer =>
    Buffer.concat([pack(textMember(entry, '0')), u16(at(entry, '1'))]);
  return Buffer.concat([
    u32(at(value, 'weight_threshold')),
    list(listMember(value, 'account_auths'), (entry) => weighed(entry, text)),
    list(listMember(value, 'key_auths'), (entry) => weighed(entry, key)),
  ]);
}

/** Through a double, like the SDK. */
function asset(value: string): Buffer {
  const [amount = '', name = ''] = value.split(' ');
  return Buffer.concat([i64(BigInt(Math.round(Number(amount) * 1e6))), symbol(name.toUpperCase())]);
}

function symbol(name: string): Buffer {
  return Buffer.concat([Buffer.from(name, 'latin1'), Buffer.alloc(8)], 8);
}

const BASE58 = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';

function key(value: string): Buffer {
  let number = 0n;
  for (const letter of value.slice(3)) number = number * 58n + BigInt(BASE58.indexOf(letter));
  // 33 bytes and a checksum of four.
  return Buffer.from(number.toString(16).padStart(74, '0'), 'hex').subarray(0, 33);
}

function time(value: string): Buffer {
  return u32(Date.parse(`${value}Z`) / 1000);
}

function text(value: string): Buffer {
  return sized(Buffer.from(value, 'utf8'));
}

function sized(bytes: Buffer): Buffer {
  return Buffer.concat([varint(bytes.length), bytes]);
}

function list(values: readonly Json[], pack: (value: Json) => Buffer): Buffer {
  return Buffer.concat([varint(values.length), ...values.map(pack)]);
}

function varint(value: number): Buffer {
  const bytes: number[] = [];
  let left = value;
  for (; left > 127; left >>>= 7) bytes.push((left & 127) | 128);
  return Buffer.from([...bytes, left]);
}

function u16(value: Json): Buffer {
  const bytes = Buffer.alloc(2);
  bytes.writeUInt16LE(Number(value));
  return bytes;
}

function u32(value: Json): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(Number(value));
  return bytes;
}

function i64(value: bigint): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeBigInt64LE(value);
  return bytes;
}
