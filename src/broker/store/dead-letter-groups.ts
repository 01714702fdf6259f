// The dead letters of a store, grouped by reason and description. The groups are made by one pass over the store when somebody first asks,
// and follow each change from then on.

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

type Texts = { readonly reason: string | undefined; readonly description: string | undefined };

export class DeadLetterGroups {
  readonly #log: StoreLog;
  readonly #reader: Pick<MessageReader, 'decode'>;
  #groups = new Map<string, Group>();
  #rest = new Group({ reason: undefined, description: undefined }, undefined);
  /** The texts of the message before and their group: most dead letters are like their neighbours. */
  #last: { readonly texts: Texts; readonly key: string } | undefined;

  /** Reads the whole log, which takes about a second for a million dead letters. */
  constructor(log: StoreLog, reader: Pick<MessageReader, 'decode'>) {
    this.#log = log;
    this.#reader = reader;
    this.#readAll();
  }

  added(message: StoredMessage): void {
    const texts = this.#textsOf(message);
    this.#groupFor(texts).add(message.sequenceNumber, timeOf(message), texts.description);
  }

  /** `message` must be as it was when it was added. */
  removed(message: StoredMessage): void {
    const group = this.#groupOf(message);
    group.count -= 1;
    if (group.count === 0) this.#drop(group);
    else if (group.numbers.length > 2 * group.count + MAX_STALE) this.#forgetStale(group);
  }

  list(): readonly DeadLetterGroup[] {
    // The messages of the rest may have room for groups of their own by now.
    if (this.#rest.count > 0 && this.#groups.size <= MAX_GROUPS / 2) this.#readAll();
    return [...this.#groups.values(), this.#rest].flatMap((group) => this.#shown(group) ?? []);
  }

  #readAll(): void {
    this.#groups = new Map();
    this.#rest = new Group({ reason: undefined, description: undefined }, undefined);
    for (const message of this.#log.from(0)) this.added(message);
  }

  #shown(group: Group): DeadLetterGroup | undefined {
    if (group.count === 0) return undefined;
    if (!group.isInOrder) this.#sort(group);
    const [oldest, newest] = [this.#oldest(group), this.#newest(group)];
    if (oldest === undefined || newest === undefined) return undefined;
    const isRest = group === this.#rest;
    return {
      reason: group.texts.reason,
      maskedDescription: group.masked,
      description: isRest || !group.isAlike ? undefined : group.texts.description,
      isRest,
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
    if (group === this.#rest)
      this.#rest = new Group({ reason: undefined, description: undefined }, undefined);
    else this.#groups.delete(keyOf(group.texts.reason, group.masked));
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
    const group = new Group(texts, masked(texts.description));
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
    const key = keyOf(texts.reason, masked(texts.description));
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
  readonly masked: string | undefined;
  count = 0;
  /** The numbers of its messages by the time at which they came, and of some that have left. */
  numbers: number[] = [];
  /** The index of the first number that may still be one of its messages. */
  first = 0;
  isInOrder = true;
  /** Whether all its messages have had the same description. */
  isAlike = true;
  #lastTime: Instant = Number.NEGATIVE_INFINITY;

  constructor(texts: Texts, maskedDescription: string | undefined) {
    this.texts = texts;
    this.masked = maskedDescription;
  }

  add(sequenceNumber: number, time: Instant, description: string | undefined): void {
    this.count += 1;
    this.numbers.push(sequenceNumber);
    if (time < this.#lastTime) this.isInOrder = false;
    else this.#lastTime = time;
    if (description !== this.texts.description) this.isAlike = false;
  }
}

function timeOf({ details, enqueuedTime }: StoredMessage): Instant {
  return details?.deadLetteredAt ?? enqueuedTime;
}

function keyOf(reason: string | undefined, maskedDescription: string | undefined): string {
  return `${marked(reason)}\0${marked(maskedDescription)}`;
}

/** Tells an empty text from none. */
function marked(text: string | undefined): string {
  return text === undefined ? '' : `=${text}`;
}

/** Masks words with digits: numbers, ids and times, in which descriptions of one cause differ. A regular expression needs ten times as long. */
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
