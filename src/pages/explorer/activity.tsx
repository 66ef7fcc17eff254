import { useAnswer } from './asked.tsx';
import { readChainHour, minuteFullness, minuteRates, roughText, type ChainHour } from './chain_hour.ts';
import { Course } from './course.tsx';
import { head, headNumber } from './live.tsx';
import { optionalNodePage } from './node_page.ts';
import { Section } from './parts.tsx';

/** Transactions a second and fullness of blocks over the last hour. Without an answer the view says that they are missing. */
export function Activity() {
  const hour = useAnswer(
    'The last hour',
    'hour',
    async () =>
      await optionalNodePage('Transactions a second and block fullness', 'chain/last_hour.json', readChainHour),
    headNumber.value,
  );
  const maximumBytes = head.value?.maximum_block_size ?? 0;
  if (hour === undefined || headNumber.value === 0) return null;
  return (
    <Section title="The last hour">
      <div class="charts">
        <Course title="Transactions a second" text={rateText(hour)} values={minuteRates(hour)} />
        <Course
          title="Block fullness"
          text={fullnessText(hour, maximumBytes)}
          values={minuteFullness(hour, maximumBytes)}
        />
      </div>
    </Section>
  );
}

function rateText(hour: ChainHour): string {
  const rates = minuteRates(hour);
  const mean = rates.reduce((sum, rate) => sum + rate, 0) / rates.length;
  return `${roughText(mean)} on average, ${roughText(Math.max(...rates))} in the busiest minute`;
}

function fullnessText(hour: ChainHour, maximumBytes: number): string {
  const most = Math.max(...minuteFullness(hour, maximumBytes));
  return `${roughText(most)} % in the fullest minute, of ${roughText(maximumBytes / 1024)} KiB a block`;
}
