// The figures of the ways in as a table beside their target.

import { formatTable } from '../table.js';
import type { WayInFigures, WayInRates } from './way-in-rates.js';

/** The least share of the rate over TCP. */
const LEAST_OF_TCP = 0.7;
/** Microseconds of processor time. */
const MOST_FOR_A_LOOK = 20;

export function formatFirstLook(microseconds: number): string {
  const verdict = microseconds <= MOST_FOR_A_LOOK ? 'ok' : 'above';
  return `The look at the first byte costs ${microseconds.toFixed(1)} µs of CPU a connection (target ≤ ${MOST_FOR_A_LOOK}: ${verdict}), and a message nothing.`;
}

export function formatWaysIn({ tcp, ws, wss }: WayInRates): string {
  const row = (what: string, figures: WayInFigures, verdict: string) => [
    what,
    Math.round(figures.messagesPerSecond).toLocaleString('en'),
    figures.ofTcp.toFixed(2),
    verdict,
    figures.cpuMicrosecondsPerMessage.toFixed(1),
  ];
  const verdictOn = ({ ofTcp }: WayInFigures) => (ofTcp >= LEAST_OF_TCP ? 'ok' : 'below');
  return formatTable(
    ['100 parallel sends of 1 KB', 'messages/s', 'of TCP', `target ≥ ${LEAST_OF_TCP}`, 'CPU µs'],
    [
      row('TCP', tcp, ''),
      row('WebSocket', ws, verdictOn(ws)),
      row('WebSocket with TLS', wss, verdictOn(wss)),
    ],
  );
}
