// Messages as a file: one JSON object a line, as the interface gives them.

import type { Progress, Selected } from './manage.js';
import { matching, type Place, storeOf } from './read-messages.js';
import { storedMessages } from './stored-messages.js';

type Control = { readonly progress: Progress; readonly signal: AbortSignal };

export type Exported = {
  readonly count: number;
  /** Why the file ends before the last message; undefined if it does not. */
  readonly problem: string | undefined;
};

/**
 * Gathers the lines and offers them as a download. Resolves with how many there are; with undefined when the signal has ended it
 * without a file. An error that comes after the first message leaves a file of those before it.
 */
export async function exportMessages(
  place: Place,
  selected: Selected,
  control: Control,
): Promise<Exported | undefined> {
  const parts: Blob[] = [];
  let count = 0;
  let problem: string | undefined;
  try {
    for await (const messages of messagesOf(place, selected, control)) {
      // A blob may leave memory, which texts may not.
      parts.push(new Blob(messages.map((message) => `${JSON.stringify(message)}\n`)));
      count += messages.length;
      control.progress({ done: count });
    }
  } catch (error) {
    if (count === 0 && !control.signal.aborted) throw error;
    problem = error instanceof Error ? error.message : String(error);
  }
  if (control.signal.aborted) return undefined;
  save(new Blob(parts, { type: 'application/x-ndjson' }), fileName(storeOf(place), place.tab));
  return { count, problem };
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
  for await (const messages of storedMessages(place, selected.numbers, signal)) {
    yield messages.map(({ raw: _, ...message }) => message);
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
