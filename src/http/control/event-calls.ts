// The calls of the control interface on the stream of activities: the stream itself, as server-sent events, and the history of one
// message.

import type { ActivityRecord } from '../../activity/activity-record.js';
import type { ActivityStream } from '../../activity/activity-stream.js';
import { jsonOfRecord } from '../../activity/record-json.js';
import { parseEntityPath } from '../../broker/entities/entity-path.js';
import { RequestProblem } from '../error-response.js';
import type { RoutedCall } from '../http-context.js';
import { eventsQuery, historyQuery, readSearch } from './control-requests.js';
import type { EventAnswer, HistoryAnswer } from './control-schemas.js';

/** The most records in one write, so that a long ring is sent in pieces. */
const MAX_WRITTEN = 500;

type Filter = (record: ActivityRecord) => boolean;

export const EVENT_CALLS = {
  /**
   * With `Last-Event-ID` or `since` it begins behind that record, otherwise with what happens next. The head says when the emulator
   * was started, because a key of one entity may not ask `info`.
   */
  streamEvents(call: RoutedCall): Response {
    const { since, entity, kind } = readSearch(call, eventsQuery);
    const activity = activityOf(call);
    const last = lastEventId(call) ?? since;
    const isWanted: Filter = (record) =>
      (kind === undefined || kind.includes(record.kind)) && (entity === undefined || isAbout(record, entity));
    const stream = eventStream(activity, last === undefined ? activity.nextId : last + 1, isWanted);
    return new Response(stream, {
      headers: {
        'content-type': 'text/event-stream; charset=utf-8',
        'cache-control': 'no-store',
        'jitney-started-time': call.context.startedTime.toISOString(),
      },
    });
  },

  getHistory(call: RoutedCall): HistoryAnswer {
    const { entity, sequenceNumber } = readSearch(call, historyQuery);
    const activity = activityOf(call);
    return {
      events: activity.history(entity, sequenceNumber).map(eventAnswer),
      isComplete: activity.firstId === 1,
    };
  },
} as const;

/** Turns the records on, for an emulator in a process that has not read them before. */
function activityOf({ context }: RoutedCall): ActivityStream {
  const activity = context.control?.activity;
  if (activity === undefined) throw new RequestProblem(404, 'This emulator records no events.');
  activity.turnOn();
  return activity;
}

/** The header that a browser repeats when it connects anew. */
function lastEventId({ request }: RoutedCall): number | undefined {
  const given = request.headers.get('last-event-id');
  if (given === null) return undefined;
  if (/^\d{1,15}$/.test(given)) return Number(given);
  const text = `Last-Event-ID is ${JSON.stringify(given.slice(0, 100))}; it must be the id of an event, a whole number.`;
  throw new RequestProblem(400, text);
}

/** The key of an entity opens its events, so those of another must not pass: `orders/old` may be a queue beside `orders`. */
function isAbout(record: ActivityRecord, entity: string): boolean {
  if (!('path' in record)) return false;
  const path = record.path?.toLowerCase() ?? '';
  const wanted = entity.toLowerCase();
  const isBelow = path === wanted || path.startsWith(`${wanted}/`);
  return isBelow && parseEntityPath(path).name === parseEntityPath(wanted).name;
}

/**
 * Writes the records as the reader takes them. A reader that is slower than the stream loses the oldest: an event `lost` says how
 * many. One that names a record which is still to come has read it in an earlier start of the emulator: it gets an event
 * `restarted`, and all that is kept.
 */
function eventStream(activity: ActivityStream, from: number, isWanted: Filter): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  let nextId = from;
  let isRestart = from > activity.nextId;
  let wake: (() => void) | undefined;
  let stopObserving = () => {};
  const takeText = () => {
    let text = '';
    if (isRestart) {
      text += `event: restarted\ndata: ${JSON.stringify({ newestId: activity.nextId - 1 })}\n\n`;
      nextId = activity.firstId;
      isRestart = false;
    }
    if (nextId < activity.firstId) {
      text += `event: lost\ndata: ${JSON.stringify({ count: activity.firstId - nextId })}\n\n`;
      nextId = activity.firstId;
    }
    for (let count = 0; count < MAX_WRITTEN && nextId < activity.nextId; count++, nextId++) {
      const record = activity.read(nextId);
      if (record !== undefined && isWanted(record)) text += eventText(record);
    }
    return text;
  };
  return new ReadableStream<Uint8Array>({
    start(controller) {
      stopObserving = activity.observe(() => wake?.());
      controller.enqueue(encoder.encode(': connected\n\n'));
    },
    async pull(controller) {
      for (let text = takeText(); ; text = takeText()) {
        if (text !== '') {
          controller.enqueue(encoder.encode(text));
          return;
        }
        if (nextId < activity.nextId) continue;
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
    },
    cancel() {
      stopObserving();
    },
  });
}

function eventText(record: ActivityRecord): string {
  return `id: ${record.id}\ndata: ${JSON.stringify(eventAnswer(record))}\n\n`;
}

function eventAnswer(record: ActivityRecord): EventAnswer {
  return jsonOfRecord(record) as EventAnswer;
}
