// The field that an error of the interface is about.

import { ApiError } from '../../state/api.js';
import { type DraftProperty, TEXT_FIELDS } from './draft.js';

/** The key of a problem, as `readDraft` names them; undefined for one of the whole message. */
export function fieldOfError(error: unknown, properties: readonly DraftProperty[]): string | undefined {
  if (!(error instanceof ApiError)) return undefined;
  if (error.code === 'entity-not-found') return 'destination';
  const [, property] = /application property '([^']*)'/i.exec(error.message) ?? [];
  if (property !== undefined) {
    const index = properties.findIndex(({ name }) => name.startsWith(property));
    if (index >= 0) return `property ${index}`;
  }
  const field = TEXT_FIELDS.find(([name]) =>
    new RegExp(`'(?:\\d+\\.)?${name}'|\\b${name}\\b`, 'i').test(error.message),
  );
  if (field !== undefined) return field[0];
  if (/timeToLive/i.test(error.message)) return 'timeToLive';
  if (/scheduledEnqueueTime/i.test(error.message)) return 'time';
  return error.code === 'message-size-exceeded' || /'(?:\d+\.)?body/i.test(error.message)
    ? 'body'
    : undefined;
}
