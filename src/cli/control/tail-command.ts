// `jitney tail`: prints events of the running emulator until the user ends it. It goes on after a restart of the emulator.

import { refusing } from '../../config/options/option-types.js';
import { parseSpan } from '../../description/duration.js';
import { suggestion } from '../../description/suggestion.js';
import { shown } from '../../description/value-error.js';
import { isOfKind, JitneyError } from '../../jitney-error.js';
import type { ActivityRecord } from '../../watch/activity-record.js';
import { describeActivity } from '../../watch/activity-text.js';
import { EventStream, type ServerEvent } from '../../watch/event-stream.js';
import { isKind, KINDS } from '../../watch/record-kinds.js';
import { type Paint, unpainted } from '../output/colour.js';
import type { CommandContext } from '../output/command-context.js';
import { localTime } from '../output/local-time.js';
import { oneLine } from '../output/one-line.js';
import { countOf, createLog, type Write } from '../output/output.js';
import type { ControlClient } from './control-client.js';
import { hintInFull } from './full-path.js';

type TailOptions = {
  /** The path of an entity, to print only its events and events below it. */
  readonly entity?: string | undefined;
  readonly kind?: string | undefined;
  /** The id of the event after which to begin. Default: with the next event. */
  readonly since?: string | undefined;
  /** How many events to print at most, and how long to wait for them, as unchecked texts. Default: without end. */
  readonly max?: string | undefined;
  readonly for?: string | undefined;
  readonly isJson: boolean;
};

export type TailContext = Pick<CommandContext, 'stdout' | 'stderr' | 'whenEnded' | 'sleep' | 'paint'>;

const RETRY_MS = 500;
/** Node's timers allow at most 24 days. */
const LONGEST_MS = 20 * 24 * 60 * 60 * 1000;
/** The exit code if not all events of `--max` came within the time of `--for`. */
const TIME_IS_UP = 4;

/** Resolves with the exit code. Throws a JitneyError, but waits for an emulator that goes while it runs. */
export async function tailEvents(
  client: ControlClient,
  options: TailOptions,
  context: TailContext,
): Promise<number> {
  checkOptions(options);
  const { signal, ...ending } = endingOf(context);
  const maxCount = countIn(options.max);
  const tail = new Tail(client, options, { ...context, maxCount });
  const timeUp = timeOf(options.for, context).then(() =>
    maxCount === Number.POSITIVE_INFINITY ? 0 : TIME_IS_UP,
  );
  try {
    return await Promise.race([ending.exitCode, tail.follow(signal), timeUp]);
  } finally {
    ending.end();
  }
}

function timeOf(text: string | undefined, { sleep }: TailContext): Promise<void> {
  if (text === undefined) return new Promise(() => {});
  const ms = refusing('bad-option', '--for', () => parseSpan(text, { longestMs: LONGEST_MS }));
  return sleep(ms);
}

function countIn(text: string | undefined): number {
  if (text === undefined) return Number.POSITIVE_INFINITY;
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text);
  throw new JitneyError(
    'bad-option',
    `--max must be how many events to print, such as 1, not ${shown(text)}`,
  );
}

function endingOf({ whenEnded }: TailContext) {
  const controller = new AbortController();
  return { signal: controller.signal, exitCode: whenEnded(), end: () => controller.abort() };
}

class Tail {
  readonly #client: ControlClient;
  readonly #options: TailOptions;
  readonly #context: TailContext & { readonly maxCount: number };
  readonly #warn: Write;
  /** Where to begin if no event was read yet. */
  #since: string | undefined;
  #lastId: string | undefined;
  /** The start of the emulator at the last connection. Each start counts its events from 1. */
  #startedTime: string | undefined;
  #isGone = false;
  #printedCount = 0;

  constructor(
    client: ControlClient,
    options: TailOptions,
    context: TailContext & { readonly maxCount: number },
  ) {
    this.#client = client;
    this.#options = options;
    this.#context = context;
    this.#since = options.since;
    this.#warn = createLog('info', context.stderr).warn;
  }

  /** Resolves with 0 when all events that were asked for are printed. */
  async follow(signal: AbortSignal): Promise<0> {
    let parts = await this.#open(signal);
    await this.#warnOfMissingEntity();
    for (;;) {
      const hasEnded = await this.#print(parts);
      if (this.#isComplete) return 0;
      signal.throwIfAborted();
      if (!hasEnded) this.#warnOfGone();
      parts = await this.#openAgain(signal);
    }
  }

  get #isComplete(): boolean {
    return this.#printedCount >= this.#context.maxCount;
  }

  /** Opens the events after the last one that was read; all events if the emulator was restarted. */
  async #open(signal: AbortSignal): Promise<AsyncIterable<string>> {
    let stream = await this.#openEvents(signal);
    const isNew = this.#startedTime !== undefined && this.#startedTime !== stream.startedTime;
    if (isNew) {
      stream.close();
      this.#lastId = undefined;
      this.#since = '0';
      stream = await this.#openEvents(signal);
    }
    if (isNew) this.#warn('It was restarted.');
    else if (this.#isGone) this.#warn('It is back.');
    this.#isGone = false;
    this.#startedTime = stream.startedTime;
    return stream.parts;
  }

  #openEvents(signal: AbortSignal): ReturnType<ControlClient['openEvents']> {
    const { entity, kind } = this.#options;
    return this.#client.openEvents({ entity, kind, since: this.#since }, this.#lastId, signal);
  }

  async #openAgain(signal: AbortSignal): Promise<AsyncIterable<string>> {
    for (;;) {
      await this.#context.sleep(RETRY_MS);
      signal.throwIfAborted();
      try {
        return await this.#open(signal);
      } catch (error) {
        if (!isOfKind(error, 'no-emulator')) throw error;
        if (!this.#isGone) this.#warnOfGone();
      }
    }
  }

  #warnOfGone(): void {
    this.#isGone = true;
    this.#warn(`The emulator at ${this.#client.url} has gone; waiting until it is back.`);
  }

  /** Prints until the stream ends or breaks. Returns whether it ended because the token expired, so that a new one can go on. */
  async #print(parts: AsyncIterable<string>): Promise<boolean> {
    let hasEnded = false;
    for await (const event of eventsIn(parts)) {
      if (event.type === 'ended') {
        hasEnded = true;
        this.#lastId = event.id ?? this.#lastId;
        if (isDeletion(event))
          this.#warn(`'${this.#options.entity}' has been deleted, and its keys with it.`);
      } else if (event.type === 'lost') this.#warn(lostText(event));
      else if (event.type === 'restarted') this.#warn(restartedText(event));
      else {
        this.#lastId = event.id ?? this.#lastId;
        this.#context.stdout(
          `${this.#options.isJson ? event.data : lineOf(event.data, this.#context.paint)}\n`,
        );
        this.#printedCount += 1;
        if (this.#isComplete) break;
      }
    }
    return hasEnded;
  }

  /** Warns if the entity does not exist. It may be created later, so the command waits for its events. */
  async #warnOfMissingEntity(): Promise<void> {
    const { entity } = this.#options;
    if (!entity) return;
    // Asking for the entity itself would be refused, and the refusal would be an event that is printed.
    const found = await this.#client.lookFor(await this.#client.fullPath(entity));
    if (found === undefined || found.isThere) return;
    const waiting = `There is no entity '${entity}' yet; waiting for its events.`;
    this.#warn([waiting, ...hintInFull(entity), ...found.hints].join(' '));
  }
}

async function* eventsIn(parts: AsyncIterable<string>): AsyncGenerator<ServerEvent> {
  const stream = new EventStream();
  try {
    for await (const part of parts) yield* stream.read(part);
  } catch {
    // The socket was closed before the answer ended.
  }
}

function lostText({ data }: ServerEvent): string {
  const { count } = JSON.parse(data) as { readonly count: number };
  return `${countOf(count, 'event')} before this are missing: they were no longer kept, or came faster than they were read.`;
}

function isDeletion({ data }: ServerEvent): boolean {
  return (JSON.parse(data) as { readonly cause: string }).cause === 'entity-deleted';
}

function restartedText({ data }: ServerEvent): string {
  const { newestId } = JSON.parse(data) as { readonly newestId: number };
  return `The newest event is ${newestId}: each start counts its events from 1, so this goes on with the first one.`;
}

/** The line of the log for an event, with its time. An event of a kind that only a newer emulator knows is returned as it is. */
function lineOf(data: string, paint: Paint = unpainted): string {
  const event = JSON.parse(data) as { readonly time: string; readonly kind: string };
  const clock = localTime(event.time).slice('2026-05-01 '.length);
  const text = isKind(event.kind) ? describeActivity(event as unknown as ActivityRecord) : data;
  return `${paint('quiet', clock)}  ${oneLine(text)}`;
}

/** Throws a JitneyError for values that no emulator accepts. */
function checkOptions({ kind, since }: TailOptions): void {
  const wrong = kind?.split(',').find((each) => !isKind(each.trim()));
  if (wrong !== undefined) {
    const text = `--kind has '${wrong}', which is not a kind of event.${suggestion(wrong, KINDS)}`;
    throw new JitneyError('bad-option', text, { problems: [`The kinds are ${KINDS.join(', ')}`] });
  }
  if (since !== undefined && !/^\d{1,15}$/.test(since)) {
    throw new JitneyError(
      'bad-option',
      `--since is '${since}'; it must be the id of an event, a whole number`,
    );
  }
}
