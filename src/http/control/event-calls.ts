// The calls of the control interface that answer with activities: the stream of them, as server-sent events, and the history of one message.

import { parseEntityPath } from '../../broker/contract/entities/entity-path.js';
import type { InspectedEntity } from '../../broker/contract/inspection.js';
import { nearestPath } from '../../config/entity-names.js';
import { inspectCauses } from '../../inspect/inspect-causes.js';
import type { ActivityRecord } from '../../watch/activity-record.js';
import type { ActivityStream } from '../../watch/activity-stream.js';
import type { Cause, CauseContext } from '../../watch/causes.js';
import { eventText } from '../../watch/record-kinds.js';
import { RequestProblem } from '../error-response.js';
import { expectResult, type RoutedCall } from '../http-context.js';
import { manageAccess, managesNamespace } from './control-access.js';
import { eventsQuery, historyQuery, noQuery, ratesQuery, readSearch } from './control-requests.js';
import type { CausesAnswer, HistoryAnswer, RatesAnswer } from './control-schemas.js';
import { optionalTime, timeText } from './entity-answers.js';
import { eventAnswer, eventStream } from './event-writer.js';

const SECOND_MS = 1000;

export const EVENT_CALLS = {
  /**
   * With `Last-Event-ID` or `since` the stream begins after that record, otherwise with whatever happens next. A header says when the
   * emulator was started, because a client with the key of one entity may not ask `info`.
   */
  async streamEvents(call: RoutedCall): Promise<Response> {
    const { since, entity, kind, count } = readSearch(call, eventsQuery);
    const activity = activityOf(call);
    const last = lastEventId(call) ?? since;
    const grantedAt = activity.nextId;
    const access = await manageAccess(entity ?? '', call);
    if (access instanceof Response) return access;
    const ownEntity = await ownEntityOf(entity, call);
    const stream = eventStream(activity, {
      from: last === undefined ? grantedAt : last + 1,
      isWanted:
        count === 'all'
          ? undefined
          : (record) =>
              (kind === undefined || kind.includes(record.kind)) &&
              (entity === undefined || isAbout(record, entity)),
      countsOthers: count !== undefined && ownEntity === undefined,
      grantedAt,
      expiresAtMs: access.expiresAtMs,
      endsWith: (record) => ownEntity !== undefined && isDeletionOf(record, ownEntity),
      clock: call.context,
      share: call.share,
    });
    return new Response(stream, {
      headers: {
        'content-type': 'text/event-stream; charset=utf-8',
        'cache-control': 'no-store',
        'jitney-started-time': call.context.startedTime.toISOString(),
      },
    });
  },

  async getCauses(call: RoutedCall): Promise<CausesAnswer> {
    readSearch(call, noQuery);
    const activity = activityOf(call);
    const { engine } = call.context;
    const causes = await inspectCauses(engine);
    const { entities } = expectResult(await engine.ask({ kind: 'inspect-namespace' }), 'inspected-entities');
    return { causes: activity.causes(causes, contextOf(entities)).map(causeAnswer) };
  },

  /** Without a step the counts are those of seconds. Nothing is sampled before somebody asks for the first time. */
  getRates(call: RoutedCall): RatesAnswer {
    const { entity, stepMs = SECOND_MS } = readSearch(call, ratesQuery);
    const rates = activityOf(call).rates(stepMs, entity);
    if (rates === undefined) throw new RequestProblem(404, 'This emulator samples no rates.');
    return {
      from: timeText(rates.from),
      stepMs,
      entities: rates.entities.map(({ path, ...points }) => ({
        path,
        in: [...points.in],
        out: [...points.out],
        deadLettered: [...points.deadLettered],
      })),
    };
  },

  /**
   * Leaves out what happened in other entities if the client has only the right to this one: the message may come from another. What is
   * recorded is answered even when the entity has been deleted.
   */
  async getHistory(call: RoutedCall): Promise<HistoryAnswer> {
    const { entity, sequenceNumber } = readSearch(call, historyQuery);
    const history = activityOf(call).history(entity, sequenceNumber);
    const { records, omittedDeliveries } = history;
    if (records.length === 0) await requireEntity(entity, call);
    const ownEntity = await ownEntityOf(entity, call);
    const shown = ownEntity === undefined ? records : records.filter((record) => isAbout(record, ownEntity));
    const isWhole = shown.length === records.length;
    return {
      events: shown.map((record) => ({ ...eventAnswer(record), text: eventText(record) })),
      isComplete: history.isComplete && isWhole,
      since: optionalTime(isWhole ? history.since : shown[0]?.time),
      omittedDeliveries,
    };
  },
} as const;

/** Throws a ServiceBusError if there is no such entity. */
async function requireEntity(entityPath: string, { context }: RoutedCall): Promise<void> {
  expectResult(await context.engine.ask({ kind: 'find-entity', entityPath }), 'entity');
}

function contextOf(entities: readonly InspectedEntity[]): CauseContext {
  const all = entities.flatMap((entity): readonly InspectedEntity[] =>
    entity.kind === 'topic' ? [entity, ...entity.subscriptions] : [entity],
  );
  const byPath = new Map(all.map((entity) => [entity.path.toLowerCase(), entity]));
  const paths = all.map(({ path }) => path);
  return {
    lockDurationMs(path) {
      const entity = byPath.get(path.toLowerCase());
      return entity === undefined || entity.kind === 'topic' ? undefined : entity.description.lockDurationMs;
    },
    isThere: (path) => byPath.has(path.toLowerCase()),
    nearest: (path) => nearestPath(path, paths),
  };
}

function causeAnswer({ oldestTime, newestTime, client, ...cause }: Cause): CausesAnswer['causes'][number] {
  return {
    ...cause,
    ...(client && { client: { ...client } }),
    oldestTime: timeText(oldestTime),
    newestTime: timeText(newestTime),
  };
}

/** The queue or topic to which the client's right is limited; undefined with Manage of the namespace. */
async function ownEntityOf(entity: string | undefined, call: RoutedCall): Promise<string | undefined> {
  if (entity === undefined || (await managesNamespace(call))) return undefined;
  return parseEntityPath(entity).name;
}

/** Turns the recording on first, because an emulator that is started in code records nothing until somebody reads it. */
function activityOf({ context }: RoutedCall): ActivityStream {
  const activity = context.control?.activity;
  if (activity === undefined) throw new RequestProblem(404, 'This emulator records no events.');
  activity.turnOn();
  return activity;
}

/** The header that a browser sends when it reconnects. */
function lastEventId({ request }: RoutedCall): number | undefined {
  const given = request.headers.get('last-event-id');
  if (given === null) return undefined;
  if (/^\d{1,15}$/.test(given)) return Number(given);
  const text = `Last-Event-ID is ${JSON.stringify(given.slice(0, 100))}; it must be the id of an event, a whole number.`;
  throw new RequestProblem(400, text);
}

/** Whether a record is about this entity. A key opens the events of one entity only, and `orders/old` may be a queue of its own beside `orders`. */
function isAbout(record: ActivityRecord, entity: string): boolean {
  if (!('path' in record)) return false;
  const path = record.path?.toLowerCase() ?? '';
  const wanted = entity.toLowerCase();
  const isBelow = path === wanted || path.startsWith(`${wanted}/`);
  return isBelow && parseEntityPath(path).name === parseEntityPath(wanted).name;
}

function isDeletionOf(record: ActivityRecord, name: string): boolean {
  return record.kind === 'entity-deleted' && record.path === name;
}
