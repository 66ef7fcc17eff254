const WIDTH = 600;
const HEIGHT = 64;

interface CourseProps {
  readonly title: string;
  /** The figures that matter, in words. */
  readonly text: string;
  /** One for each minute, the oldest first. */
  readonly values: readonly number[];
}

/** The course of an hour as a small picture, which needs no library. Its text says the same. */
export function Course({ title, text, values }: CourseProps) {
  const most = Math.max(...values, 0);
  const step = WIDTH / Math.max(1, values.length - 1);
  const pointHeight = (value: number): number => HEIGHT - 2 - (most === 0 ? 0 : (value / most) * (HEIGHT - 4));
  const points = values
    .map((value, index) => `${(index * step).toFixed(1)},${pointHeight(value).toFixed(1)}`)
    .join(' ');
  return (
    <figure class="course">
      <h3>{title}</h3>
      <p class="quiet">{text}</p>
      <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} preserveAspectRatio="none" aria-hidden="true">
        <polygon points={`0,${HEIGHT} ${points} ${WIDTH},${HEIGHT}`} />
        <polyline points={points} />
      </svg>
      <p class="ends quiet" aria-hidden="true">
        <span>1 h before</span>
        <span>head</span>
      </p>
    </figure>
  );
}
