/** A limit of what strangers may take of a node, or of what becomes of whom. */
export interface Limit {
  /** Where it stands, below src/, and how; `without` is the same without it, or with another one. */
  readonly file: string;
  readonly code: string;
  readonly without: string;
  /** The test that fails without it: its file below test/, and how its name begins. */
  readonly tests: string;
  readonly name: string;
}

const from = (file: string, rows: readonly (readonly [string, string, string, string])[]): Limit[] =>
  rows.map(([code, without, tests, name]) => ({ file, code, without, tests, name }));

/** Each limit, and the test that fails without it. */
export const limits: Readonly<Record<string, readonly Limit[]>> = {
  identity: [
    ...from('node/network/network_files.ts', [
      ['FOR_OWNER = 0o600', 'FOR_OWNER = 0o644', 'node/network_files', 'a node makes itself a key that only its owner can read'],
    ]),
    ...from('p2p/tls_link.ts', [
      [
        'id !== undefined && id !== peer',
        'id !== undefined && id === undefined',
        'p2p/tls_link',
        'somebody else than the one who was expected',
      ],
    ]),
  ],
  connections: [
    ...from('p2p/dialler.ts', [
      [': targetPeers;', ': targetPeers + 1;', 'p2p/dialler', 'a node makes as many connections as it wants'],
      ['of this.#anchors)', 'of [])', 'p2p/dialler', 'peers of the last run come before'],
    ]),
    ...from('p2p/connections.ts', [
      [
        'live.length <= this.#settings.maxConnections',
        'live.length <= this.#settings.maxConnections + 1',
        'p2p/connections',
        'when there are too many the worst',
      ],
      ['PROTECTED_EACH = 8', 'PROTECTED_EACH = 7', 'p2p/connections', 'when there are too many the worst'],
      ['this.#settings.ownId < later.id', 'this.#settings.ownId > later.id', 'p2p/connections', 'of two links to one node'],
      ['this.#settings.allowed.size > 0 &&', 'false &&', 'p2p/connections', 'on a private network'],
    ]),
    ...from('p2p/largest_group.ts', [
      ['group.length > largest.length', 'group.length < largest.length', 'p2p/handshake_gate', 'when the places of strangers are full'],
    ]),
    ...from('p2p/network_settings.ts', [
      ['ofAddress: 2', 'ofAddress: 3', 'p2p/connections', 'an address has two places'],
      ['ofGroup: 8', 'ofGroup: 9', 'p2p/connections', 'an address has two places'],
    ]),
    ...from('p2p/addresses.ts', [
      ['prefixOf(host, 3, 3)', 'prefixOf(host, 4, 3)', 'p2p/addresses', 'what one hand can easily have many of'],
      ['prefixOf(host, 3, 3)', 'prefixOf(host, 3, 4)', 'p2p/addresses', 'what one hand can easily have many of'],
    ]),
  ],
  handshakes: [
    ...from('p2p/handshake_gate.ts', [
      ['handshakesPerSecondOfAddress: 10', 'handshakesPerSecondOfAddress: 11', 'p2p/handshake_gate', 'an address begins ten handshakes'],
      ['handshakesPerSecond: 50', 'handshakesPerSecond: 52', 'p2p/handshake_gate', 'an address begins ten handshakes'],
      ['limits.handshakesPerSecond / 2', 'limits.handshakesPerSecond', 'p2p/handshake_gate', 'an address begins ten handshakes'],
      ['unfinishedOfAddress: 2', 'unfinishedOfAddress: 3', 'p2p/handshake_gate', 'an address has two unfinished'],
      ['unfinishedOfGroup: 4', 'unfinishedOfGroup: 5', 'p2p/handshake_gate', 'an address has two unfinished'],
      ['unfinished: 64', 'unfinished: 80', 'p2p/handshake_gate', 'when the places of strangers are full'],
      ['this.#limits.unfinished / 2', 'this.#limits.unfinished', 'p2p/handshake_gate', 'when the places of strangers are full'],
      ['|| this.#hosts.isChosen(host)', '', 'p2p/handshake_gate', 'where the operator has named a seed'],
      ['isLoopback(host) ||', '', 'p2p/handshake_gate', 'an address has two unfinished'],
    ]),
    ...from('p2p/peer.ts', [['HELLO_WITHIN_MS = 5000', 'HELLO_WITHIN_MS = 7000', 'p2p/peer', 'whoever says no hello within five seconds']]),
    ...from('p2p/peer_pulse.ts', [['SILENCE_MS = 30_000', 'SILENCE_MS = 32_000', 'p2p/peer', 'whoever says no hello within five seconds']]),
  ],
  dialling: [
    ...from('p2p/dialler.ts', [
      ['FIRST_BACK_OFF_MS = 1000', 'FIRST_BACK_OFF_MS = 2000', 'p2p/dialler', 'a seed that never answers is dialled each three minutes'],
      ['ALONE_SEEDS_EACH_MS = 15_000', 'ALONE_SEEDS_EACH_MS = 20_000', 'p2p/dialler', 'seeds are dialled at once'],
      ['PROBE_EACH_MS = 2 * 60_000', 'PROBE_EACH_MS = 3 * 60_000', 'p2p/dialler', 'a node makes as many connections as it wants'],
    ]),
    ...from('p2p/network_settings.ts', [
      [
        'longestRetryMs: 3 * 60_000',
        'longestRetryMs: 4 * 60_000',
        'p2p/dialler',
        'a seed that never answers is dialled each three minutes',
      ],
    ]),
  ],
  book: [
    ...from('p2p/address_book.ts', [
      ['MOST_ENTRIES = 1000', 'MOST_ENTRIES = 1001', 'p2p/address_book', 'however much is heard'],
      ['MOST_FROM_ONE = 64', 'MOST_FROM_ONE = 65', 'p2p/address_book', 'one peer fills a part'],
      ['MOST_HEARD_OF_WIDE_GROUP = 32', 'MOST_HEARD_OF_WIDE_GROUP = 33', 'p2p/address_book', 'one peer fills a part'],
      ['MOST_REACHED_OF_WIDE_GROUP = 64', 'MOST_REACHED_OF_WIDE_GROUP = 65', 'p2p/address_book', 'whoever owns two wide groups'],
      ['a.turn - b.turn', '0', 'p2p/address_book', 'whoever owns two wide groups'],
      ['this.#mayBePrivate || isPublic(host)', 'true', 'p2p/address_book', 'what can not be reached from everywhere'],
      ['[...inTurns(reached), ...inTurns(heard)]', '[...inTurns(heard), ...inTurns(reached)]', 'p2p/address_book', 'however much is heard'],
      ['TOLD_FOR_MS = 24 * 3_600_000', 'TOLD_FOR_MS = 26 * 3_600_000', 'p2p/address_book', 'only what was reached in the last day'],
    ]),
    ...from('p2p/addresses.ts', [['prefixOf(host, 2, 2)', 'prefixOf(host, 3, 2)', 'p2p/address_book', 'one peer fills a part']]),
    ...from('p2p/peer_exchange.ts', [
      ['!peer.pipe.isInbound', 'true', 'p2p/peer_exchange', 'only those who were dialled'],
      ['TELL_EACH_MS = 10 * 60_000', 'TELL_EACH_MS = 9 * 60_000', 'p2p/peer_exchange', 'who asks for addresses'],
    ]),
    ...from('p2p/network.ts', [['settings.exchangesPeers ?', 'true ?', 'p2p/peer_exchange', 'where addresses are not exchanged']]),
  ],
  score: [
    ...from('p2p/score.ts', [
      ['HALF_LIFE_MS = 10 * 60', 'HALF_LIFE_MS = 11 * 60', 'p2p/score', 'who delivers blocks first earns'],
      ['LOWEST_SCORE = -100', 'LOWEST_SCORE = -101', 'p2p/score', 'whoever has done a body_unasked'],
      ['malformed: { points: -100, bans: true }', 'malformed: { points: -100, bans: false }', 'p2p/score', 'whoever has done a malformed'],
      ['lie: { points: -100, bans: true }', 'lie: { points: -99, bans: false }', 'p2p/score', 'whoever has done a lie'],
      ['forged_transaction: { points: -5,', 'forged_transaction: { points: -4,', 'p2p/score', 'whoever has done a forged_transaction'],
      ['wrong_hint: { points: -5,', 'wrong_hint: { points: -4,', 'p2p/score', 'whoever has done a wrong_hint'],
      [
        'MOST_FORGED_COUNTED = 10',
        'MOST_FORGED_COUNTED = 11',
        'p2p/score',
        'a bundle of a hundred transactions that nobody can have signed costs',
      ],
      ['body_unasked: { points: -20,', 'body_unasked: { points: -19,', 'p2p/score', 'whoever has done a body_unasked'],
      ['announced_in_vain: { points: -10,', 'announced_in_vain: { points: -9,', 'p2p/score', 'whoever has done a announced_in_vain'],
      ['timeout: { points: -2,', 'timeout: { points: -3,', 'p2p/score', 'timeouts count once in ten seconds'],
      ['TIMEOUT_COUNTS_EACH_MS = 10_000', 'TIMEOUT_COUNTS_EACH_MS = 9000', 'p2p/score', 'timeouts count once in ten seconds'],
      ['MOST_EARNED = 20', 'MOST_EARNED = 21', 'p2p/score', 'who delivers blocks first earns'],
    ]),
    ...from('p2p/open_questions.ts', [
      ['LATE_ANSWER_MS = 60_000', 'LATE_ANSWER_MS = 61_000', 'p2p/open_questions', 'an answer may come for a minute'],
    ]),
    ...from('p2p/block_wants.ts', [
      ['receivedBy(peer) === receivedBefore', 'true', 'p2p/block_wants', 'from whom something comes meanwhile'],
    ]),
  ],
  bans: [
    ...from('p2p/bans.ts', [
      ['FIRST_MS = 3_600_000', 'FIRST_MS = 3_700_000', 'p2p/address_book', 'a ban lasts an hour'],
      ['LONGEST_MS = 24 * 3_600_000', 'LONGEST_MS = 25 * 3_600_000', 'p2p/address_book', 'a ban lasts an hour'],
      ['2 ** (times - 1)', '1', 'p2p/address_book', 'a ban lasts an hour'],
    ]),
    ...from('p2p/connections.ts', [
      ['peer.pipe.isInbound && !isLoopback', '!isLoopback', 'p2p/connections', 'whoever is banned stays out'],
      ['this.#pinned.has(peer) ||', 'false ||', 'p2p/connections', 'whoever is banned stays out'],
    ]),
  ],
  credit: [
    ...from('p2p/peer_credit.ts', [
      ['STATUSES_PER_SECOND = 1;', 'STATUSES_PER_SECOND = 2;', 'p2p/peer_credit', 'a status more than one a second'],
      ['BUNDLE_BYTES_PER_SECOND = 2 *', 'BUNDLE_BYTES_PER_SECOND = 3 *', 'p2p/peer_credit', 'of bundles, asked for or not'],
      ['BUNDLES_DEEP_SECONDS = 4', 'BUNDLES_DEEP_SECONDS = 5', 'p2p/peer_credit', 'of bundles, asked for or not'],
      [
        'REFUSED_TRANSACTION_MS = 0.1',
        'REFUSED_TRANSACTION_MS = 0.01',
        'p2p/peer_credit',
        'who brings transactions that the chain refuses',
      ],
    ]),
    ...from('p2p/network_settings.ts', [
      ['receiving: { ofAll: 90,', 'receiving: { ofAll: 200,', 'p2p/peer_credit', 'all strangers together'],
      ['answering: { ofAll: 90, ofPeer: 50 }', 'answering: { ofAll: 90, ofPeer: 80 }', 'p2p/peer_credit', 'one peer alone'],
    ]),
    ...from('p2p/work_budget.ts', [
      ['Math.max(1, this.#groups.size)', '1', 'p2p/peer_credit', 'all strangers together'],
      ['/ (this.#groups.get(group) ?? 1)', '', 'p2p/peer_credit', 'all strangers together'],
    ]),
  ],
  evidence: [
    ...from('p2p/claim_evidence.ts', [
      ['UNPROVED_MS = 10_000', 'UNPROVED_MS = 12_000', 'p2p/claim_evidence', 'claims have ten seconds in all'],
      ['LAPSED_MS = 10 * 60_000', 'LAPSED_MS = 11 * 60_000', 'p2p/claim_evidence', 'claims have ten seconds in all'],
      [': [id, groupOf(host)]', ': [id]', 'p2p/claim_evidence', 'claims have ten seconds in all'],
    ]),
    ...from('p2p/followed_chain.ts', [
      ['FOLLOWED_AFTER_MS = 60_000', 'FOLLOWED_AFTER_MS = 59_000', 'p2p/followed_chain', 'a node that is in step'],
      ['SAME_KEYS_BLOCKS = 1200', 'SAME_KEYS_BLOCKS = 1201', 'p2p/followed_chain', 'what an earlier run has followed'],
    ]),
  ],
  clock: [
    ...from('p2p/peer_clocks.ts', [['LEAST_VOICES = 5', 'LEAST_VOICES = 4', 'p2p/peer_clocks', 'by how much clocks differ']]),
    ...from('p2p/voices.ts', [['if (pipe.isInbound) return undefined;', '', 'p2p/peer_clocks', 'by how much clocks differ']]),
    ...from('node/network/clock_watch.ts', [
      ['WRONG_MS = 1000', 'WRONG_MS = 1200', 'node/clock_watch', 'a clock that is off by more than a second'],
    ]),
    ...from('node/pages.ts', [
      ['WRONG_CLOCK_MS = 4000', 'WRONG_CLOCK_MS = 4200', 'node/health_pages', 'a clock that is wrong by more than four seconds'],
    ]),
  ],
  eclipse: [
    ...from('p2p/dialler.ts', [
      ['groups.has(group)', 'false', 'p2p/dialler', 'a node makes as many connections as it wants'],
      ['OLD_HEAD_MS = 30_000', 'OLD_HEAD_MS = 36_000', 'p2p/dialler', 'while there are peers and no new blocks'],
    ]),
    ...from('p2p/block_wants.ts', [
      ['before?.pipe.isInbound === true', 'before === undefined', 'p2p/block_wants', 'a block that does not come is asked'],
    ]),
  ],
};
