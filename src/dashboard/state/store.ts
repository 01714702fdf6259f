// Everything that the screens share: what the emulator is, its entities with their counts, what has happened, and what the page says.
// `main.tsx` makes the one of the page; a test makes its own.

import { computed, effect, signal } from '@preact/signals';
import type {
  ClockAnswer,
  InfoAnswer,
  QueueAnswer,
  RatesAnswer,
  SubscriptionAnswer,
  TopicAnswer,
} from '../../http/control/control-schemas.js';
import { ApiError, get } from './api.js';
import { EventReader, type EventScope } from './event-reader.js';
import { Notices } from './notices.js';
import type { PageEvent } from './page-event.js';
import { Polling } from './polling.js';

/** `login`: keys are checked, and this tab has none that is good. */
export type Link = 'connecting' | 'live' | 'lost' | 'login';
/** An entity that holds messages or passes them on, in the order of the tables: a topic before its subscriptions. */
export type Listed = QueueAnswer | TopicAnswer | SubscriptionAnswer;
type Listener = (events: readonly PageEvent[]) => void;
type EntitiesAnswer = { readonly entities: readonly (QueueAnswer | TopicAnswer)[] };

/** A question that must be answered before the page goes on, for acts whose screen draws none of its own. */
export type Question = {
  readonly title: string;
  /** Says what will be gone. */
  readonly text: string;
  /** The word of the button that means yes. */
  readonly act: string;
  readonly onConfirm: () => void;
};

/** The events that are kept in the page. */
const MAX_EVENTS = 20_000;
/** A list of messages may have a megabyte. */
const MAX_KEPT_ANSWERS = 40;
const REFRESH_MS = 300;
/** So many events since the last answer are traffic whose counts nobody could read three times a second. */
const BUSY_EVENTS = 50;
const BUSY_REFRESH_MS = 2000;
/** An answer with many entities costs more. */
const MS_FOR_EACH_ENTITY = 2;
/** Counts change with the time as well, without an event; those of many entities are read only after events. */
const IDLE_REFRESH_MS = 1000;
const MANY_ENTITIES = 200;
/** Others may set the clock, which no event tells, and what is due next changes with each message. */
const CLOCK_MS = 1000;

export class Store {
  readonly info = signal<InfoAnswer | undefined>(undefined);
  /** The rates of the namespace by seconds, which the bar reads: the page shows one number for them. */
  readonly rates = signal<RatesAnswer | undefined>(undefined);
  readonly clock = signal<ClockAnswer | undefined>(undefined);
  readonly link = signal<Link>('connecting');
  /** Since when the values are those of the past; undefined while they are live. */
  readonly lostSince = signal<number | undefined>(undefined);
  /** The emulator that answers now began while this page was open; `isOther`: it has not the data of the one before. */
  readonly restart = signal<{ readonly startedTime: string; readonly isOther: boolean } | undefined>(
    undefined,
  );
  readonly entities = signal<readonly (QueueAnswer | TopicAnswer)[] | undefined>(undefined);
  /** Changes with each batch of events: read it to be drawn again. */
  readonly eventCount = signal(0);
  /** Events that this page has missed. */
  readonly missedCount = signal(0);
  /** While the page is paused, screens keep what they show. */
  readonly isPaused = signal(false);
  /** Grows when the emulator answers again after a loss, or was started again: what may have failed or changed is read again. */
  readonly openedCount = signal(0);
  /** The time now, by the machine of this page; changes once a second. */
  readonly now = signal(Date.now());
  /**
   * The present in the times of messages and events. The emulator converts them to the machine's clock, whether the broker's is ahead or
   * runs at another pace. They stand still while it is frozen, and what the page shows is of the past while nobody answers.
   */
  readonly brokerNow = computed(() => {
    const machine = (this.link.value === 'lost' ? this.lostSince.value : undefined) ?? this.now.value;
    if (this.clock.value?.mode !== 'frozen') return machine;
    // Read for its changes: a clock that moves while it is frozen says so with its next event.
    this.eventCount.value;
    const last = this.#lastEventTime;
    return Math.max(this.#frozen?.at ?? 0, last === undefined ? 0 : Date.parse(last)) || machine;
  });
  readonly question = signal<Question | undefined>(undefined);
  /** Whether the sheet of all keys is shown. */
  readonly isHelpOpen = signal(false);
  readonly notices = new Notices();

  readonly listed = computed<readonly Listed[]>(() =>
    (this.entities.value ?? []).flatMap((entity): readonly Listed[] =>
      entity.kind === 'topic' ? [entity, ...entity.subscriptions] : [entity],
    ),
  );
  /** Whether the page may change nothing: `--ui read-only`. */
  readonly isReadOnly = computed(() => this.info.value?.settings.ui === 'read-only');
  /** The name that people gave this emulator: `--label`. */
  readonly label = computed(() => {
    const given = this.info.value?.settings.label;
    return typeof given === 'string' ? given : undefined;
  });

  readonly #events: PageEvent[] = [];
  #lastEventTime: string | undefined;
  /** With the entity of which a listener wants the events; undefined: all. */
  readonly #listeners = new Map<Listener, string | undefined>();
  #reader: EventReader | undefined;
  #scope: EventScope = 'none';
  readonly #restartListeners = new Set<() => void>();
  #counts = this.#countsPolling();
  #clock = this.#clockPolling();
  /** When the page saw the clock stop or move on while frozen, and the broker's time since then. */
  #frozen: { readonly time: string; readonly at: number } | undefined;
  #sawClock = false;
  /** The last answers to what screens have asked. */
  readonly #kept = new Map<string, unknown>();
  /** The events, and the time, at the last request for counts. */
  #pending = { eventCount: 0, at: 0 };
  #stop = () => {};

  constructor() {
    effect(() => this.#noteClock(this.clock.value));
  }

  /** Begins to read. Called again after a login. */
  start(): void {
    this.stop();
    this.link.value = 'connecting';
    this.#forgetEvents();
    const reader = new EventReader(
      {
        events: (events) => this.#take(events),
        counted: (count, time) => {
          this.#lastEventTime = time ?? this.#lastEventTime;
          this.eventCount.value += count;
        },
        opened: (isRestarted) => this.#opened(isRestarted),
        lost: (count) => {
          this.missedCount.value += count;
        },
        broken: (error) => this.#broken(error),
      },
      this.#scope,
    );
    this.#reader = reader;
    const ticking = setInterval(() => {
      this.now.value = Date.now();
    }, 1000);
    this.#refreshAll();
    this.#stop = () => {
      reader.end();
      clearInterval(ticking);
      this.#counts.end();
      this.#clock.end();
    };
  }

  stop(): void {
    this.#stop();
    this.#stop = () => {};
  }

  /** Whether somebody sees a page that changes and an emulator that answers: without either nothing is asked. */
  isSeenLive(): boolean {
    return document.visibilityState === 'visible' && !this.isPaused.peek() && this.link.peek() !== 'lost';
  }

  /** The events that the page still has, oldest first, while a listener wants those of all entities. */
  recentEvents(): readonly PageEvent[] {
    return this.#events;
  }

  /**
   * Calls the listener with the events that come from now on, of one entity or of all. The first that wants those of all gets the events
   * that the emulator has kept as well. Returns a function that ends it.
   */
  onEvents(listener: Listener, entity?: string): () => void {
    this.#listeners.set(listener, entity);
    this.#chooseScope();
    return () => {
      this.#listeners.delete(listener);
      this.#chooseScope();
    };
  }

  /** Calls the listener when the emulator was started again, and the events until then are those of the last run. Returns a function that ends it. */
  onRestart(listener: () => void): () => void {
    this.#restartListeners.add(listener);
    return () => this.#restartListeners.delete(listener);
  }

  /** The queue, topic or subscription of a path; for a sub-queue, the entity that it belongs to. */
  entityAt(path: string): Listed | undefined {
    const wanted = path.replace(/\/\$(Transfer\/)?\$?DeadLetterQueue$|\/\$Transfer$/i, '').toLowerCase();
    return this.listed.value.find((entity) => entity.path.toLowerCase() === wanted);
  }

  refreshClock(): Promise<void> {
    return this.#clock.refresh();
  }

  /**
   * The present for what an answer of `readAt` says of the ends of locks and of schedules: they count from the answer, and come no nearer
   * while the clock is frozen.
   */
  dueNow(readAt: number): number {
    return this.clock.value?.mode === 'frozen' ? readAt : this.brokerNow.value;
  }

  /** Reads an answer and keeps it. While nobody answers, it is the last one, which the banner says; what was never read is an error. */
  async read<Answer>(path: string, signal: AbortSignal): Promise<Answer> {
    try {
      const answer = await get<Answer>(path, {}, signal);
      this.#kept.delete(path);
      this.#kept.set(path, answer);
      const [oldest = ''] = this.#kept.keys();
      if (this.#kept.size > MAX_KEPT_ANSWERS) this.#kept.delete(oldest);
      return answer;
    } catch (error) {
      const isUnanswered = error instanceof ApiError && error.status === 0;
      if (isUnanswered && this.#kept.has(path)) return this.#kept.get(path) as Answer;
      throw error;
    }
  }

  /** Resolves when counts are there that are no older than this call. */
  refreshEntities(): Promise<void> {
    return this.#counts.refresh();
  }

  /** A page that was opened on a frozen clock does not know since when it stands still. */
  #noteClock(clock: ClockAnswer | undefined): void {
    if (clock === undefined) return;
    const at = this.#sawClock ? Date.parse(clock.realTime) : 0;
    if (clock.mode !== 'frozen') this.#frozen = undefined;
    else if (clock.time !== this.#frozen?.time) this.#frozen = { time: clock.time, at };
    this.#sawClock = true;
  }

  #countsPolling(): Polling<EntitiesAnswer> {
    const polling: Polling<EntitiesAnswer> = new Polling(
      (ending) => {
        this.#pending = { eventCount: this.eventCount.peek(), at: performance.now() };
        return get<EntitiesAnswer>('entities', {}, ending);
      },
      { every: () => REFRESH_MS, isOn: () => this.isSeenLive() && this.#mayHaveChanged() },
    );
    effect(() => {
      const { value, error } = polling.state.value;
      if (error !== undefined) this.#askLogin(error);
      else if (value !== undefined && (!this.isPaused.peek() || this.entities.peek() === undefined))
        this.entities.value = value.entities;
    });
    return polling;
  }

  #clockPolling(): Polling<ClockAnswer> {
    const polling = new Polling<ClockAnswer>((ending) => get('clock', {}, ending), {
      every: () => CLOCK_MS,
      isOn: () => this.isSeenLive(),
    });
    effect(() => {
      const { value } = polling.state.value;
      if (value !== undefined) this.clock.value = value;
    });
    return polling;
  }

  #mayHaveChanged(): boolean {
    const events = this.eventCount.peek() - this.#pending.eventCount;
    const count = this.listed.peek().length;
    if (events === 0 && count > MANY_ENTITIES) return false;
    const least = events === 0 ? IDLE_REFRESH_MS : events > BUSY_EVENTS ? BUSY_REFRESH_MS : REFRESH_MS;
    return performance.now() - this.#pending.at >= Math.max(least, count * MS_FOR_EACH_ENTITY);
  }

  /** Reads what the stream of events does not say. An answer that is under way would be one of the past. */
  #refreshAll(): void {
    this.#counts.end();
    this.#counts = this.#countsPolling();
    this.#clock.end();
    this.#clock = this.#clockPolling();
    this.#readInfo();
    this.refreshClock();
    this.refreshEntities();
  }

  /** At the end of the task, because the next screen may want what the last one wanted; not later, because an event would be only counted. */
  #chooseScope(): void {
    queueMicrotask(() => {
      const wanted = new Set(this.#listeners.values());
      const [entity] = wanted;
      const next = wanted.size === 0 ? 'none' : wanted.size > 1 || entity === undefined ? 'all' : { entity };
      if (isSameScope(this.#scope, next)) return;
      this.#scope = next;
      this.#events.length = 0;
      this.#reader?.setScope(next);
    });
  }

  async #readInfo(): Promise<void> {
    // Other errors are those of the link: the stream of events says them as well.
    const info = await get<InfoAnswer>('info').catch((error: unknown) => void this.#askLogin(error));
    if (info === undefined) return;
    const before = this.info.peek();
    this.info.value = info;
    if (before === undefined || before.startedTime === info.startedTime) return;
    const { dataDirectory } = info.settings;
    const isOther = dataDirectory === undefined || dataDirectory !== before.settings.dataDirectory;
    this.restart.value = { startedTime: info.startedTime, isOther };
  }

  #take(batch: readonly PageEvent[]): void {
    const events = this.#events;
    events.push(...batch);
    if (events.length > MAX_EVENTS) events.splice(0, events.length - MAX_EVENTS);
    this.#lastEventTime = events.at(-1)?.time;
    this.eventCount.value += batch.length;
    for (const listener of this.#listeners.keys()) listener(batch);
  }

  #opened(isRestarted: boolean): void {
    const wasLost = this.link.peek() === 'lost';
    this.link.value = 'live';
    this.lostSince.value = undefined;
    if (isRestarted) this.#forgetEvents();
    if (!wasLost && !isRestarted) return;
    this.openedCount.value += 1;
    this.#refreshAll();
  }

  /** All events come again, or others with their ids. */
  #forgetEvents(): void {
    this.#events.length = 0;
    this.#kept.clear();
    for (const listener of this.#restartListeners) listener();
  }

  #broken(error: unknown): void {
    if (this.#askLogin(error)) return;
    this.lostSince.value ??= Date.now();
    this.link.value = 'lost';
  }

  #askLogin(error: unknown): boolean {
    const isRefused = error instanceof ApiError && error.status === 401;
    if (isRefused) this.link.value = 'login';
    return isRefused;
  }
}

function isSameScope(one: EventScope, other: EventScope): boolean {
  if (typeof one === 'string' || typeof other === 'string') return one === other;
  return one.entity === other.entity;
}

/** Whether an entity holds messages of any state, dead letters included. */
export function hasMessages({ counts }: Listed): boolean {
  return Object.values(counts).some((count) => count > 0);
}
