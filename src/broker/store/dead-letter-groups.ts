// The dead letters of a store, grouped by reason and description. They are counted in pieces when somebody first asks, because a million
// with different texts take seconds, and the groups follow each change from then on.

import type { DeadLetterGroup } from '../contract/inspection.js';
import type { Instant } from '../contract/instant.js';
import type { PropertyChange, PropertyValue } from '../contract/message-properties.js';
import type { MessageReader } from './message-reader.js';
import type { StoreLog } from './partitioned-log.js';
import type { StoredMessage } from './stored-message.js';

/** DLQ-05: application properties of a dead-lettered message. */
export const REASON = 'DeadLetterReason';
export const DESCRIPTION = 'DeadLetterErrorDescription';

/** Receivers can invent any number of reasons. Further groups of a store are one. */
const MAX_GROUPS = 50;
/** A description is compared, and shown, up to this length. */
const MAX_LENGTH = 500;
/** A group may have so many numbers of messages that have left it, besides as many as it has messages. */
const MAX_STALE = 64;

/** Whether the change of a property may move a dead letter to another group. */
export function isOfGroup({ name }: PropertyChange): boolean {
  return name === REASON || name === DESCRIPTION;
}

/** The number that is above all others: every message is counted. */
const ALL = Number.POSITIVE_INFINITY;

type Texts = { readonly reason: string | undefined; readonly description: string | undefined };

export class DeadLetterGroups {
  readonly #log: StoreLog;
  readonly #reader: Pick<MessageReader, 'decode'>;
  #groups = new Map<string, Group>();
  #rest = restGroup();
  /** Messages from this number on are not counted yet. */
  #uncountedFrom = 0;
  /** The texts of the message before and their group: most dead letters are like their neighbours. */
  #last: { readonly texts: Texts; readonly key: string } | undefined;

  constructor(log: StoreLog, reader: Pick<MessageReader, 'decode'>) {
    this.#log = log;
    this.#reader = reader;
  }

  /** Counts at most so many further messages. Returns how many it counted: fewer if these were the last. */
  countOn(most: number): number {
    // The messages of the rest may have room for groups of their own by now.
    if (this.#uncountedFrom === ALL && this.#rest.count > 0 && this.#groups.size <= MAX_GROUPS / 2) {
      this.#groups = new Map();
      this.#rest = restGroup();
      this.#uncountedFrom = 0;
    }
    if (this.#uncountedFrom === ALL) return 0;
    let count = 0;
    for (const message of this.#log.from(this.#uncountedFrom)) {
      if (count === most) {
        this.#uncountedFrom = message.sequenceNumber;
        return count;
      }
      this.#count(message);
      count += 1;
    }
    this.#uncountedFrom = ALL;
    return count;
  }

  added(message: StoredMessage): void {
    if (message.sequenceNumber < this.#uncountedFrom) this.#count(message);
  }

  /** `message` must be as it was when it was added. */
  removed(message: StoredMessage): void {
    if (message.sequenceNumber >= this.#uncountedFrom) return;
    const group = this.#groupOf(message);
    group.count -= 1;
    if (group.count === 0) this.#drop(group);
    else if (group.numbers.length > 2 * group.count + MAX_STALE) this.#forgetStale(group);
  }

  /** The groups of all that are counted. */
  list(): readonly DeadLetterGroup[] {
    return [...this.#groups.values(), this.#rest].flatMap((group) => this.#shown(group) ?? []);
  }

  #count(message: StoredMessage): void {
    const texts = this.#textsOf(message);
    this.#groupFor(texts).add(message.sequenceNumber, timeOf(message), texts);
  }

  #shown(group: Group): DeadLetterGroup | undefined {
    if (group.count === 0) return undefined;
    if (!group.isInOrder) this.#sort(group);
    const [oldest, newest] = [this.#oldest(group), this.#newest(group)];
    if (oldest === undefined || newest === undefined) return undefined;
    const { texts, masked, differs } = group;
    return {
      reason: differs.reason ? masked.reason : texts.reason,
      description: differs.description ? masked.description : texts.description,
      maskedReason: masked.reason,
      maskedDescription: masked.description,
      isRest: group === this.#rest,
      count: group.count,
      oldestTime: timeOf(oldest),
      newestTime: timeOf(newest),
      sequenceNumber: newest.sequenceNumber,
      lastHolder: newest.details?.lastHolder,
    };
  }

  #oldest(group: Group): StoredMessage | undefined {
    for (; group.first < group.numbers.length; group.first++) {
      const message = this.#member(group, group.numbers[group.first]);
      if (message !== undefined) return message;
    }
    return undefined;
  }

  #newest(group: Group): StoredMessage | undefined {
    while (group.numbers.length > 0) {
      const message = this.#member(group, group.numbers.at(-1));
      if (message !== undefined) return message;
      group.numbers.pop();
    }
    return undefined;
  }

  /** The message of this number, if it is still there and in this group. */
  #member(group: Group, sequenceNumber = -1): StoredMessage | undefined {
    const message = this.#log.find(sequenceNumber);
    return message !== undefined && this.#groupOf(message) === group ? message : undefined;
  }

  #forgetStale(group: Group): void {
    group.numbers = [...new Set(group.numbers)].filter((number) => this.#member(group, number) !== undefined);
    group.first = 0;
  }

  /** After a restart messages come in the order of their numbers. */
  #sort(group: Group): void {
    const messages = new Set(group.numbers.flatMap((number) => this.#member(group, number) ?? []));
    const inOrder = [...messages].sort((a, b) => timeOf(a) - timeOf(b));
    group.numbers = inOrder.map(({ sequenceNumber }) => sequenceNumber);
    group.first = 0;
    group.isInOrder = true;
  }

  #drop(group: Group): void {
    if (group === this.#rest) this.#rest = restGroup();
    else this.#groups.delete(keyOf(group.masked));
  }

  /** While some messages are together in one group, no new group begins: each would have to look for its own among them. */
  #groupOf(message: StoredMessage): Group {
    return this.#groups.get(this.#keyOf(this.#textsOf(message))) ?? this.#rest;
  }

  #groupFor(texts: Texts): Group {
    const key = this.#keyOf(texts);
    const known = this.#groups.get(key);
    if (known !== undefined) return known;
    if (this.#rest.count > 0 || this.#groups.size >= MAX_GROUPS) return this.#rest;
    const group = new Group(texts, maskedTexts(texts));
    this.#groups.set(key, group);
    return group;
  }

  #keyOf(texts: Texts): string {
    const last = this.#last;
    if (
      last !== undefined &&
      last.texts.reason === texts.reason &&
      last.texts.description === texts.description
    )
      return last.key;
    const key = keyOf(maskedTexts(texts));
    this.#last = { texts, key };
    return key;
  }

  /** The texts that were set when it was dead-lettered. */
  #textsOf({ details }: StoredMessage): Texts {
    let reason: string | undefined;
    let description: string | undefined;
    for (const { name, value } of details?.propertyChanges ?? []) {
      if (name === REASON) reason = this.#text(value);
      else if (name === DESCRIPTION) description = this.#text(value);
    }
    return { reason, description };
  }

  #text(value: PropertyValue | null): string | undefined {
    if (value === null) return undefined;
    const read = typeof value === 'string' ? value : this.#reader.decode(value);
    return typeof read === 'object' ? undefined : String(read).slice(0, MAX_LENGTH);
  }
}

class Group {
  /** The texts of the message that began it. */
  readonly texts: Texts;
  readonly masked: Texts;
  /** Whether its messages have had different texts. */
  readonly differs = { reason: false, description: false };
  count = 0;
  /** The numbers of its messages by the time at which they came, and of some that have left. */
  numbers: number[] = [];
  /** The index of the first number that may still be one of its messages. */
  first = 0;
  isInOrder = true;
  #lastTime: Instant = Number.NEGATIVE_INFINITY;

  constructor(texts: Texts, maskedTexts: Texts) {
    this.texts = texts;
    this.masked = maskedTexts;
  }

  add(sequenceNumber: number, time: Instant, { reason, description }: Texts): void {
    this.count += 1;
    this.numbers.push(sequenceNumber);
    if (time < this.#lastTime) this.isInOrder = false;
    else this.#lastTime = time;
    this.differs.reason ||= reason !== this.texts.reason;
    this.differs.description ||= description !== this.texts.description;
  }
}

/** The messages of all further groups, whose texts are not shown. */
function restGroup(): Group {
  const none = { reason: undefined, description: undefined };
  return new Group(none, none);
}

function timeOf({ details, enqueuedTime }: StoredMessage): Instant {
  return details?.deadLetteredAt ?? enqueuedTime;
}

function keyOf({ reason, description }: Texts): string {
  return `${marked(reason)}\0${marked(description)}`;
}

/** Tells an empty text from none. */
function marked(text: string | undefined): string {
  return text === undefined ? '' : `=${text}`;
}

function maskedTexts({ reason, description }: Texts): Texts {
  return { reason: masked(reason), description: masked(description) };
}

/** Masks words with digits: numbers, ids and times, in which the texts of one cause differ. A regular expression needs ten times as long. */
function masked(text: string | undefined): string | undefined {
  if (text === undefined) return undefined;
  let shown = '';
  let start = 0;
  let hasDigit = false;
  for (let index = 0; index <= text.length; index++) {
    const code = index < text.length ? text.charCodeAt(index) : SPACE;
    const isDigit = code >= ZERO && code <= NINE;
    hasDigit ||= isDigit;
    if (isDigit || isOfWord(code) || (hasDigit && isBetweenDigits(text, index))) continue;
    shown += hasDigit ? `…${text.charAt(index)}` : text.slice(start, index + 1);
    start = index + 1;
    hasDigit = false;
  }
  return shown;
}

const SPACE = 32;
const ZERO = 48;
const NINE = 57;

/** True for a letter, a hyphen or an underscore. */
function isOfWord(code: number): boolean {
  const lower = code | 32;
  return (lower >= 97 && lower <= 122) || code === 45 || code === 95 || code > 127;
}

/** Whether a point, colon, comma, slash or plus sign belongs to a number or a time. */
function isBetweenDigits(text: string, index: number): boolean {
  if (!'.:,/+'.includes(text.charAt(index)) || index + 1 >= text.length) return false;
  const next = text.charCodeAt(index + 1);
  return next >= ZERO && next <= NINE;
}
