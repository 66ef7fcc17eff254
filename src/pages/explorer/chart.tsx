import { useEffect, useRef } from 'preact/hooks';
import { Fold } from './parts.tsx';
import { amountText } from '../../values/words.ts';
import { secondsText } from '../../client/chain_time.ts';
import { durationText } from './words.ts';
import { exactText } from './zone.tsx';

/** A line of a chart: a value for each time; null where there is none. */
export interface Line {
  readonly name: string;
  readonly values: readonly (number | null)[];
}

interface ChartProps {
  readonly title: string;
  /** The chart's last value in words. */
  readonly text: string;
  /** Seconds before now, negative, ascending. */
  readonly times: readonly number[];
  /** Now, in seconds since 1970: of the chain, or of this machine. */
  readonly now: number;
  readonly lines: readonly Line[];
  readonly unit: string;
  /** Of what can't be below 0 and may be nothing at all. */
  readonly isFromZero: boolean;
  /** True for values that stay until the next one, as balances do. */
  readonly isStepped?: boolean;
}

const HEIGHT = 150;
/** Between the times at the axis: what people count in. */
const STEPS_SECONDS = [
  5,
  15,
  30,
  ...[1, 2, 5, 10, 15, 30].map((minutes) => minutes * 60),
  ...[1, 2, 4, 6, 12, 24, 48].map((hours) => hours * 3600),
  ...[7, 14, 30, 60, 90, 180, 365, 730].map((days) => days * 86_400),
];
/** The longest of those times, and room beside it. */
const LABEL_PIXELS = 84;
/** The shortest span of the axis. */
const LEAST_SECONDS = 60;
/** Told apart by their dashes as well as by their colours. */
const dashes: readonly (readonly number[])[] = [[], [6, 4], [2, 3]];

/** A small chart. Whoever doesn't see it reads the figures in a table. */
export function Chart({ title, text, times, now, lines, unit, isFromZero, isStepped = false }: ChartProps) {
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => {
    let remove = (): void => {};
    let isGone = false;
    void draw(place.current, { times, lines, isFromZero, isStepped }).then((destroy) => {
      if (isGone) destroy();
      else remove = destroy;
    });
    return () => {
      isGone = true;
      remove();
    };
  }, [JSON.stringify([times, lines])]);
  return (
    <figure class="chart">
      <h3>{title}</h3>
      <p class="quiet">{text}</p>
      <div ref={place} aria-hidden="true" />
      {lines.length > 1 && (
        <p class="legend">
          {lines.map(({ name }, index) => `${['solid', 'dashed', 'dotted'][index] ?? ''}: ${name}`).join(', ')}
        </p>
      )}
      <Fold title="As figures">
        {() => (
          <table>
            <thead>
              <tr>
                <th scope="col">When</th>
                {lines.map(({ name }) => (
                  <th key={name} scope="col" class="number">
                    {name}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {times.map((time, index) => (
                <tr key={index}>
                  <td title={exactText(secondsText(now + time))}>
                    {time === 0 ? 'now' : `${durationText(-time)} ago`}
                  </td>
                  {lines.map(({ name, values }) => (
                    <td key={name} class="number">
                      {shown(values[index], unit, isStepped)}
                    </td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        )}
      </Fold>
    </figure>
  );
}

/** Measured values are rounded, balances are not. */
function shown(value: number | null | undefined, unit: string, isExact: boolean): string {
  if (value === undefined || value === null) return '–';
  return isExact ? amountText(`${value.toFixed(DECIMALS)} ${unit}`) : `${Number(value.toPrecision(5))} ${unit}`;
}

/** Of coins. */
const DECIMALS = 6;

const LEAST_WIDTH = 56;
const DIGIT_PIXELS = 7.2;
const LABEL_MARGIN = 12;

/** The room for the longest label of an axis; the library asks before it knows them, too. */
function labelsWidth(labels: readonly (string | number | null)[] | null | undefined): number {
  const longest = Math.max(0, ...(labels ?? []).map((label) => String(label ?? '').length));
  return Math.max(LEAST_WIDTH, LABEL_MARGIN + longest * DIGIT_PIXELS);
}

/** The library is loaded with the first chart. */
async function draw(
  place: HTMLElement | null,
  { times, lines, isFromZero, isStepped = false }: Pick<ChartProps, 'times' | 'lines' | 'isFromZero' | 'isStepped'>,
): Promise<() => void> {
  const { default: Plot } = await import('uplot');
  if (place === null || !place.isConnected) return () => {};
  const style = getComputedStyle(place);
  const colour = (name: string): string => style.getPropertyValue(name).trim();
  const axis = {
    stroke: colour('--soft'),
    grid: { stroke: colour('--line'), width: 1 },
    ticks: { show: false },
    font: `12px ${colour('--font')}`,
  };
  const stepped = isStepped ? Plot.paths.stepped?.({ align: 1 }) : undefined;
  const sizeOf = (): { width: number; height: number } => ({ width: Math.max(160, place.clientWidth), height: HEIGHT });
  const plot = new Plot(
    {
      ...sizeOf(),
      legend: { show: false },
      cursor: { show: false },
      scales: {
        x: { time: false, range: (_, first, last) => [Math.min(first, last - LEAST_SECONDS), last] },
        ...(isFromZero && { y: { range: (_, __, most) => [0, most > 0 ? 1.1 * most : 1] } }),
      },
      series: [
        {},
        ...lines.map(({ name }, index) => ({
          label: name,
          stroke: colour(index === 0 ? '--mark' : index === 1 ? '--late' : '--made'),
          width: 2,
          dash: [...(dashes[index] ?? [])],
          points: { show: times.length < 3 },
          ...(stepped !== undefined && { paths: stepped }),
        })),
      ],
      axes: [
        {
          ...axis,
          values: (_, splits) => splits.map((seconds) => (seconds === 0 ? 'now' : `−${durationText(-seconds)}`)),
          incrs: [...STEPS_SECONDS],
          space: LABEL_PIXELS,
        },
        { ...axis, size: (_, labels) => labelsWidth(labels), space: 26 },
      ],
    },
    [[...times], ...lines.map(({ values }) => [...values])],
    place,
  );
  const watch = new ResizeObserver(() => plot.setSize(sizeOf()));
  watch.observe(place);
  return () => {
    watch.disconnect();
    plot.destroy();
  };
}
