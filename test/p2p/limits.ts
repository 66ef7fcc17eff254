/**
 * A limit of what strangers may take of a node, or of what becomes of whom: a declared value, a rule that is a function
 * of its own, or a condition within one.
 */
export type Limit = (DeclaredValue | DeclaredRule | Condition) & {
  /** The file of its declaration, below src/. */
  readonly file: string;
  /** The test that fails without it: its file below test/, and how its name begins. */
  readonly tests: string;
  readonly name: string;
};

/** A constant, or a member of one. */
interface DeclaredValue {
  readonly value: string;
  /** The value to try in its place; a tenth more by default. */
  readonly instead?: string | undefined;
}

/** A function or a method, by its name. */
interface DeclaredRule {
  readonly rule: string;
  /** The body in its place. */
  readonly body: string;
}

/** For the few that have no name. */
interface Condition {
  readonly condition: string;
  readonly instead: string;
}

function of(file: string, rows: readonly (readonly [string, string, string?])[], tests = file): Limit[] {
  return rows.map(([value, name, instead]) => ({ file: `${file}.ts`, value, instead, tests, name }));
}

function rules(file: string, rows: readonly (readonly [string, string, string])[], tests = file): Limit[] {
  return rows.map(([rule, body, name]) => ({ file: `${file}.ts`, rule, body, tests, name }));
}

function conditions(file: string, rows: readonly (readonly [string, string, string])[], tests = file): Limit[] {
  return rows.map(([condition, instead, name]) => ({ file: `${file}.ts`, condition, instead, tests, name }));
}

/** Limits that strangers meet, each with the test that fails without it. */
export const limits: Readonly<Record<string, readonly Limit[]>> = {
  identity: [
    ...of('node/network/network_files', [
      ['FOR_OWNER', 'a node makes itself a key that only its owner can read', '0o644'],
    ]),
    ...conditions('wire/link/tls_link', [
      ['id !== undefined && id !== peer', 'false', 'somebody else than the one who was expected'],
    ]),
  ],
  connections: [
    ...rules('p2p/peers/dialler', [
      ['#targetPeers', 'return this.#settings.targetPeers + 1;', 'a node makes as many connections as it wants'],
    ]),
    ...conditions('p2p/peers/dialler', [['of this.#anchors)', 'of [])', 'peers of the last run come before']]),
    ...rules('p2p/peers/connections', [
      ['#makeRoom', 'return true;', 'when there are too many the worst'],
      ['#replaces', 'return false;', 'of two links to one node'],
      ['#mayEnter', 'return true;', 'on a private network'],
      ['#mayEnter', 'return true;', 'an address has two places'],
    ]),
    ...of('p2p/peers/connections', [['PROTECTED_EACH', 'when there are too many the worst', '7']]),
    ...rules(
      'p2p/peers/largest_group',
      [['largestGroup', 'return [...members].slice(-1);', 'when the places of strangers are full']],
      'p2p/peers/handshake_gate',
    ),
    ...of(
      'p2p/peers/network_settings',
      [
        ['usualLimits.ofAddress', 'an address has two places'],
        ['usualLimits.ofGroup', 'an address has two places'],
      ],
      'p2p/peers/connections',
    ),
    ...rules('wire/addresses', [['addressGroup', 'return host;', 'what one hand can easily have many of']]),
  ],
  handshakes: [
    ...of('p2p/peers/handshake_gate', [
      ['usualGateLimits.handshakesPerSecondOfAddress', 'an address begins ten handshakes'],
      ['usualGateLimits.handshakesPerSecond', 'an address begins ten handshakes'],
      ['usualGateLimits.unfinishedOfAddress', 'an address has two unfinished'],
      ['usualGateLimits.unfinishedOfGroup', 'an address has two unfinished'],
      ['usualGateLimits.unfinished', 'when the places of strangers are full'],
    ]),
    ...rules('p2p/peers/handshake_gate', [
      ['#makeRoom', 'return true;', 'when the places of strangers are full'],
      ['#isFree', 'return isLoopback(host);', 'where the operator has named a seed'],
      ['#isFree', 'return this.#hosts.isChosen(host);', 'an address has two unfinished'],
    ]),
    ...of('p2p/peers/peer', [['HELLO_WITHIN_MS', 'whoever says no hello within five seconds', '7000']]),
    ...of('p2p/peers/peer_pulse', [['SILENCE_MS', 'whoever says no hello within five seconds']], 'p2p/peers/peer'),
  ],
  dialling: [
    ...of('p2p/peers/dialler', [
      ['FIRST_BACK_OFF_MS', 'a seed that never answers is dialled each three minutes', '2000'],
      ['ALONE_SEEDS_EACH_MS', 'seeds are dialled at once', '20_000'],
      ['PROBE_EACH_MS', 'a node makes as many connections as it wants', '180_000'],
    ]),
    ...of(
      'p2p/peers/network_settings',
      [['usualLimits.longestRetryMs', 'a seed that never answers is dialled each three minutes', '240_000']],
      'p2p/peers/dialler',
    ),
  ],
  book: [
    ...of('p2p/peers/address_book', [
      ['MOST_ENTRIES', 'however much is heard'],
      ['MOST_FROM_ONE', 'one peer fills a part'],
      ['MOST_HEARD_OF_WIDE_GROUP', 'one peer fills a part'],
      ['MOST_REACHED_OF_WIDE_GROUP', 'whoever owns two wide groups'],
      ['TOLD_FOR_MS', 'only what was reached in the last day'],
    ]),
    ...rules('p2p/peers/address_book', [
      ['inTurns', 'return [...entries];', 'whoever owns two wide groups'],
      ['#isAllowed', 'return true;', 'what can not be reached from everywhere'],
      ['candidates', 'return [...this.#entries.values()].reverse();', 'however much is heard'],
    ]),
    ...rules(
      'wire/addresses',
      [['wideAddressGroup', 'return host;', 'one peer fills a part']],
      'p2p/peers/address_book',
    ),
    ...rules('p2p/peers/peer_exchange', [
      ['joined', 'peer.ask(peersRequest, {}, peers);', 'only those who were dialled'],
    ]),
    ...of('p2p/peers/peer_exchange', [['TELL_EACH_MS', 'who asks for addresses', '540_000']]),
    ...conditions(
      'p2p/network',
      [['settings.exchangesPeers', 'true', 'where addresses are not exchanged']],
      'p2p/peers/peer_exchange',
    ),
  ],
  score: [
    ...of('p2p/peers/score', [
      ['HALF_LIFE_MS', 'who delivers blocks first earns'],
      ['LOWEST_SCORE', 'whoever has done a body_unasked'],
      ['offences.malformed.bans', 'whoever has done a malformed', 'false'],
      ['offences.lie.bans', 'whoever has done a lie', 'false'],
      ['offences.forged_transaction.points', 'whoever has done a forged_transaction'],
      ['offences.wrong_hint.points', 'whoever has done a wrong_hint'],
      ['offences.body_unasked.points', 'whoever has done a body_unasked', '-19'],
      ['offences.announced_in_vain.points', 'whoever has done a announced_in_vain', '-9'],
      ['offences.timeout.points', 'timeouts count once in ten seconds'],
      ['MOST_FORGED_COUNTED', 'a bundle of a hundred transactions that nobody can have signed costs'],
      ['TIMEOUT_COUNTS_EACH_MS', 'timeouts count once in ten seconds', '9000'],
      ['MOST_EARNED', 'who delivers blocks first earns'],
    ]),
    ...of('p2p/peers/open_questions', [['LATE_ANSWER_MS', 'an answer may come for a minute']]),
    ...rules('p2p/blocks/block_wants', [['receivedByteCount', 'return 0;', 'from whom something comes meanwhile']]),
  ],
  bans: [
    ...of(
      'p2p/peers/bans',
      [
        ['FIRST_MS', 'a ban lasts an hour'],
        ['LONGEST_MS', 'a ban lasts an hour'],
      ],
      'p2p/peers/address_book',
    ),
    ...rules('p2p/peers/bans', [['#recent', 'return undefined;', 'a ban lasts an hour']], 'p2p/peers/address_book'),
    ...rules('p2p/peers/connections', [['#isChosen', 'return false;', 'whoever is banned stays out']]),
    ...conditions('p2p/peers/connections', [
      ['peer.pipe.isInbound && !isLoopback', '!isLoopback', 'whoever is banned stays out'],
    ]),
  ],
  credit: [
    ...of('p2p/peers/answer_turns', [['TURN_MS', 'a block of 48 MiB that is asked for by its id', '50']]),
    ...of('p2p/transactions/bundle_fetch', [
      ['MOST_FETCHES_OF_PEER', 'what nobody can give any more'],
      ['MOST_VAIN', 'who has slept is asked again', '20'],
      ['LONGEST_MS', 'what nobody can give any more'],
    ]),
    ...rules(
      'p2p/peers/peer_credit',
      [['takeBundle', 'return true;', 'of bundles that a peer announces no more']],
      'p2p/transactions/bundle_credit',
    ),
    ...of(
      'p2p/peers/work_prices',
      [
        ['MOST_LINK_FACTOR', 'what the thread works and nobody measures'],
        ['LEAST_LINK_SHARE', 'where links have nearly nothing to do', '0'],
      ],
      'p2p/peers/peer_credit',
    ),
    ...of('wire/link/channel', [
      ['LEAST_WAIT_MS', 'who has to stop again at once waits twice as long'],
      ['MOST_LEAST_WAIT_MS', 'who has to stop again at once waits twice as long'],
      ['READ_AHEAD_BYTES', 'bytes that carry nothing cost their sender'],
    ]),
    ...of(
      'p2p/finality/finality_fetch',
      [['MOST_WANTED_OF_PEER', 'of what a peer announces the newest four', '5']],
      'p2p/finality/certificate_relay',
    ),
    ...of(
      'p2p/peers/work_budget',
      [['MOST_GROUP_DEBT_MS', 'a connection that is dropped is charged', '50']],
      'p2p/peers/peer_credit',
    ),
    ...of('witness/key_guard', [['UNANSWERED_MS', 'an operator who wants blocks on an old head', '0']]),
    ...of('p2p/peers/peer_credit', [
      ['WAKE_MS', 'a piece that wakes the thread costs more than one of many', '0'],
      ['AWAKE_MS', 'a piece that wakes the thread costs more than one of many', '0.5'],
      ['STOP_MS', 'who has no credit pays for each time', '0'],
      ['EMPTY_BYTE_MS', 'a record with nothing but new keys', '1e-4'],
      ['RECORD_BYTES', 'what was asked for is carried for nothing', '512'],
      ['HANDSHAKE_MS', 'a connection that is dropped is charged', '3'],
      ['DROPPED_MS', 'a connection that is dropped is charged', '0'],
      ['STATUSES_PER_SECOND', 'a status more than one a second', '2'],
      ['BUNDLE_BYTES_PER_SECOND', 'of bundles, asked for or not', '3 * 1024 * 1024'],
      ['BUNDLES_DEEP_SECONDS', 'of bundles, asked for or not', '5'],
      ['REFUSED_TRANSACTION_MS', 'who brings transactions that the chain refuses', '0.01'],
    ]),
    ...of(
      'p2p/peers/network_settings',
      [
        ['usualWorkLimits.receiving.ofAll', 'all strangers together', '200'],
        ['usualWorkLimits.answering.ofPeer', 'one peer alone', '69'],
      ],
      'p2p/peers/peer_credit',
    ),
    ...rules(
      'p2p/peers/work_budget',
      [['#partOf', 'return this.#limits.ofAll;', 'all strangers together']],
      'p2p/peers/peer_credit',
    ),
    ...conditions(
      'p2p/peers/work_budget',
      [
        ['part.empty(nowMs)', 'undefined', 'whoever goes and comes again has no more for '],
        ['this.#debts.set(group, part)', 'undefined', 'whoever goes and comes again has no more for '],
      ],
      'p2p/peers/peer_credit',
    ),
  ],
  evidence: [
    ...of('p2p/sync/claim_evidence', [
      ['UNPROVED_MS', 'claims have ten seconds in all'],
      ['LAPSED_MS', 'claims have ten seconds in all'],
    ]),
    ...rules('p2p/sync/claim_evidence', [['peerNames', 'return [id];', 'claims have ten seconds in all']]),
    ...of('p2p/sync/followed_chain', [
      ['FOLLOWED_AFTER_MS', 'a node that is in step', '59_000'],
      ['SAME_KEYS_BLOCKS', 'what an earlier run has followed'],
    ]),
  ],
  clock: [
    ...of('p2p/sync/peer_clocks', [['LEAST_VOICES', 'by how much clocks differ', '4']]),
    ...rules('p2p/sync/voices', [['of', 'return id;', 'by how much clocks differ']], 'p2p/sync/peer_clocks'),
    ...of('node/network/clock_watch', [['WRONG_MS', 'a clock that is off by more than a second', '1200']]),
    ...of(
      'node/http/pages',
      [['WRONG_CLOCK_MS', 'a clock that is wrong by more than four seconds', '4200']],
      'node/http/health_pages',
    ),
  ],
  eclipse: [
    ...rules('p2p/peers/dialler', [
      ['*#fromBook', 'yield* [...this.#free(nowMs)].slice(0, most);', 'a node makes as many connections as it wants'],
    ]),
    ...of('p2p/peers/dialler', [['OLD_HEAD_MS', 'while there are peers and no new blocks']]),
    ...conditions('p2p/blocks/block_wants', [
      ['before?.pipe.isInbound === true', 'before === undefined', 'a block that does not come is asked'],
    ]),
  ],
};
