/** An account that can sign. */
export interface Sender {
  readonly name: string;
  /** 32 bytes. */
  readonly secret: Uint8Array;
}

/** What a signing thread is to make: transfers between the senders, each different from all others. */
export interface SigningRequest {
  readonly profileName: string;
  readonly chainId: string;
  readonly referenceBlockId: string;
  /** Seconds since 1970. */
  readonly expiration: number;
  readonly fee: bigint;
  readonly senders: readonly Sender[];
  /** Amount of the first transfer of all, in millionths; each moves one more than the one before, so none equals another. */
  readonly firstAmount: bigint;
  /** Of every transfer; `{number}` in it stands for a number that no other has. Empty when left out. */
  readonly memo?: string;
  /** Numbers of the transfers that this thread makes: `first`, … `first + count − 1`. */
  readonly first: number;
  readonly count: number;
  /** Transfers in one body. */
  readonly batch: number;
}

/** Transfers that are ready to be posted as one batch. */
export interface SignedBody {
  readonly count: number;
  /** JSON text of a batch of calls with ids from 0. */
  readonly body: Uint8Array<ArrayBuffer>;
  /** Ids of the transactions, 40 hex digits each, one after the other. */
  readonly ids: string;
}

/** Id of the transaction with that index in its body. */
export function idIn({ ids }: SignedBody, index: number): string {
  return ids.slice(index * 40, index * 40 + 40);
}
