// What records, logs and a reset cost, beside their targets.

import { formatTable } from '../table.js';
import type { ActivityCost } from './activity-cost.js';
import type { ResetTime } from './reset-time.js';

const TITLES: Readonly<Record<ActivityCost['recording'], string>> = {
  none: 'nothing recorded',
  ring: 'the last 10,000 events kept, nobody listens',
  info: 'the command line with its log',
  debug: '--log-level debug to a file',
  json: 'the same with --log-format json',
};
/** The most that each may cost, as a ratio to nothing recorded. */
const MOST: Partial<Record<ActivityCost['recording'], number>> = { ring: 1.03, debug: 1.25 };
const MOST_RESET_MS = 10;

export function formatActivity(costs: readonly ActivityCost[]): string {
  return formatTable(
    ['a message sent, received and completed', 'CPU µs', 'of nothing', 'target'],
    costs.map(({ recording, cpuMicroseconds, ratio }) => {
      const most = MOST[recording];
      const verdict = most === undefined ? '' : `≤ ${most} ${ratio <= most ? 'ok' : 'above'}`;
      return [TITLES[recording], cpuMicroseconds.toFixed(1), ratio.toFixed(3), verdict];
    }),
  );
}

export function formatResets(times: readonly ResetTime[]): string {
  return formatTable(
    ['a reset of a queue with', 'ms', `target ≤ ${MOST_RESET_MS}`, 'then pieces', 'longest ms'],
    times.map(({ messageCount, resetMs, pieceCount, longestPieceMs }) => [
      `${messageCount} messages, a tenth of them locked`,
      resetMs.toFixed(2),
      resetMs <= MOST_RESET_MS ? 'ok' : 'above',
      String(pieceCount),
      longestPieceMs.toFixed(1),
    ]),
  );
}
