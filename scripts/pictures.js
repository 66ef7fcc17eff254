// The pictures of the documents, from data: the rooms from the floors, the others from lists below. `npm run operate`
// writes them; test/documents/ compares them with what is written.
import { floors } from './layers.js';

const WIDTH = 860;
const [LEFT, GAP, LINE] = [20, 14, 22];
/** Colours for a light and a dark page. */
const STYLE = `<style>
text { font: 14px system-ui, sans-serif; fill: #1f2328; } .soft { fill: #59636e; font-size: 12px; }
.paper { fill: #ffffff; } .box { fill: #f1f6fb; stroke: #7a8fa6; } .strong { fill: #dcebdf; stroke: #2a7f62; }
.line { stroke: #59636e; fill: none; } .tip { fill: #59636e; } .gone { fill: #fbe9e5; stroke: #c8553d; }
@media (prefers-color-scheme: dark) {
text { fill: #e6edf3; } .soft { fill: #9198a1; } .paper { fill: #0d1117; } .box { fill: #161f2b; stroke: #5b7089; }
.strong { fill: #12281f; stroke: #3fb28a; } .line { stroke: #9198a1; } .tip { fill: #9198a1; } .gone { fill: #33190f; stroke: #e5735c; }
}
</style>`;

/**
 * @typedef {{ x: number, y: number, width: number, height: number, title: string, lines?: readonly string[], kind?: string }} Box
 * @typedef {{ from: readonly [number, number], to: readonly [number, number], label?: string, above?: boolean }} Arrow
 */

/** The pictures by their paths. @returns {Record<string, string>} */
export function pictures() {
  return {
    'src/rooms.svg': roomsPicture(),
    'src/threads.svg': threadsPicture(),
    'src/pages/guides/transaction.svg': transactionPicture(),
    'src/pages/guides/reorg.svg': reorgPicture(),
  };
}

/** Every room on the lowest floor that its imports allow, with an arrow down the side. */
function roomsPicture() {
  /** @type {Map<string, number>} */
  const heights = new Map();
  for (const [room, below] of Object.entries(floors)) {
    const under = below.split(' ').flatMap((name) => heights.get(name.replace(/!.*/, '')) ?? []);
    heights.set(room, Math.max(-1, ...under) + 1);
  }
  const top = Math.max(...heights.values());
  const rowHeight = 42;
  const boxes = [];
  for (let floor = top; floor >= 0; floor--) {
    const rooms = [...heights].filter(([, height]) => height === floor).map(([room]) => room);
    const width = Math.min(150, (WIDTH - 2 * LEFT - 40 - GAP * (rooms.length - 1)) / rooms.length);
    for (const [k, title] of rooms.entries())
      boxes.push({ x: LEFT + 40 + k * (width + GAP), y: 40 + (top - floor) * rowHeight, width, height: 32, title });
  }
  const bottom = 40 + (top + 1) * rowHeight;
  return svg(bottom + 10, 'The rooms of src: each imports only rooms below it', [
    ...boxes.map(boxText),
    ...arrowText({ from: [LEFT + 12, 44], to: [LEFT + 12, bottom - 20] }),
    `<text class="soft" transform="translate(${LEFT + 4} ${bottom / 2 + 40}) rotate(-90)">imports go down</text>`,
  ]);
}

function threadsPicture() {
  /** @type {Record<string, Box>} */
  const boxes = {
    clients: box(20, 50, 240, 'clients', ['HTTP, WebSocket']),
    peers: box(600, 50, 240, 'peers', ['TLS']),
    front: box(20, 160, 240, 'main thread (front)', [
      'cuts calls, checks limits,',
      'answers reads from committed rows',
    ]),
    network: box(600, 160, 240, 'network thread', ['one state machine:', 'frames, sync, relay, votes']),
    verifiers: box(310, 270, 240, 'verifier threads', ['parse, pack, hash,', 'verify each signature once']),
    writer: box(310, 380, 240, 'writer thread', ['pending block, slots, forks,', 'one write a block'], 'strong'),
    disk: box(20, 380, 180, 'RocksDB', ['committed blocks and rows']),
  };
  return svg(465, 'The threads of a node', [
    ...Object.values(boxes).map(boxText),
    ...arrowText({ from: [140, 102], to: [140, 160], label: 'requests' }),
    ...arrowText({ from: [720, 102], to: [720, 160], label: 'messages' }),
    ...arrowText({ from: [600, 195], to: [260, 195], label: 'blocks, bundles of transactions', above: true }),
    ...arrowText({ from: [260, 222], to: [345, 270], label: 'batches' }),
    ...arrowText({ from: [430, 340], to: [430, 380], label: 'verified, in one buffer' }),
    ...arrowText({ from: [310, 415], to: [200, 415] }),
    label(206, 445, 'synced write'),
    ...arrowText({ from: [80, 380], to: [80, 230], label: 'readers' }),
    ...arrowText({ from: [318, 380], to: [190, 230] }),
    label(150, 345, 'verdicts, new head'),
  ]);
}

function transactionPicture() {
  const steps = [
    ['broadcast', 'checked on top of all', 'that is pending'],
    ['pending', 'relayed to peers,', 'waits for a slot'],
    ['in_block', 'a witness has put it', 'into a block'],
    ['final', 'two thirds of the voters', 'have committed the block'],
  ];
  const ends = [
    ['expired', 'no final block has it, and', 'its expiration has passed'],
    ['dropped', 'no longer valid on the head,', 'with the reason'],
  ];
  const [width, step] = [185, 210];
  const boxes = steps.map(([title = '', ...lines], k) =>
    box(LEFT + k * step, 50, width, title, lines, k === 3 ? 'strong' : 'box'),
  );
  const lost = ends.map(([title = '', ...lines], k) => box(LEFT + (k + 0.5) * step, 200, width, title, lines, 'gone'));
  return svg(300, 'The life of a transaction: pending and later states are those of find_transaction', [
    ...[...boxes, ...lost].map(boxText),
    ...[0, 1, 2].flatMap((k) => arrowText({ from: [LEFT + k * step + width, 88], to: [LEFT + (k + 1) * step, 88] })),
    ...arrowText({ from: [LEFT + step + 60, 120], to: [LEFT + 0.5 * step + 120, 200] }),
    ...arrowText({ from: [LEFT + step + 120, 120], to: [LEFT + 1.5 * step + 60, 200] }),
    ...arrowText({ from: [LEFT + 2 * step, 110], to: [LEFT + step + width, 110] }),
    label(LEFT + step + width - 20, 138, 'reorg: pending again'),
  ]);
}

function reorgPicture() {
  const [width, step, first] = [90, 115, 150];
  /** @type {(row: number, column: number, title: string, kind?: string) => Box} */
  const block = (row, column, title, kind = 'box') => ({
    ...{ x: first + column * step, y: 50 + row * 70, width, height: 36, title, kind },
  });
  const told = ['block 101', 'block 102', 'undone to 100', 'block 101′', 'block 102′', 'block 103′'];
  return svg(330, 'A reorg, as followers at level head see it', [
    ...[
      block(0, 0, '100', 'strong'),
      block(0, 1, '101', 'gone'),
      block(0, 2, '102', 'gone'),
      ...['101′', '102′', '103′'].map((title, k) => block(1, k + 1, title)),
    ].map(boxText),
    label(LEFT, 73, 'old branch'),
    label(LEFT, 143, 'new branch'),
    ...arrowText({ from: [first + width, 68], to: [first + step, 68] }),
    ...arrowText({ from: [first + step + width, 68], to: [first + 2 * step, 68] }),
    ...arrowText({ from: [first + width - 10, 86], to: [first + step, 138] }),
    ...[1, 2].flatMap((k) => arrowText({ from: [first + k * step + width, 138], to: [first + (k + 1) * step, 138] })),
    label(LEFT, 213, 'the follower is told, in this order:'),
    ...told.map((text, k) =>
      boxText({
        x: LEFT + k * 138,
        y: 230,
        width: 128,
        height: 36,
        title: text,
        kind: text.startsWith('undone') ? 'gone' : 'box',
      }),
    ),
    label(
      LEFT,
      300,
      'Each item has a position. A follower that was away resumes behind its last one, and is told the same.',
    ),
  ]);
}

/** @param {number} x @param {number} y @param {number} width @param {string} title @param {readonly string[]} lines @returns {Box} */
function box(x, y, width, title, lines, kind = 'box') {
  return { x, y, width, height: 34 + lines.length * 18, title, lines, kind };
}

/** @param {Box} box */
function boxText({ x, y, width, height, title, lines = [], kind = 'box' }) {
  const middle = x + width / 2;
  return [
    `<rect class="${kind}" x="${x.toFixed(1)}" y="${y}" width="${width.toFixed(1)}" height="${height}" rx="6"/>`,
    `<text x="${middle.toFixed(1)}" y="${y + LINE}" text-anchor="middle">${title}</text>`,
    ...lines.map(
      (line, k) =>
        `<text class="soft" x="${middle.toFixed(1)}" y="${y + LINE + 18 * (k + 1)}" text-anchor="middle">${line}</text>`,
    ),
  ].join('\n');
}

/** @param {Arrow} arrow @returns {string[]} */
function arrowText({ from: [x1, y1], to: [x2, y2], label: text, above = false }) {
  const angle = (Math.atan2(y2 - y1, x2 - x1) * 180) / Math.PI;
  const line = `<line class="line" x1="${x1}" y1="${y1}" x2="${x2}" y2="${y2}"/>`;
  const tip = `<path class="tip" transform="translate(${x2} ${y2}) rotate(${angle.toFixed(1)})" d="M0 0L-9 -4L-9 4Z"/>`;
  const [x, y] = [(x1 + x2) / 2 + (above ? -70 : 8), (y1 + y2) / 2 + (above ? -6 : 4)];
  return text === undefined ? [line, tip] : [line, tip, label(x, y, text)];
}

/** @param {number} x @param {number} y @param {string} text */
function label(x, y, text) {
  return `<text class="soft" x="${x}" y="${y}">${text}</text>`;
}

/** @param {number} height @param {string} title @param {readonly string[]} parts */
function svg(height, title, parts) {
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH}" height="${height}" viewBox="0 0 ${WIDTH} ${height}" role="img" aria-label="${title}">`,
    STYLE,
    `<rect class="paper" width="${WIDTH}" height="${height}" rx="8"/>`,
    `<text x="${LEFT}" y="26">${title}</text>`,
    ...parts,
    '</svg>\n',
  ].join('\n');
}
