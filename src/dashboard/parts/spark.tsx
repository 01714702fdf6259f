// A small line of the last five minutes: messages in, and dashed those out.

const WIDTH = 120;
const HEIGHT = 20;
/** Seconds of one point, so that a line has 60 points. */
const STEP = 5;

type SparkProps = {
  readonly incoming: readonly number[];
  readonly outgoing: readonly number[];
  readonly label: string;
};

export function Spark({ incoming, outgoing, label }: SparkProps) {
  const [ins, outs] = [means(incoming), means(outgoing)];
  const most = Math.max(1, ...ins, ...outs);
  const line = lineOf(ins, most);
  return (
    <svg
      class="spark"
      viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
      preserveAspectRatio="none"
      role="img"
      aria-label={label}
    >
      <path class="area" d={`${line}V${HEIGHT}H0Z`} />
      <path class="in" d={line} />
      <path class="out" d={lineOf(outs, most)} />
    </svg>
  );
}

function means(series: readonly number[]): readonly number[] {
  const points: number[] = [];
  for (let from = 0; from < series.length; from += STEP) {
    const part = series.slice(from, from + STEP);
    points.push(part.reduce((sum, value) => sum + value, 0) / part.length);
  }
  return points;
}

function lineOf(points: readonly number[], most: number): string {
  const step = WIDTH / (points.length - 1);
  return points
    .map((value, index) => {
      const y = HEIGHT - 1 - (value / most) * (HEIGHT - 2);
      return `${index === 0 ? 'M' : 'L'}${(index * step).toFixed(1)} ${y.toFixed(1)}`;
    })
    .join('');
}
