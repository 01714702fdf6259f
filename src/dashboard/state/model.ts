// Everything that the screens share: what the emulator is, its entities with their counts, and what has happened lately.

import { computed, signal } from '@preact/signals';
import type {
  ClockAnswer,
  EntityAnswer,
  InfoAnswer,
  QueueAnswer,
  SubscriptionAnswer,
  TopicAnswer,
} from '../../http/control/control-schemas.js';
import { ApiError, get } from './api.js';
import { readEvents } from './event-reader.js';
import { PacedLook } from './paced-look.js';
import type { PageEvent } from './page-event.js';
import { Rates } from './rates.js';

/** `login`: keys are checked, and this tab has none that is good. */
export type Link = 'connecting' | 'live' | 'lost' | 'login';
/** An entity that holds messages or passes them on, in the order of the tables: a topic before its subscriptions. */
export type Listed = QueueAnswer | TopicAnswer | SubscriptionAnswer;

/** The events that are kept in the page. */
const MAX_EVENTS = 20_000;
const LEAST_REFRESH_MS = 300;
/** With many entities, a look at all of them costs more. */
const MS_FOR_EACH_ENTITY = 2;

export const info = signal<InfoAnswer | undefined>(undefined);
export const clock = signal<ClockAnswer | undefined>(undefined);
export const link = signal<Link>('connecting');
/** Since when the values are those of the past; undefined while they are live. */
export const lostSince = signal<number | undefined>(undefined);
export const entities = signal<readonly (QueueAnswer | TopicAnswer)[] | undefined>(undefined);
/** Changes with each batch of events: read it to be drawn anew. */
export const eventCount = signal(0);
/** Events that this page has missed. */
export const missedCount = signal(0);
/** While the page is paused, screens keep what they show. */
export const isPaused = signal(false);
/** Grows when the emulator answers again after a loss, or was started anew: read it to read anew what may have failed or changed. */
export const openedCount = signal(0);
/** The time now, by the machine of this page; changes once a second. */
export const now = signal(Date.now());
export const connectionCount = signal(0);

export const listed = computed<readonly Listed[]>(() =>
  (entities.value ?? []).flatMap((entity): readonly Listed[] =>
    entity.kind === 'topic' ? [entity, ...entity.subscriptions] : [entity],
  ),
);

export const rates = new Rates();
const events: PageEvent[] = [];
type Listener = (events: readonly PageEvent[]) => void;
const listeners = new Set<Listener>();
const restartListeners = new Set<() => void>();

/** The events that the page still has, oldest first. */
export function recentEvents(): readonly PageEvent[] {
  return events;
}

/** Calls the listener with all events that come from now on. Returns a function that ends it. */
export function onEvents(listener: Listener): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Calls the listener when the emulator was started anew, and all events of before are of the past. Returns a function that ends it. */
export function onRestart(listener: () => void): () => void {
  restartListeners.add(listener);
  return () => restartListeners.delete(listener);
}

/** The queue, topic or subscription of a path; for a sub-queue, the entity that it belongs to. */
export function entityAt(path: string): Listed | undefined {
  const wanted = path.replace(/\/\$(Transfer\/)?\$?DeadLetterQueue$|\/\$Transfer$/i, '').toLowerCase();
  return listed.value.find((entity) => entity.path.toLowerCase() === wanted);
}

let stop = () => {};

/** Begins to read. Called anew after a login. */
export function start(): void {
  stop();
  link.value = 'connecting';
  forgetEvents();
  const stopReading = readEvents({ events: take, opened, lost, broken });
  const ticking = setInterval(tick, 1000);
  document.addEventListener('visibilitychange', refreshWhenSeen);
  const stopWaiting = isPaused.subscribe(refreshWhenSeen);
  refreshAll();
  stop = () => {
    stopReading();
    clearInterval(ticking);
    document.removeEventListener('visibilitychange', refreshWhenSeen);
    stopWaiting();
  };
}

export async function refreshInfo(): Promise<void> {
  await guarded(async () => {
    [info.value, clock.value] = await Promise.all([get<InfoAnswer>('info'), get<ClockAnswer>('clock')]);
  });
}

export async function refreshClock(): Promise<void> {
  await guarded(async () => {
    clock.value = await get<ClockAnswer>('clock');
  });
}

/** So many events since the last answer make traffic whose counts nobody could read three times a second. */
const BUSY_EVENTS = 50;
const BUSY_REFRESH_MS = 2000;
let refreshedCount = 0;
/** Ends the look at all counts that is under way, where its answer would be one of the past. */
let endRefresh = new AbortController();
const refreshing = new PacedLook(readEntities, refreshPauseMs);

/** Asks for all counts soon: at most about three times a second, and less often with many entities or much traffic. */
export function refreshEntitiesSoon(): void {
  refreshing.soon();
}

/** Resolves when counts are there that are no older than this call. */
export function refreshEntities(): Promise<void> {
  return refreshing.atOnce();
}

function refreshPauseMs(): number {
  const least = eventCount.peek() - refreshedCount > BUSY_EVENTS ? BUSY_REFRESH_MS : LEAST_REFRESH_MS;
  return Math.max(least, listed.peek().length * MS_FOR_EACH_ENTITY);
}

async function readEntities(): Promise<void> {
  const { signal } = endRefresh;
  await guarded(async () => {
    const answer = await get<{ entities: readonly (QueueAnswer | TopicAnswer)[] }>('entities', {}, signal);
    if (!isPaused.peek() || entities.peek() === undefined) entities.value = answer.entities;
  });
  refreshedCount = eventCount.peek();
}

/** Reads what the stream of events does not say. */
function refreshAll(): void {
  endRefresh.abort();
  endRefresh = new AbortController();
  refreshInfo();
  refreshEntities();
}

/** A hidden page asks for no counts: it asks when it is shown, and after a pause. */
function refreshWhenSeen(): void {
  if (document.visibilityState === 'visible' && !isPaused.peek()) refreshEntitiesSoon();
}

function take(batch: readonly PageEvent[]): void {
  events.push(...batch);
  if (events.length > MAX_EVENTS) events.splice(0, events.length - MAX_EVENTS);
  for (const event of batch) rates.add(event);
  eventCount.value += batch.length;
  for (const listener of listeners) listener(batch);
  refreshWhenSeen();
}

function opened(isRestarted: boolean): void {
  const wasLost = link.peek() === 'lost';
  link.value = 'live';
  lostSince.value = undefined;
  if (isRestarted) forgetEvents();
  if (!wasLost && !isRestarted) return;
  openedCount.value += 1;
  refreshAll();
}

/** All events come again, or others with their ids. */
function forgetEvents(): void {
  events.length = 0;
  rates.clear();
  for (const listener of restartListeners) listener();
}

function lost(count: number): void {
  missedCount.value += count;
}

function broken(error: unknown): void {
  if (error instanceof ApiError && error.status === 401) {
    link.value = 'login';
    return;
  }
  lostSince.value ??= Date.now();
  link.value = 'lost';
}

function tick(): void {
  now.value = Date.now();
  rates.moveTo(Math.floor(now.value / 1000));
  if (listed.peek().length <= 200) refreshWhenSeen();
}

/** An error of a look at something is that of the link: the stream says it as well. */
async function guarded(look: () => Promise<void>): Promise<void> {
  try {
    await look();
  } catch (error) {
    if (error instanceof ApiError && error.status === 401) link.value = 'login';
  }
}

/** For tests and screens of one entity: the answer of the interface about one path. */
export function lookAt(path: string): Promise<EntityAnswer> {
  return get<EntityAnswer>('entity', { entity: path });
}
