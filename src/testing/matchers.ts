// The matchers: what each expects of an entity, and whether that is so at one moment.

import {
  type Candidate,
  checkExpectedMessage,
  type ExpectedFields,
  isMatch,
  type NearMiss,
  nearestMiss,
  type SeenMessage,
} from './compare.js';
import { isPlainObject, quotedText, shownValue } from './shown-value.js';
import type { Gone, Sight } from './sight.js';

/** A part of the text of a failure that only this matcher has. */
export type Reason =
  | { readonly kind: 'text'; readonly text: string }
  | ({ readonly kind: 'nearest'; readonly of?: string } & NearMiss)
  | { readonly kind: 'there'; readonly candidates: readonly Candidate[] };

/** `unknown`: what would decide it has left the record, or was never in it. */
export type Verdict = {
  readonly outcome: 'yes' | 'no' | 'unknown';
  /** Why it is not yes; of a `.not` that fails, why it is. For the text of a failure alone. */
  readonly reasons: () => readonly Reason[];
};

export type Matcher = {
  /** The arguments in the text of a failure. */
  readonly shown: string;
  /** Whether it is of a topic, or of an entity that holds messages. */
  readonly of: 'topic' | 'messages';
  /** Whether the yes counts only once the emulator is idle, because what is in progress could change it. */
  readonly isExact: boolean;
  /** Whether its no needs only quiet: the locks that it is about keep the emulator from being idle. */
  readonly isAboutLocks?: boolean;
  readonly hasMessages: boolean;
  /** Whether it fails because of what is there, and not of what is missing. */
  readonly expectsNone?: boolean;
  /** The subscription of a topic whose copies are expected. */
  readonly subscription?: string;
  readonly judge: (sight: Sight) => Verdict;
};

/** Makes a matcher of the arguments of a test. Throws a TypeError for wrong ones. */
export type MakeMatcher = (...given: readonly unknown[]) => Matcher;

export const MATCHERS: Readonly<
  Record<string, { readonly argumentCount: number; readonly make: MakeMatcher }>
> = {
  toHaveMessages: { argumentCount: 1, make: toHaveMessages },
  toBeEmpty: { argumentCount: 0, make: () => counting('', 0) },
  toHaveDeadLetter: { argumentCount: 1, make: toHaveDeadLetter },
  toHaveBeenCompleted: { argumentCount: 1, make: toHaveBeenCompleted },
  toHaveBeenRoutedTo: { argumentCount: 2, make: toHaveBeenRoutedTo },
  toHaveProcessedInOrder: { argumentCount: 1, make: toHaveProcessedInOrder },
  toHaveNothingUnsettled: { argumentCount: 0, make: toHaveNothingUnsettled },
};

function toHaveMessages(wanted: unknown): Matcher {
  if (typeof wanted === 'number' && Number.isSafeInteger(wanted) && wanted >= 0) {
    return counting(String(wanted), wanted);
  }
  if (!Array.isArray(wanted)) {
    throw new TypeError(
      `toHaveMessages takes a number of messages, or a list of messages to be there, such as [{ subject: 'paid' }], not ${shownValue(wanted)}.`,
    );
  }
  if (wanted.length === 0) {
    throw new TypeError('toHaveMessages takes at least one message; toBeEmpty expects that there is none.');
  }
  for (const one of wanted) checkExpectedMessage('Each message of toHaveMessages', one);
  const expected: readonly ExpectedFields[] = wanted;
  return {
    shown: shownValue(expected),
    of: 'messages',
    isExact: false,
    hasMessages: true,
    judge: (sight) => {
      const { left, unmatched } = pair(expected, sight.messages);
      if (unmatched.length === 0) return yes(() => there(sight.messages));
      const reasons = () => {
        const others = [
          ...left.map((message) => candidateOf(message)),
          ...sight.deadLetters.map((message) => candidateOf(message, 'dead letter')),
          ...sight.completed().flatMap((one) => candidateOfGone(one)),
        ];
        const isOne = expected.length === 1;
        return unmatched.flatMap((one) => missing(one, others, isOne ? undefined : shownValue(one)));
      };
      return sight.isCut ? unknown(CUT, reasons) : no(reasons);
    },
  };
}

function counting(shown: string, wanted: number): Matcher {
  return {
    shown,
    of: 'messages',
    isExact: true,
    hasMessages: false,
    expectsNone: wanted === 0,
    judge: ({ count, messages }) => {
      const reasons = () => there(messages);
      return count === wanted ? yes(reasons) : no(reasons);
    },
  };
}

function toHaveDeadLetter(given: unknown = {}): Matcher {
  const expected = isPlainObject(given) ? withReason(given) : given;
  checkExpectedMessage('toHaveDeadLetter', expected);
  return {
    shown: shownValue(given),
    of: 'messages',
    isExact: false,
    hasMessages: true,
    judge: ({ deadLetters, messages, isCut }) => {
      const dead = () => deadLetters.map((message) => candidateOf(message, 'dead letter'));
      if (deadLetters.some((message) => isMatch(expected, message))) {
        return yes(() => [{ kind: 'there', candidates: dead() }]);
      }
      const reasons = () => (deadLetters.length > 0 ? missing(expected, dead()) : there(messages));
      return isCut ? unknown(CUT, reasons) : no(reasons);
    },
  };
}

/** `reason` and `description` are what everybody calls them; a message has longer names for them. */
function withReason({ reason, description, ...fields }: Readonly<Record<string, unknown>>): unknown {
  return {
    ...(reason !== undefined && { deadLetterReason: reason }),
    ...(description !== undefined && { deadLetterErrorDescription: description }),
    ...fields,
  };
}

function toHaveBeenCompleted(expected: unknown = {}): Matcher {
  checkExpectedMessage('toHaveBeenCompleted', expected);
  return {
    shown: shownValue(expected),
    of: 'messages',
    isExact: false,
    hasMessages: true,
    judge: ({ completed, messages, deadLetters, isKnown }) => {
      const ended = completed();
      const done = ended.flatMap((one) => candidateOfGone(one));
      const isAny = isEverything(expected);
      const isDone = isAny ? ended.length > 0 : done.some(({ message }) => isMatch(expected, message));
      if (isDone) return yes(() => [{ kind: 'there', candidates: done }]);
      const reasons = () => {
        if (done.length > 0) return missing(expected, done);
        const dead = deadLetters.map((one) => candidateOf(one, 'dead letter'));
        return missing(expected, [...messages.map((one) => candidateOf(one)), ...dead]);
      };
      if (!isKnown) return unknown(BEYOND, reasons);
      return done.length < ended.length ? unknown(FORGOTTEN, reasons) : no(reasons);
    },
  };
}

function toHaveBeenRoutedTo(subscription: unknown, expected: unknown = {}): Matcher {
  if (typeof subscription !== 'string' || subscription === '') {
    throw new TypeError(
      `toHaveBeenRoutedTo takes the name of a subscription, not ${shownValue(subscription)}.`,
    );
  }
  checkExpectedMessage('toHaveBeenRoutedTo', expected);
  const isAny = isEverything(expected);
  return {
    shown: isAny ? quotedText(subscription) : `${quotedText(subscription)}, ${shownValue(expected)}`,
    of: 'topic',
    isExact: false,
    hasMessages: false,
    subscription,
    judge: ({ path, records, messageOf, isKnown }) => {
      const routes = records().flatMap((record) => (record.kind === 'routed' ? [record] : []));
      const store = `${path}/subscriptions/${subscription}`.toLowerCase();
      const here = routes.filter((record) => record.path.toLowerCase() === store);
      const found = here.map(({ acceptedNumber }) => messageOf(path, acceptedNumber));
      if (isAny ? here.length > 0 : found.some((one) => one !== undefined && isMatch(expected, one))) {
        const words = here.map(
          ({ acceptedNumber, rule }) => `#${acceptedNumber} was copied by rule '${rule}'`,
        );
        return yes(() => words.map(text));
      }
      const reasons = () => {
        const candidates = records().flatMap((record): Candidate[] => {
          const message = record.kind === 'accepted' ? messageOf(path, record.sequenceNumber) : undefined;
          return message === undefined ? [] : [{ name: wayOf(message, routes), message }];
        });
        const all = { kind: 'there', candidates } as const;
        return isAny ? [all] : [...missing(expected, candidates), all];
      };
      if (!isKnown) return unknown(BEYOND, reasons);
      return !isAny && found.includes(undefined) ? unknown(FORGOTTEN, reasons) : no(reasons);
    },
  };
}

/** Names a message of a topic with the subscriptions that got a copy. */
function wayOf(
  { sequenceNumber, messageId }: SeenMessage,
  routes: readonly { readonly path: string; readonly rule: string; readonly acceptedNumber: number }[],
): string {
  const to = routes.filter(({ acceptedNumber }) => acceptedNumber === sequenceNumber);
  const where = to.map(({ path, rule }) => `'${path.replace(/^.*\//, '')}' by rule '${rule}'`);
  return `#${sequenceNumber}, id ${shownValue(messageId)}, went to ${where.join(', ') || 'no subscription'}`;
}

function toHaveProcessedInOrder(session: unknown): Matcher {
  if (typeof session !== 'string') {
    throw new TypeError(`toHaveProcessedInOrder takes the id of a session, not ${shownValue(session)}.`);
  }
  const isOfSession = (message: SeenMessage | undefined) => message?.sessionId === session;
  return {
    shown: quotedText(session),
    of: 'messages',
    isExact: true,
    hasMessages: true,
    judge: ({ path, records, messages, messageOf, isKnown, isCut }) => {
      const ended = records().flatMap((record) => {
        if (!ENDS.has(record.kind) || !('sequenceNumber' in record)) return [];
        if (record.path?.toLowerCase() !== path.toLowerCase()) return [];
        return [{ number: record.sequenceNumber, message: messageOf(path, record.sequenceNumber) }];
      });
      const numbers = ended.flatMap(({ number, message }) => (isOfSession(message) ? [number] : []));
      const order = numbers.map((number) => `#${number}`).join(', ');
      const at = numbers.findIndex((number, index) => number < (numbers[index - 1] ?? 0));
      if (at > 0) {
        const late = `#${numbers[at - 1]} was processed before #${numbers[at]}; in order: ${order}`;
        return no(() => [text(late)]);
      }
      const left = messages.filter(isOfSession);
      if (left.length > 0) return no(() => [text('Not processed yet:'), ...there(left)]);
      const isAny = numbers.length > 0;
      const said = isAny
        ? `In order: ${order}`
        : `No message of session ${quotedText(session)} was processed.`;
      const reasons = () => [text(said)];
      if (!isKnown) return unknown(BEYOND, reasons);
      if (isCut) return unknown(CUT, reasons);
      if (ended.some(({ message }) => message === undefined)) return unknown(FORGOTTEN, reasons);
      return isAny ? yes(reasons) : no(reasons);
    },
  };
}

function toHaveNothingUnsettled(): Matcher {
  return {
    shown: '',
    of: 'messages',
    isExact: true,
    isAboutLocks: true,
    hasMessages: true,
    expectsNone: true,
    judge: ({ lockedCount, messages }) => {
      const reasons = () => there(messages.filter(({ state }) => state === 'locked'));
      return lockedCount === 0 ? yes(reasons) : no(reasons);
    },
  };
}

/** The records with which a message leaves its store for good. */
const ENDS: ReadonlySet<string> = new Set(['completed', 'consumed', 'dead-lettered']);

const FORGOTTEN = 'some of the messages that are gone are no longer remembered.';
const CUT = 'there are more messages than are compared.';
const BEYOND = 'the record does not reach back to the begin of the test.';

/** Whether any message is expected: no field is named. */
function isEverything(expected: ExpectedFields): boolean {
  return isPlainObject(expected) && Object.keys(expected).length === 0;
}

function yes(reasons: () => readonly Reason[]): Verdict {
  return { outcome: 'yes', reasons };
}

function no(reasons: () => readonly Reason[]): Verdict {
  return { outcome: 'no', reasons };
}

function unknown(why: string, reasons: () => readonly Reason[]): Verdict {
  return { outcome: 'unknown', reasons: () => [text(`Not known: ${why}`), ...reasons()] };
}

function text(line: string): Reason {
  return { kind: 'text', text: line };
}

function there(messages: readonly SeenMessage[]): readonly Reason[] {
  return [{ kind: 'there', candidates: messages.map((message) => candidateOf(message)) }];
}

/** The nearest of the candidates; for a function, of which nobody knows the reasons, all of them. */
function missing(expected: ExpectedFields, candidates: readonly Candidate[], of?: string): readonly Reason[] {
  const near = nearestMiss(expected, candidates);
  if (near !== undefined) return [{ kind: 'nearest', ...near, ...(of !== undefined && { of }) }];
  return [{ kind: 'there', candidates }];
}

function candidateOf(message: SeenMessage, state = message.state): Candidate {
  const reason = message.deadLetterReason === undefined ? '' : `, ${message.deadLetterReason}`;
  return {
    name: `#${message.sequenceNumber} ${state}, id ${shownValue(message.messageId)}${reason}`,
    message,
  };
}

function candidateOfGone({ sequenceNumber, message, record }: Gone): readonly Candidate[] {
  if (message === undefined) return [];
  const end = record.kind === 'completed' ? 'completed' : 'received and deleted';
  return [{ name: `#${sequenceNumber} ${end}, id ${shownValue(message.messageId)}`, message }];
}

/** Gives each expected message one of its own, if there are enough: by augmenting paths, because the first one that fits may be another's. */
function pair(
  expected: readonly ExpectedFields[],
  messages: readonly SeenMessage[],
): { readonly left: readonly SeenMessage[]; readonly unmatched: readonly ExpectedFields[] } {
  const takenBy = new Map<SeenMessage, ExpectedFields>();
  const find = (one: ExpectedFields, tried: Set<SeenMessage>): boolean =>
    messages.some((message) => {
      if (tried.has(message) || !isMatch(one, message)) return false;
      tried.add(message);
      const holder = takenBy.get(message);
      if (holder !== undefined && !find(holder, tried)) return false;
      takenBy.set(message, one);
      return true;
    });
  const unmatched = expected.filter((one) => !find(one, new Set()));
  return { left: messages.filter((message) => !takenBy.has(message)), unmatched };
}
