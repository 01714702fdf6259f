// The shapes of the timeline: a token where a message came in, a line while it waits, a box while it is held, and lines from lane to lane.

import type { LaneRow } from './timeline-lanes.js';
import type { Badge } from './timeline-letters.js';
import { groupOf, type Hold, type Mark, openHold, type Stay } from './timeline-message.js';
import { spread } from './timeline-spread.js';

/** How a message looks: its badge, and whether it is one of those that are followed. */
type Look = { readonly badge: Badge | undefined; readonly isHot: boolean };
type Of = Look & { readonly key: string; readonly stay: Stay };
export type Token = Of & { readonly x: number; readonly y: number; readonly rule: string | undefined };
/** Lines and boxes that go on have their end far beyond the window. */
export type Wait = Look & {
  readonly key: string;
  readonly x1: number;
  readonly x2: number;
  readonly y: number;
};
export type Box = Of & {
  readonly hold: Hold;
  readonly x: number;
  readonly width: number;
  /** Its middle. */
  readonly y: number;
  readonly height: number;
};
/** Where a message ended, or a delivery did. */
export type Ending = Of & { readonly mark: Mark; readonly x: number; readonly y: number };
export type Hop = Look & {
  readonly key: string;
  readonly kind: 'sent' | 'routed' | 'forwarded' | 'dead' | 'moved' | 'locked' | 'back';
  readonly x: number;
  readonly y1: number;
  readonly y2: number;
};
export type Drawing = {
  readonly tokens: readonly Token[];
  readonly waits: readonly Wait[];
  readonly boxes: readonly Box[];
  readonly endings: readonly Ending[];
  readonly hops: readonly Hop[];
};

export type DrawingQuery = {
  readonly stays: readonly Stay[];
  readonly followed: ReadonlySet<Stay>;
  readonly badges: ReadonlyMap<string, Badge>;
  readonly senders: ReadonlyMap<Stay, string>;
  readonly rows: readonly LaneRow[];
  readonly laneHeight: number;
  /** The time at which places begin to count, so that they stay the same from one drawing to the next. */
  readonly origin: number;
  readonly from: number;
  readonly to: number;
  readonly width: number;
  /** How far an event may stand from its true place. */
  readonly mostSpread: number;
  /** Lines between lanes are drawn for all, and not only for those that are followed. */
  readonly hasHops: boolean;
};

const MOST_ROWS = 3;
/** With more followed messages, the names of their rules would cover each other. */
const MOST_RULED = 12;

export function drawTimeline(query: DrawingQuery): Drawing {
  const place = placesOf(query);
  const tall = rowsOfHolds(query);
  const drawing = { tokens: [], waits: [], boxes: [], endings: [], hops: [] } as {
    -readonly [Part in keyof Drawing]: Drawing[Part][number][];
  };
  const yOf = new Map(query.rows.map(({ key }, index) => [key, (index + 0.5) * query.laneHeight]));
  // Followed messages are drawn last, so that they lie on top.
  const shown = query.stays.filter(
    ({ lane, holds }) => yOf.has(lane) || holds.some((hold) => yOf.has(hold.lane)),
  );
  const ordered = shown.sort((a, b) => Number(query.followed.has(a)) - Number(query.followed.has(b)));
  for (const stay of ordered) {
    const isHot = query.followed.has(stay);
    const badge = query.badges.get(groupOf(stay) ?? '');
    const pen: Pen = { stay, look: { isHot, badge }, place, yOf, drawing, query, tall };
    drawStay(pen);
  }
  return { ...drawing, endings: drawing.endings.filter((ending) => hasRoom(ending, drawing.boxes)) };
}

/** A sign that all went well gives way to the box that follows. */
function hasRoom({ mark, x, y, isHot }: Ending, boxes: readonly Box[]): boolean {
  if (isHot || mark.event.kind !== 'completed') return true;
  return !boxes.some((box) => box.y === y && box.x > x - 10 && box.x < x + 6);
}

type Place = (mark: Mark) => number;
type Pen = {
  readonly stay: Stay;
  readonly look: Look;
  readonly place: Place;
  readonly yOf: ReadonlyMap<string, number>;
  readonly drawing: { -readonly [Part in keyof Drawing]: Drawing[Part][number][] };
  readonly query: DrawingQuery;
  readonly tall: ReadonlyMap<Hold, { readonly row: number; readonly of: number }>;
};

/** Places on the axis, from the left edge, with what happened in one turn spread. */
function placesOf({ stays, origin, from, to, width, mostSpread }: DrawingQuery): Place {
  const scale = width / (to - from);
  const marks = new Map<number, Mark>();
  const note = (mark: Mark | undefined) => {
    if (mark !== undefined && mark.at >= from - (to - from) && mark.at <= to) marks.set(mark.id, mark);
  };
  for (const { arrival, holds, end } of stays) {
    note(arrival);
    for (const hold of holds) {
      note(hold.start);
      note(hold.end);
    }
    note(end);
  }
  const ordered = [...marks.values()].sort((a, b) => a.id - b.id);
  const places = spread(
    ordered.map(({ id, at }) => ({ id, at, x: (at - origin) * scale })),
    mostSpread,
  );
  return ({ id, at }) => places.get(id) ?? (at - origin) * scale;
}

/** A place right of the window that seldom changes; as many pixels left of the origin are left of the window. */
function beyond({ origin, from, to, width }: DrawingQuery): number {
  const scale = width / (to - from);
  const furthest = Math.max((to - origin) * scale, (origin - from) * scale) + width / 2;
  return Math.ceil(furthest / width) * width;
}

function drawStay(pen: Pen): void {
  const { stay, place, yOf, drawing, look, query } = pen;
  const y = yOf.get(stay.lane);
  let x = stay.arrival === undefined ? -beyond(query) : place(stay.arrival);
  const hasHops = look.isHot || query.hasHops;
  const hasRules = query.followed.size <= MOST_RULED;
  if (y !== undefined && stay.arrival !== undefined) {
    drawing.tokens.push({
      key: `t${stay.key}`,
      stay,
      ...look,
      x,
      y,
      rule: look.isHot && hasRules ? stay.rule : undefined,
    });
  }
  if (hasHops) drawArrival(pen, x, y);
  for (const [index, hold] of stay.holds.entries()) {
    const start = place(hold.start);
    wait(pen, `w${stay.key} ${index}`, x, start, y);
    x = drawHold(pen, hold, index, y, hasHops);
  }
  if (openHold(stay) !== undefined) return;
  const isInstant = stay.end !== undefined && stay.end.id === stay.arrival?.id;
  const end = stay.end === undefined ? beyond(query) : place(stay.end);
  const endedHeld = stay.end !== undefined && stay.holds.at(-1)?.end?.id === stay.end.id;
  if (endedHeld) return;
  if (!isInstant) wait(pen, `w${stay.key} e`, x, end, y);
  if (stay.end !== undefined && y !== undefined && !isInstant) {
    drawing.endings.push({ key: `e${stay.key}`, stay, ...look, mark: stay.end, x: end, y });
  }
}

/** The line by which a message came, and the copy of a topic's message as far as to its last copy. */
function drawArrival(
  { stay, drawing, look, yOf, query, place }: Pen,
  x: number,
  y: number | undefined,
): void {
  const { source, arrival } = stay;
  if (source === undefined || arrival === undefined || y === undefined) return;
  const from = source.kind === 'sent' ? (query.senders.get(stay) ?? source.lane) : source.stay.lane;
  const held = source.kind === 'dead' ? source.stay.holds.at(-1) : undefined;
  const lane = held?.end?.id === arrival.id ? held.lane : from;
  const top = yOf.get(lane);
  if (top === undefined || top === y) return;
  drawing.hops.push({ key: `a${stay.key}`, kind: source.kind, ...look, x, y1: top, y2: y });
  if (source.kind === 'routed' && source.stay.arrival !== undefined) {
    const begin = place(source.stay.arrival);
    drawing.waits.push({ key: `r${stay.key}`, x1: begin, x2: x, y: top, ...look });
  } else if (source.kind === 'sent' && lane.startsWith('s:')) {
    drawing.tokens.push({ key: `s${stay.key}`, stay, ...look, x, y: top, rule: undefined });
  }
}

/** Returns where the hold ends. */
function drawHold(pen: Pen, hold: Hold, index: number, y: number | undefined, hasHops: boolean): number {
  const { stay, place, yOf, drawing, look, query, tall } = pen;
  const start = place(hold.start);
  const end = hold.end === undefined ? beyond(query) : place(hold.end);
  const laneY = yOf.get(hold.lane);
  if (laneY === undefined) return end;
  const { row, of } = tall.get(hold) ?? { row: 0, of: 1 };
  const height = of === 1 ? 18 : Math.floor((query.laneHeight - 8) / of) - 2;
  const middle = of === 1 ? laneY : laneY + (row - (of - 1) / 2) * (height + 2);
  const key = `${stay.key} ${index}`;
  const width = Math.max(3, end - start);
  drawing.boxes.push({ key: `b${key}`, stay, hold, ...look, x: start, width, y: middle, height });
  if (hold.end !== undefined) {
    drawing.endings.push({ key: `h${key}`, stay, ...look, mark: hold.end, x: start + width + 9, y: middle });
  }
  if (!hasHops || y === undefined) return end;
  drawing.hops.push({ key: `l${key}`, kind: 'locked', ...look, x: start, y1: y, y2: middle });
  const isBack = hold.end !== undefined && hold.end.id !== stay.end?.id;
  if (isBack) drawing.hops.push({ key: `k${key}`, kind: 'back', ...look, x: end, y1: middle, y2: y });
  return end;
}

function wait({ drawing, look }: Pen, key: string, x1: number, x2: number, y: number | undefined): void {
  if (y !== undefined && x2 > x1) drawing.waits.push({ key, x1, x2, y, ...look });
}

/** Deliveries to one consumer that overlap lie below each other, as far as there is room. */
function rowsOfHolds({ stays, from, to }: DrawingQuery): Map<Hold, { row: number; of: number }> {
  const byLane = new Map<string, Hold[]>();
  for (const hold of stays.flatMap(({ holds }) => holds)) {
    if (hold.start.at > to || (hold.end?.at ?? to) < from) continue;
    byLane.set(hold.lane, [...(byLane.get(hold.lane) ?? []), hold]);
  }
  const rows = new Map<Hold, { row: number; of: number }>();
  for (const holds of byLane.values()) {
    const ends: number[] = [];
    holds.sort((a, b) => a.start.id - b.start.id);
    const chosen = holds.map((hold) => {
      const free = ends.findIndex((end) => end < hold.start.id);
      const row = free >= 0 ? free : Math.min(ends.length, MOST_ROWS - 1);
      ends[row] = Math.max(ends[row] ?? 0, hold.end?.id ?? Number.POSITIVE_INFINITY);
      return { hold, row };
    });
    for (const { hold, row } of chosen) rows.set(hold, { row, of: ends.length });
  }
  return rows;
}

/** The lanes of consumers that sent messages, since a time, while they held another: the handler has sent them. */
export function sendersOf(stays: readonly Stay[], since: number): Map<Stay, string> {
  const byConnection = new Map<string, { readonly hold: Hold; readonly group: string | undefined }[]>();
  for (const stay of stays) {
    for (const hold of stay.holds) {
      const connection = hold.lane.slice(hold.lane.lastIndexOf(':') + 1);
      const known = byConnection.get(connection);
      const one = { hold, group: groupOf(stay) };
      if (known === undefined) byConnection.set(connection, [one]);
      else known.push(one);
    }
  }
  const senders = new Map<Stay, string>();
  for (const stay of stays) {
    if (stay.source?.kind !== 'sent' || stay.arrival === undefined || stay.arrival.at < since) continue;
    const { id } = stay.arrival;
    const held = byConnection
      .get(stay.source.lane.slice(2))
      ?.filter(({ hold: { start, end } }) => start.id < id && (end === undefined || end.id > id));
    const [first] = held?.filter(({ group }) => group === groupOf(stay)) ?? [];
    const lane = (first ?? held?.at(-1))?.hold.lane;
    if (lane !== undefined) senders.set(stay, lane);
  }
  return senders;
}
