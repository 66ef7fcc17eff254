import { lastSlots, slotText, type Slot } from './slots.ts';
import { linkTo } from './router.ts';
import { blocks, chain, head, schedule, STRIP_SLOTS } from './live.tsx';
import { countText, counted } from './words.ts';

/** Later than this behind its slot a block is marked: it nearly missed it. */
const LATE_MS = 1000;
/** What is less is no more than how punctual lines and timers are. */
const TOLD_MS = 100;

const MOST_NAMES = 6;

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
      </figcaption>
    </figure>
  );
}

function shownSlots(): Slot[] {
  const [now, round, about] = [head.value, schedule.value, chain.value];
  if (now === undefined || round === undefined || about === undefined || now.head_block_number === 0) return [];
  const witnesses = round.current_shuffled_witnesses.slice(0, round.num_scheduled_witnesses);
  const headSlot = { time: now.time, slot: Number(now.current_aslot), intervalSeconds: about.intervalSeconds };
  return lastSlots(blocks.value, headSlot, { witnesses, nextShuffle: round.next_shuffle_block_num }, STRIP_SLOTS);
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
      <a href={linkTo('block', block.number)} tabIndex={-1}>
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
