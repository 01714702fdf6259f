// Messages as a file: one JSON object a line, as the interface gives them.

import type { RawMessageAnswer } from '../../../http/control/control-schemas.js';
import { get } from '../../state/api.js';
import type { Progress, Selected } from './manage.js';
import { matching, type Place, storeOf } from './read-messages.js';

type Control = { readonly progress: Progress; readonly signal: AbortSignal };

/** Looks at a time. */
const AT_ONCE = 8;

/** Gathers the lines and offers them as a download. Resolves with how many there are; with undefined when the signal has ended it without a file. */
export async function exportMessages(
  place: Place,
  selected: Selected,
  control: Control,
): Promise<number | undefined> {
  const parts: Blob[] = [];
  let count = 0;
  for await (const messages of messagesOf(place, selected, control)) {
    // A blob may leave memory, which texts may not.
    parts.push(new Blob(messages.map((message) => `${JSON.stringify(message)}\n`)));
    count += messages.length;
    control.progress({ done: count });
  }
  if (control.signal.aborted) return undefined;
  save(new Blob(parts, { type: 'application/x-ndjson' }), fileName(storeOf(place), place.tab));
  return count;
}

async function* messagesOf(
  place: Place,
  selected: Selected,
  { signal, progress }: Control,
): AsyncGenerator<readonly object[]> {
  if (selected.kind === 'all') {
    yield* matching(place, selected.filter, { signal, looked: (looked) => progress({ looked }) });
    return;
  }
  const { numbers } = selected;
  for (let at = 0; at < numbers.length && !signal.aborted; at += AT_ONCE) {
    const looks = numbers.slice(at, at + AT_ONCE).map(async (number) => {
      const query = { entity: storeOf(place) };
      const stored = await get<RawMessageAnswer>(`messages/${number}`, query, signal).catch(() => undefined);
      if (stored === undefined) return [];
      const { raw: _, ...message } = stored;
      return [message];
    });
    yield (await Promise.all(looks)).flat();
  }
}

export function fileName(store: string, tab: string): string {
  return `${store.replace(/[^\w.-]+/g, '-').replace(/^-|-$/g, '')}-${tab}.ndjson`;
}

function save(blob: Blob, name: string): void {
  const address = URL.createObjectURL(blob);
  const anchor = document.createElement('a');
  anchor.href = address;
  anchor.download = name;
  anchor.click();
  setTimeout(() => URL.revokeObjectURL(address), 60_000);
}
