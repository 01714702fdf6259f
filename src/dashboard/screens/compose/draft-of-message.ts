// A draft with what a stored message has, to be changed and sent again.

import type { RawMessageAnswer } from '../../../http/control/control-schemas.js';
import { bodyBytes, sentText } from '../../state/body-view.js';
import { destinationOf } from '../../state/destination.js';
import { isPropertyType, propertyText } from '../../state/property-text.js';
import { base64Of, sendableOf } from '../../state/sendable.js';
import { type Draft, EMPTY_DRAFT, TEXT_FIELDS } from './draft.js';

type CopiedDraft = { readonly draft: Draft; readonly lost: readonly string[] };

/** `store` is the path of the queue, topic, subscription or dead-letter queue that holds the message. */
export function draftOfMessage(stored: RawMessageAnswer, store: string): CopiedDraft {
  const { message, lost } = sendableOf(stored);
  const texts = TEXT_FIELDS.flatMap(([field]) => {
    const value = message[field];
    return value === undefined ? [] : [[field, value] as const];
  });
  const { scheduledEnqueueTime, timeToLiveMs, applicationProperties = {} } = message;
  return {
    lost,
    draft: {
      ...EMPTY_DRAFT,
      ...Object.fromEntries(texts),
      ...bodyOf(stored),
      destination: destinationOf(store, stored.deadLetterSource),
      timeToLive: timeToLiveMs === undefined ? '' : `${timeToLiveMs} ms`,
      ...(scheduledEnqueueTime === undefined ? {} : { when: 'at', time: localTime(scheduledEnqueueTime) }),
      properties: Object.entries(applicationProperties).flatMap(([name, property]) => {
        const { type, text } = propertyText(property);
        return isPropertyType(type) ? [{ name, type, value: property.value === null ? '' : text }] : [];
      }),
    },
  };
}

function bodyOf(stored: RawMessageAnswer): Pick<Draft, 'body' | 'bodyKind'> {
  const text = sentText(stored);
  if (text === undefined) return { bodyKind: 'base64', body: base64Of(bodyBytes(stored.raw)) };
  return text === '' ? { bodyKind: 'text', body: '' } : jsonOrText(text);
}

function jsonOrText(body: string): Pick<Draft, 'body' | 'bodyKind'> {
  try {
    JSON.parse(body);
    return { bodyKind: 'json', body };
  } catch {
    return { bodyKind: 'text', body };
  }
}

/** The value of a field for a day and a time, in the zone of the browser. */
export function localTime(time: string): string {
  const date = new Date(time);
  return new Date(date.getTime() - date.getTimezoneOffset() * 60_000).toISOString().slice(0, 19);
}
