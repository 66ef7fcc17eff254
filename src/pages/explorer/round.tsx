import { AccountLink, BlockLink, Section } from './parts.tsx';
import { reach } from './node_link.tsx';
import { roundCourse, type Slot } from '../../client/slots.ts';
import { presentRound } from './strip.tsx';
import { blocks, chain, schedule } from './live.tsx';
import { durationText } from './words.ts';
import { countText, counted } from '../../values/words.ts';

/** The running round: who has produced, who has missed, who is next. */
export function RunningRound() {
  const found = presentRound();
  if (found === undefined) return null;
  const { head, round } = found;
  const { length } = round.witnesses;
  const places = schedule.value?.current_shuffled_witnesses.length ?? length;
  const lastBlock = round.nextShuffle - length + places;
  if (length <= 1)
    return (
      <Section title="The running round">
        <p class="quiet">
          {length === 1 ? (
            <>
              <AccountLink name={round.witnesses[0] ?? ''} /> makes all blocks until block {countText(lastBlock)}, which
              draws the next order.
            </>
          ) : (
            'No witness is scheduled yet.'
          )}
        </p>
      </Section>
    );
  const { done, coming } = roundCourse(blocks.value, head, round, lastBlock);
  const missed = (done ?? []).filter(({ block }) => block === undefined);
  return (
    <Section title="The running round">
      <p class="quiet">
        {done === undefined ? '' : `${counted(done.length - missed.length, 'block')} made, ${missed.length} missed, `}
        {counted(coming.length, 'slot')} to come{reach.value === 'silent' && ' when the node was heard last'}. Block{' '}
        {countText(lastBlock)} draws the next order.
      </p>
      <ol class="round">
        {(done ?? []).map(doneSlot)}
        {coming.map((name, place) => (
          <li key={`coming ${place}`} class={place === 0 ? 'next' : 'coming'}>
            <AccountLink name={name} />{' '}
            <small>{place === 0 ? 'next' : `in ${durationText(place * (chain.value?.intervalSeconds ?? 0))}`}</small>
          </li>
        ))}
      </ol>
    </Section>
  );
}

/** No component, nor are its links: where many slots are missed, a round has hundreds. */
function doneSlot({ time, block, witness }: Slot) {
  return (
    <li key={time} class={block === undefined ? 'missed' : 'made'}>
      {witness === '' ? 'unknown' : AccountLink({ name: witness })}{' '}
      <small>{block === undefined ? 'missed' : BlockLink(block)}</small>
    </li>
  );
}
