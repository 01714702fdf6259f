// Messages as JSON, as the interface gives them: as a file with one a line, or one to be copied.

import type { RawMessageAnswer } from '../../../http/control/control-schemas.js';
import { ApiError, get } from '../../state/api.js';
import { saveFile } from '../../state/save-file.js';
import type { Progress, Selected } from './manage.js';
import { type Place, storeOf, walk } from './read-messages.js';

/** Messages that are read by their numbers at a time. */
const AT_ONCE = 8;

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
  saveFile(new Blob(parts, { type: 'application/x-ndjson' }), fileName(storeOf(place), place.tab));
  return { count, problem };
}

async function* messagesOf(
  place: Place,
  selected: Selected,
  { signal, progress }: Control,
): AsyncGenerator<readonly object[]> {
  if (selected.kind === 'all') {
    yield* walk(place, selected.filter, { signal, scanned: (scanned) => progress({ scanned }) });
    return;
  }
  const entity = storeOf(place);
  for (let at = 0; at < selected.numbers.length && !signal.aborted; at += AT_ONCE) {
    const numbers = selected.numbers.slice(at, at + AT_ONCE);
    yield (await Promise.all(numbers.map((number) => readOne(entity, number, signal)))).flat();
  }
}

/** A message that is gone is left out. */
async function readOne(entity: string, number: number, signal: AbortSignal): Promise<readonly object[]> {
  try {
    const { raw: _, ...message } = await get<RawMessageAnswer>(`messages/${number}`, { entity }, signal);
    return [message];
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) return [];
    throw error;
  }
}

function fileName(store: string, tab: string): string {
  return `${store.replace(/[^\w.-]+/g, '-').replace(/^-|-$/g, '')}-${tab}.ndjson`;
}

/** A message to be copied. Types and descriptors stay, so that a Uri, a duration, a time and NaN are told from texts. */
export function messageJson({ raw: _, ...message }: RawMessageAnswer): string {
  return JSON.stringify(message, null, 2);
}
