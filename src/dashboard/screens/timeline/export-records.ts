// The shown records as a file, one JSON object a line, as the control interface has them.

import { timeText } from '../../state/format.js';
import type { TimelineStep } from './timeline-messages.js';

export function exportRecords(steps: readonly TimelineStep[], filter: string): void {
  const lines = steps.map(({ event }) => `${JSON.stringify(event)}\n`);
  const address = URL.createObjectURL(new Blob(lines, { type: 'application/x-ndjson' }));
  const anchor = document.createElement('a');
  anchor.href = address;
  const name = filter.replace(/[^\w.-]+/g, '-').slice(0, 60) || 'all';
  anchor.download = `timeline-${name}-${timeText(Date.now(), { withMs: false }).replaceAll(':', '')}.ndjson`;
  anchor.click();
  setTimeout(() => URL.revokeObjectURL(address), 60_000);
}
