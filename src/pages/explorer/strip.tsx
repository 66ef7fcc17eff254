import { reach } from './node_link.tsx';
import { AccountLink } from './parts.tsx';
import { lastSlots, nextWitnesses, slotText, type HeadSlot, type Round, type Slot } from '../../client/slots.ts';
import { viewLink } from './router.ts';
import { blocks, chain, head, schedule, STRIP_SLOTS } from './live.tsx';
import { countText, counted } from '../../values/words.ts';

/** Later than this behind its slot a block is marked: it nearly missed it. */
const LATE_MS = 1000;
/** Differences below this are within the punctuality of connections and timers. */
const TOLD_MS = 100;

const MOST_NAMES = 6;
const SHOWN_NEXT = 5;

/** The last slots as a strip: who produced, who missed, how late. */
export function SlotStrip() {
  const slots = shownSlots();
  if (slots.length === 0)
    return <p class="notice">No block yet. The first one comes with the next slot of a witness.</p>;
  const missed = slots.filter(({ block }) => block === undefined);
  const makers = new Set(slots.flatMap(({ block }) => (block === undefined ? [] : [block.witness])));
  return (
    <figure class="strip">
      <ol aria-label={`The last ${counted(slots.length, 'slot')}, the oldest first`}>
        {slots.map((slot) => (
          <SlotMark key={slot.time} slot={slot} />
        ))}
      </ol>
      <figcaption>
        {counted(slots.length - missed.length, 'block')} in the last {counted(slots.length, 'slot')}, by{' '}
        {counted(makers.size, 'witness', 'witnesses')}
        {missed.length > 0 && <Missed slots={missed} />}
        {latest(slots)}
        <NextProducers />
      </figcaption>
    </figure>
  );
}

/** The head among its slots, and the running round; undefined before the first block. */
export function presentRound():
  | { readonly head: HeadSlot & { readonly number: number }; readonly round: Round }
  | undefined {
  const [now, round, about] = [head.value, schedule.value, chain.value];
  if (now === undefined || round === undefined || about === undefined || now.head_block_number === 0) return undefined;
  const witnesses = round.current_shuffled_witnesses.slice(0, round.num_scheduled_witnesses);
  const { time, current_aslot: slot, head_block_number: number } = now;
  return {
    head: { time, number, slot: Number(slot), intervalSeconds: about.intervalSeconds },
    round: { witnesses, nextShuffle: round.next_shuffle_block_num },
  };
}

function shownSlots(): Slot[] {
  const found = presentRound();
  return found === undefined ? [] : lastSlots(blocks.value, found.head, found.round, STRIP_SLOTS);
}

/** Witnesses of the next slots, while the node answers. Nothing is known where each block draws a new round. */
function NextProducers() {
  const found = presentRound();
  if (found === undefined || reach.value === 'silent') return null;
  const names = nextWitnesses(found.head, found.round, SHOWN_NEXT);
  if (names.length === 0) return null;
  return (
    <>
      {' '}
      Next:{' '}
      {names.map((name, index) => (
        <span key={index}>
          {index > 0 && ', '}
          <AccountLink name={name} />
        </span>
      ))}
      {names.length < SHOWN_NEXT && ', then a new round'}.
    </>
  );
}

function SlotMark({ slot }: { readonly slot: Slot }) {
  const text = slotText(slot);
  const { block } = slot;
  if (block === undefined)
    return (
      <li class="missed" title={text}>
        <span class="unseen">{text}</span>
      </li>
    );
  const isLate = (block.lateMs ?? 0) > LATE_MS;
  return (
    <li class={isLate ? 'late' : 'made'} title={text}>
      <a href={viewLink('block', block.number)} tabIndex={-1}>
        <span class="unseen">{text}</span>
      </a>
    </li>
  );
}

function Missed({ slots }: { readonly slots: readonly Slot[] }) {
  const names = [...new Set(slots.map(({ witness }) => witness))].filter((name) => name !== '');
  return (
    <>
      . <strong>{countText(slots.length)} missed</strong>
      {names.length > 0 && <> by {namesText(names)}</>}
    </>
  );
}

/** Of a whole round that is silent the first ones are enough. */
function namesText(names: readonly string[]): string {
  const more = names.length - MOST_NAMES;
  return more > 1 ? `${names.slice(0, MOST_NAMES).join(', ')} and ${more} more` : names.join(', ');
}

/** Known of blocks that came while the page was open. */
function latest(slots: readonly Slot[]): string {
  const lates = slots.flatMap(({ block }) => (block?.lateMs === undefined ? [] : [block.lateMs]));
  if (lates.length < 2) return '.';
  const latestMs = Math.max(...lates);
  if (latestMs < TOLD_MS) return '. All that came since this page was opened came on time.';
  return `. The latest of those that came since this page was opened was ${(latestMs / 1000).toFixed(1)} s behind the most punctual one.`;
}
