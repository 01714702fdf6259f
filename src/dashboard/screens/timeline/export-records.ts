// The shown records as a file, one JSON object a line, as the control interface has them.

import { timeText } from '../../state/format.js';
import type { Mark } from './timeline-message.js';

/** Written at a time, so that the page never stands still. */
const AT_ONCE = 1000;

/** Returns the number of records. */
export async function exportRecords(marks: readonly Mark[], filter: string): Promise<number> {
  const parts: Blob[] = [];
  for (let at = 0; at < marks.length; at += AT_ONCE) {
    parts.push(new Blob(marks.slice(at, at + AT_ONCE).map(({ event }) => `${JSON.stringify(event)}\n`)));
    await new Promise((resolve) => setTimeout(resolve));
  }
  const address = URL.createObjectURL(new Blob(parts, { type: 'application/x-ndjson' }));
  const anchor = document.createElement('a');
  anchor.href = address;
  anchor.download = timelineFileName(filter, timeText(Date.now(), { withMs: false }));
  anchor.click();
  setTimeout(() => URL.revokeObjectURL(address), 60_000);
  return marks.length;
}

export function timelineFileName(filter: string, time: string): string {
  const name = filter
    .replace(/[^\w.-]+/g, '-')
    .replace(/^-|-$/g, '')
    .slice(0, 60);
  return `timeline-${name === '' ? 'all' : name}-${time.replaceAll(':', '')}.ndjson`;
}
