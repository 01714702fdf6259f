// The last records of the stream, in columns of numbers and shared texts. Writing a record allocates nothing, but that the columns double
// until they have room for all; the object is made only when the record is read.

import type { Activity } from '../broker/contract/activity.js';
import { ActivityCounts } from './activity-counts.js';
import type { ActivityKind, ActivityRecord, Client } from './activity-record.js';
import type { ClientActivity } from './client-activity.js';
import { hideSecrets } from './hidden-secrets.js';
import { keptText, MAX_KEPT } from './kept-text.js';
import { KINDS, SHAPES } from './record-kinds.js';

const NUMBERS = 3;
const TEXTS = 3;
const CODES = new Map<ActivityKind, number>(KINDS.map((kind, code) => [kind, code]));
const ACCEPTED = CODES.get('accepted') ?? 0;
const ROUTED = CODES.get('routed') ?? 0;
const ENQUEUED = CODES.get('enqueued') ?? 0;
const LOCKED = CODES.get('locked') ?? 0;
const COMPLETED = CODES.get('completed') ?? 0;
/** Only so many digits of a lock token are shown, because with the whole token anyone could settle the message. */
const TOKEN_DIGITS = 8;

/** In these kinds, paths and texts may be anything that a client wrote. All other paths are paths of entities. */
const REPEATING: ReadonlySet<ActivityKind> = new Set([
  'refused',
  'link-refused',
  'token-refused',
  'client-refused',
  'request-refused',
  'http-request',
]);

/** The columns begin with room for so many records: a namespace of which little is known has a hundredth of the memory of a full one. */
const FIRST_ROOM = 512;

type Text = string | undefined;

export class ActivityRing {
  readonly capacity: number;
  #nextId = 1;
  /** The id for which the columns have no room yet; infinite once they have room for all. */
  #growAt: number;
  #times: Float64Array;
  #kinds: Uint8Array;
  #sequenceNumbers: Float64Array;
  #linkIds: Float64Array;
  #numbers: Float64Array;
  readonly #paths: Text[] = [];
  readonly #texts: Text[] = [];
  readonly #clients: (Client | undefined)[] = [];
  /** The counts of all records, including records that are no longer there. */
  readonly counts = new ActivityCounts();

  constructor(capacity: number) {
    this.capacity = capacity;
    this.#times = new Float64Array(0);
    this.#kinds = new Uint8Array(0);
    this.#sequenceNumbers = new Float64Array(0);
    this.#linkIds = new Float64Array(0);
    this.#numbers = new Float64Array(0);
    this.#growAt = this.#grow(Math.min(capacity, FIRST_ROOM));
  }

  /** Makes room for so many records. Returns the id at which the columns must grow again. */
  #grow(room: number): number {
    this.#times = copied(this.#times, new Float64Array(room));
    this.#kinds = copied(this.#kinds, new Uint8Array(room));
    this.#sequenceNumbers = copied(this.#sequenceNumbers, new Float64Array(room));
    this.#linkIds = copied(this.#linkIds, new Float64Array(room));
    this.#numbers = copied(this.#numbers, new Float64Array(room * NUMBERS));
    // Filled at once, because V8 keeps an array with holes in another way.
    while (this.#paths.length < room) this.#paths.push(undefined);
    while (this.#texts.length < room * TEXTS) this.#texts.push(undefined);
    while (this.#clients.length < room) this.#clients.push(undefined);
    return room < this.capacity ? room : Number.POSITIVE_INFINITY;
  }

  /** The id of the oldest record that is still there; equal to `nextId` if there is none. */
  get firstId(): number {
    return Math.max(1, this.#nextId - this.capacity);
  }

  get nextId(): number {
    return this.#nextId;
  }

  /** Adds a record and returns its id. `linkId` is the link of the client's request; a link that the activity names takes precedence. */
  add(
    activity: Activity | ClientActivity,
    time: number,
    linkId: number | undefined,
    client: Client | undefined,
  ): number {
    const id = this.#nextId++;
    if (id >= this.#growAt) this.#growAt = this.#grow(Math.min(this.capacity, 2 * this.#growAt));
    const index = id % this.capacity;
    this.#times[index] = time;
    this.#clients[index] = client;
    // The kinds that nearly every message, and each copy, has are written without looking into the table, which would cost more than the rest.
    switch (activity.kind) {
      case 'locked':
        this.#common(index, LOCKED, activity.path, activity.sequenceNumber, activity.linkId);
        this.#setNumbers(index, activity.lockedUntil, activity.deliveryCount);
        this.#setTexts(index, activity.lockToken.slice(0, TOKEN_DIGITS), undefined, undefined);
        if (activity.deliveryCount > 0) this.counts.addRedelivered(activity.path);
        break;
      case 'completed':
        this.#common(index, COMPLETED, activity.path, activity.sequenceNumber, activity.linkId);
        this.#setNumbers(index, activity.heldMs, Number.NaN);
        this.#setTexts(index, undefined, undefined, undefined);
        this.counts.held.completed.add(activity.heldMs);
        break;
      case 'routed':
        this.#common(index, ROUTED, activity.path, activity.sequenceNumber, linkId);
        this.#setNumbers(index, activity.acceptedNumber, Number.NaN);
        this.#setTexts(index, activity.rule, undefined, undefined);
        break;
      case 'enqueued':
      case 'accepted':
        this.#common(
          index,
          activity.kind === 'enqueued' ? ENQUEUED : ACCEPTED,
          activity.path,
          activity.sequenceNumber,
          linkId,
        );
        this.#setNumbers(index, activity.sizeBytes, Number.NaN);
        this.#setTexts(index, activity.messageId, activity.sessionId, activity.correlationId);
        break;
      default:
        this.#addByShape(index, activity, linkId);
        this.counts.note(activity);
    }
    return id;
  }

  #addByShape(index: number, activity: Activity | ClientActivity, linkId: number | undefined): void {
    const { kind } = activity;
    const fields = activity as unknown as Readonly<Record<string, unknown>>;
    const shown = REPEATING.has(kind) ? hideSecrets : kept;
    const path = 'path' in activity && activity.path !== undefined ? shown(activity.path) : undefined;
    const sequenceNumber = 'sequenceNumber' in activity ? activity.sequenceNumber : Number.NaN;
    const ownLinkId = 'linkId' in activity ? activity.linkId : linkId;
    this.#common(index, CODES.get(kind) ?? 0, path, sequenceNumber, ownLinkId);
    const { numbers, texts } = SHAPES[kind];
    for (let n = 0; n < NUMBERS; n++) {
      const name = numbers[n];
      this.#numbers[index * NUMBERS + n] = name === undefined ? Number.NaN : numberOf(fields[name]);
    }
    for (let n = 0; n < TEXTS; n++) {
      const name = texts[n];
      this.#texts[index * TEXTS + n] = name === undefined ? undefined : textOf(name, fields[name], shown);
    }
  }

  #common(index: number, code: number, path: Text, sequenceNumber: number, linkId: number | undefined): void {
    this.#kinds[index] = code;
    this.counts.add(code, path);
    this.#paths[index] = path;
    this.#sequenceNumbers[index] = sequenceNumber;
    this.#linkIds[index] = linkId ?? Number.NaN;
  }

  #setNumbers(index: number, first: number, second: number): void {
    this.#numbers[index * NUMBERS] = first;
    this.#numbers[index * NUMBERS + 1] = second;
  }

  #setTexts(index: number, first: Text, second: Text, third: Text): void {
    this.#texts[index * TEXTS] = first && kept(first);
    this.#texts[index * TEXTS + 1] = second && kept(second);
    this.#texts[index * TEXTS + 2] = third && kept(third);
  }

  kindOf(id: number): ActivityKind | undefined {
    return this.#has(id) ? KINDS[this.#kinds[id % this.capacity] ?? 0] : undefined;
  }

  /** Undefined for a record that is no longer there, or not there yet. */
  read(id: number): ActivityRecord | undefined {
    const kind = this.kindOf(id);
    if (kind === undefined) return undefined;
    const index = id % this.capacity;
    const fields: Record<string, unknown> = {
      id,
      time: this.#times[index],
      kind,
      client: this.#clients[index],
    };
    const path = this.#paths[index];
    if (path !== undefined) fields.path = path;
    const sequenceNumber = this.#sequenceNumbers[index] ?? Number.NaN;
    if (!Number.isNaN(sequenceNumber)) fields.sequenceNumber = sequenceNumber;
    const { numbers, texts } = SHAPES[kind];
    let n = index * NUMBERS;
    for (const name of numbers) fields[name] = this.#numbers[n++];
    let t = index * TEXTS;
    for (const name of texts) fields[name] = this.#texts[t++];
    const linkId = this.#linkIds[index] ?? Number.NaN;
    fields.linkId = Number.isNaN(linkId) ? undefined : linkId;
    return fields as unknown as ActivityRecord;
  }

  /** Whether the record is about this message. Answers without making the object. Case does not count in paths (ENT-02). */
  isAbout(id: number, path: string, sequenceNumber: number): boolean {
    const index = id % this.capacity;
    if (this.#sequenceNumbers[index] !== sequenceNumber) return false;
    return this.#paths[index]?.toLowerCase() === path.toLowerCase();
  }

  #has(id: number): boolean {
    return id >= this.firstId && id < this.#nextId;
  }
}

function copied<Column extends Float64Array | Uint8Array>(from: Column, to: Column): Column {
  to.set(from);
  return to;
}

/** Keeps a text of a message, which may be long, such as a correlation id. */
function kept(text: string): string {
  return text.length > MAX_KEPT ? keptText(text) : text;
}

function numberOf(value: unknown): number {
  return typeof value === 'number' ? value : Number.NaN;
}

function textOf(name: string, value: unknown, shown: (text: string) => string): Text {
  if (typeof value !== 'string') return undefined;
  return name === 'lockToken' ? value.slice(0, TOKEN_DIGITS) : shown(value);
}
