// The rates of the whole namespace over the last five minutes, as the emulator has counted them.

import type { RatesAnswer } from '../../../http/control/control-schemas.js';
import { Panel } from '../../parts/panel.js';
import { rateText, timeText } from '../../state/format.js';
import { type EntityRates, linePath, rateOfNow } from '../../state/rate-series.js';
import { useStore } from '../../state/use-store.js';

const SIZE = { width: 600, height: 96 };
const LINES = [
  ['in', 'in', 'What senders sent, without the copies of topics'],
  ['out', 'out', 'What receivers took'],
  ['deadLettered', 'dead-lettered', 'Messages that became dead letters'],
] as const satisfies readonly (readonly [keyof EntityRates, string, string])[];

export function RatesPanel({ rates }: { readonly rates: RatesAnswer }) {
  const store = useStore();
  const now = store.rates.value?.entities.find(({ path }) => path === '');
  const all = rates.entities.find(({ path }) => path === '');
  if (all === undefined) return null;
  const { stepMs, from } = rates;
  const peak = Math.max(0, ...LINES.flatMap(([name]) => all[name].map((count) => count ?? 0)));
  const peakText = `${rateText(peak / (stepMs / 1000))}/s`;
  return (
    <Panel title="Rates" sub={`messages a second · at most ${peakText} in ${stepMs / 1000} s`}>
      <div class="nsrates">
        <svg
          viewBox={`0 0 ${SIZE.width} ${SIZE.height}`}
          preserveAspectRatio="none"
          role="img"
          aria-label="Messages a second in the last five minutes"
        >
          {LINES.map(([name]) => (
            <path key={name} class={name} d={linePath(all[name], { ...SIZE, most: peak })} />
          ))}
        </svg>
        <p class="t3">
          <span>{timeText(from, { withMs: false })}</span>
          <span class="push">now</span>
        </p>
        <ul>
          {LINES.map(([name, text, title]) => {
            const rate = now && rateOfNow(now[name], 1000);
            return (
              <li key={name} class={name} title={title}>
                <i aria-hidden="true" /> <b>{rate === undefined ? '–' : rateText(rate)}</b> {text}/s
              </li>
            );
          })}
          <li class="t3">in the last 5 s</li>
        </ul>
      </div>
    </Panel>
  );
}
