// The rows of the report, and when one is good.

export const QUANTILES = { p99: 0.99 } as const;
const MAX_P99_MS = 250;
const MAX_GROWTH_MB = 150;

export type Row = {
  readonly attack: string;
  readonly waitP99Ms: number;
  readonly longestWaitMs: number;
  /** Resident memory of the emulator before, at its highest, and 10 s after. */
  readonly memoryMb: { readonly before: number; readonly highest: number; readonly after: number };
  /** The attacker's own words. */
  readonly told: string;
};

/** The limits that the row breaks, as sentences. */
export function problemsOf({ waitP99Ms, memoryMb }: Row): readonly string[] {
  const { before, highest, after } = memoryMb;
  return [
    ...(waitP99Ms < MAX_P99_MS ? [] : [`p99 is ${waitP99Ms.toFixed(0)} ms; it must be below ${MAX_P99_MS}`]),
    ...(highest - before <= MAX_GROWTH_MB ? [] : [growth('rose by', highest - before)]),
    ...(after - before <= MAX_GROWTH_MB ? [] : [growth('is after 10 s still higher by', after - before)]),
  ];
}

function growth(verb: string, mb: number): string {
  return `memory ${verb} ${mb.toFixed(0)} MB; at most ${MAX_GROWTH_MB} are allowed`;
}

export function reportOf(row: Row): string {
  const { attack, waitP99Ms, longestWaitMs, memoryMb, told } = row;
  const { before, highest, after } = memoryMb;
  const problems = problemsOf(row);
  return [
    `${attack.padEnd(12)} others waited p99 ${waitP99Ms.toFixed(1)} ms, longest ${longestWaitMs.toFixed(1)} ms`,
    `memory ${before.toFixed(0)}, ${highest.toFixed(0)}, ${after.toFixed(0)} MB`,
    told,
    problems.length === 0 ? 'ok' : problems.join('; '),
  ].join(' · ');
}
