// Waits until an entity is as a matcher expects, and otherwise says what was there.

import { type EntityLook, LOOK } from '../inspect/entity-look.js';
import { checkKeys } from '../inspect/given-options.js';
import { waitUntil } from '../inspect/wait-until.js';
import { failureText } from './failure-text.js';
import { MATCHERS, type Matcher, type Verdict } from './matchers.js';
import { noteShown } from './shown-records.js';
import { fitted } from './shown-value.js';
import { labelOf, see } from './sight.js';
import { withStackOf } from './stack-of-test.js';

export type MatcherOptions = {
  /** Milliseconds of real time. Default: 1000. */
  readonly timeoutMs?: number;
};

export type MatcherContext = {
  /** Whether the test wrote `.not`. */
  readonly isNot: boolean;
  /** When the test began, in milliseconds since 1970 by the machine's clock; undefined if nobody knows. */
  readonly begin: number | undefined;
  /** The characters of a line. */
  readonly width: number;
};

/** As test frameworks take it. */
export type Checked = { readonly pass: boolean; readonly message: () => string };

const DEFAULT_TIMEOUT_MS = 1000;
/** Long arguments are shown on so many lines. */
const MOST_LINES = 4;
/** The last messages of a topic that are tried on the rules of a subscription. */
const MOST_NOT_TAKEN = 3;
const EXPIRED = new Error('The time is over.');

/**
 * Resolves with whether the entity is as expected, which is the same with `.not` and without: `pass` must be false then. Rejects with a
 * TypeError for wrong arguments, or with a JitneyError if the emulator has ended.
 */
export async function checkEntity(
  name: string,
  { received, given }: { readonly received: unknown; readonly given: readonly unknown[] },
  context: MatcherContext,
): Promise<Checked> {
  const look = lookOf(name, received);
  const { argumentCount = 0, make } = MATCHERS[name] ?? {};
  if (make === undefined) throw new Error(`There is no matcher ${name}.`);
  const { args, options } = withoutOptions(name, given, argumentCount);
  const matcher = make(...args);
  checkKind(name, look, matcher);
  await checkSubscription(received, matcher, args);
  const { timeoutMs = DEFAULT_TIMEOUT_MS } = options;
  const wait = new EntityWait(look, matcher, context);
  if (await wait.isFulfilled(timeoutMs)) return { pass: !context.isNot, message: () => '' };
  const text = await wait.explain(callOf(name, look, context), timeoutMs);
  return { pass: context.isNot, message: () => text };
}

/** Like `checkEntity`, but rejects with an error whose stack is that of `at`: the line of the test. */
export async function assertEntity(
  name: string,
  call: { readonly received: unknown; readonly given: readonly unknown[] },
  context: MatcherContext,
  at: { readonly stack?: string },
): Promise<void> {
  const { pass, message } = await checkEntity(name, call, context);
  if (pass !== context.isNot) return;
  const error = new Error(message());
  error.name = 'AssertionError';
  throw withStackOf(error, at);
}

/** The options follow the arguments; those that are left out may be undefined. */
function withoutOptions(
  name: string,
  given: readonly unknown[],
  argumentCount: number,
): { readonly args: readonly unknown[]; readonly options: MatcherOptions } {
  const last = given.at(-1);
  const isOptions = typeof last === 'object' && last !== null && 'timeoutMs' in last;
  const args = isOptions ? given.slice(0, -1) : given;
  if (args.length > argumentCount) {
    checkKeys(name, args[argumentCount], ['timeoutMs']);
    throw new TypeError(`${name} takes at most ${argumentCount} arguments and the options { timeoutMs }.`);
  }
  if (!isOptions) return { args, options: {} };
  checkKeys(name, last, ['timeoutMs']);
  return { args, options: last as MatcherOptions };
}

/** Whether it is a handle such as `emulator.queue('orders')`. Others have matchers of the same names, such as jest-extended. */
export function isHandle(received: unknown): boolean {
  return typeof received === 'object' && received !== null && LOOK in received;
}

/** Throws a TypeError for anything but a handle. */
function lookOf(name: string, received: unknown): EntityLook {
  if (isHandle(received)) return (received as { readonly [LOOK]: EntityLook })[LOOK];
  throw new TypeError(
    `${name} is for a handle, such as emulator.queue('orders'), not for ${fitted(String(received), 40)}.`,
  );
}

function checkKind(name: string, look: EntityLook, { of }: Matcher): void {
  if ((look.kind === 'topic') === (of === 'topic')) return;
  throw new TypeError(
    of === 'topic'
      ? `${name} is for a topic, such as emulator.topic('events'), not for the ${labelOf(look)}.`
      : `${name} is not for a topic, whose messages are in its subscriptions: emulator.subscription('${look.path}', …).`,
  );
}

/** Rejects with the JitneyError that names a similar subscription: nothing is ever routed to one that does not exist. */
async function checkSubscription(
  received: unknown,
  { of }: Matcher,
  [subscription]: readonly unknown[],
): Promise<void> {
  if (of !== 'topic') return;
  const topic = received as { subscription(name: string): { counts(): Promise<unknown> } };
  await topic.subscription(String(subscription)).counts();
}

function callOf(name: string, look: EntityLook, { isNot }: MatcherContext): string {
  return `expect(${labelOf(look)})${isNot ? '.not' : ''}.${name}`;
}

class EntityWait {
  readonly #look: EntityLook;
  readonly #matcher: Matcher;
  readonly #context: MatcherContext;
  #underWay: readonly string[] = [];

  constructor(look: EntityLook, matcher: Matcher, context: MatcherContext) {
    this.#look = look;
    this.#matcher = matcher;
    this.#context = context;
  }

  /** Whether it became as expected within the time. What could still change counts only once nothing is in progress. */
  async isFulfilled(timeoutMs: number): Promise<boolean> {
    const { emulator } = this.#look;
    const idleness = emulator.idle();
    const look = async (again: () => void) => {
      const before = emulator.nextId;
      const isIdle = await idleness.isIdle(again);
      this.#underWay = idleness.underWay;
      const { hasMessages } = this.#matcher;
      const sight = await see(this.#look, { begin: this.#context.begin, hasMessages });
      const isThere = sight.counts !== undefined || this.#matcher.of === 'topic';
      if (!isThere || !this.#isWanted(this.#matcher.judge(sight))) return undefined;
      if (!this.#needsRest) return true;
      const isAtRest = this.#isAboutHeldLocks ? idleness.isQuiet(again) : isIdle;
      if (!isAtRest) return undefined;
      if (emulator.nextId === before) return true;
      again();
      return undefined;
    };
    try {
      return await waitUntil({
        look,
        timeoutMs,
        signal: undefined,
        waits: { add: (end) => emulator.onEnd(end) },
        startTimer: emulator.startTimer,
        observe: (again) => idleness.observe(again),
        expired: () => EXPIRED,
      });
    } catch (error) {
      if (error === EXPIRED) return false;
      throw error;
    }
  }

  async explain(call: string, waitedMs: number): Promise<string> {
    const { emulator } = this.#look;
    const { begin, width } = this.#context;
    const sight = await see(this.#look, { begin, hasMessages: true });
    const verdict = sight.counts === undefined ? undefined : this.#matcher.judge(sight);
    const reasons = verdict === undefined ? [] : verdict.reasons();
    const clock = emulator.clock();
    noteShown(this.#look, sight.records());
    return failureText({
      call,
      given: fitted(this.#matcher.shown, MOST_LINES * width),
      waitedMs,
      underWay: this.#underWay,
      reasons,
      notTaken: verdict?.outcome === 'no' && this.#matcher.expectsNone !== true ? await this.#notTaken() : [],
      sight,
      clock,
      // By the broker's clock: while that is the machine's, the test has begun at the same time.
      begin: clock.mode === 'real' ? Math.max(begin ?? 0, emulator.startedTime) : emulator.startedTime,
      width,
    });
  }

  /** A sentence for each of the last messages of the topic that the subscription did not take. */
  async #notTaken(): Promise<readonly string[]> {
    const { kind, entityPath, emulator } = this.#look;
    const [topic, subscription = this.#matcher.subscription] =
      kind === 'subscription' ? entityPath.split(/\/subscriptions\//i) : [entityPath];
    if (topic === undefined || subscription === undefined) return [];
    const { begin = Number.NEGATIVE_INFINITY } = this.#context;
    const own = topic.toLowerCase();
    const sent = emulator.records().flatMap((record) => {
      const isSent = record.kind === 'accepted' && record.path.toLowerCase() === own;
      return isSent && emulator.machineTimeOf(record) >= begin ? [record.sequenceNumber] : [];
    });
    const sentences = [];
    for (const number of sent.slice(-MOST_NOT_TAKEN)) {
      const why = await emulator.whyNotTaken(topic, number, subscription);
      if (why !== undefined)
        sentences.push(`'${topic}' #${number} was not taken by '${subscription}': ${why}.`);
    }
    return sentences;
  }

  #isWanted({ outcome }: Verdict): boolean {
    return outcome === (this.#context.isNot ? 'no' : 'yes');
  }

  get #needsRest(): boolean {
    return this.#matcher.isExact || this.#context.isNot;
  }

  /** The locks that a `.not` expects would keep the emulator from being idle. */
  get #isAboutHeldLocks(): boolean {
    return this.#matcher.isAboutLocks === true && this.#context.isNot;
  }
}
