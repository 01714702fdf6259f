// A small line of the last five minutes: messages in, and dashed those out. Where nobody counted, the line breaks off.

import { linePath, type Points } from '../state/rate-series.js';

const WIDTH = 120;
const HEIGHT = 20;

type SparkProps = { readonly incoming: Points; readonly outgoing: Points; readonly label: string };

export function Spark({ incoming, outgoing, label }: SparkProps) {
  const most = Math.max(1, ...[...incoming, ...outgoing].map((count) => count ?? 0));
  const box = { width: WIDTH, height: HEIGHT, most };
  return (
    <svg
      class="spark"
      viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
      preserveAspectRatio="none"
      role="img"
      aria-label={label}
    >
      <path class="in" d={linePath(incoming, box)} />
      <path class="out" d={linePath(outgoing, box)} />
    </svg>
  );
}
