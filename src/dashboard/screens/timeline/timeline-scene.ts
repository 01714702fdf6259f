// All that the timeline shows of one stretch of time: lanes, single messages where these can be told apart, else counts, and the list.

import { firstIndex } from '../../../broker/collections/first-index.js';
import { bucketWidth, type Tick, ticksOf, type Window } from './timeline-axis.js';
import { type Drawing, drawTimeline, sendersOf } from './timeline-drawing.js';
import { isNarrowing, namesLane } from './timeline-filter.js';
import type { TimelineFollowing } from './timeline-following.js';
import { chooseLanes, type LaneChoice, type LaneRow } from './timeline-lanes.js';
import type { Badge, TimelineLetters } from './timeline-letters.js';
import { beginOf, groupOf, type Mark, openHold, type Stay } from './timeline-message.js';
import type { TimelineRecord } from './timeline-record.js';
import type { Bucket } from './timeline-steps.js';
import { peerName } from './timeline-words.js';

/** Above this many steps in the window, one token stands for many. */
const MOST_STEPS = 600;
/** The room that a token needs beside others. */
const TOKEN_PX = 14;
/** So few steps are drawn each, even if all are in one place. */
const LEAST_CROWDED = 60;
/** Followed messages that are drawn at a time, the newest. */
const MOST_FOLLOWED = 150;
/** A lane stays this long after its last step, so that lanes do not come and go. */
const LINGER_MS = 10_000;
const LEAST_LANE = 36;
const MOST_LANE = 52;
const MOST_SPREAD = 64;
/** Live, what is spread must not lag behind the time for longer. */
const SPREAD_MS = 1000;

export type CountToken = {
  readonly lane: number;
  readonly x: number;
  readonly width: number;
  readonly bucket: Bucket;
};

export type Scene = {
  readonly window: Window;
  readonly width: number;
  /** The time from which places are counted. */
  readonly origin: number;
  /** The place of the present, if it is in the window. */
  readonly nowX: number | undefined;
  readonly laneHeight: number;
  readonly rows: readonly LaneRow[];
  readonly leftOut: number;
  readonly ticks: readonly Tick[];
  readonly drawing: Drawing;
  /** Undefined where each message is drawn. */
  readonly counts:
    | { readonly tokens: readonly CountToken[]; readonly stretchMs: number; readonly most: number }
    | undefined;
  readonly badges: ReadonlyMap<string, Badge>;
  readonly isFollowing: boolean;
  /** The marks in the window, oldest first. */
  readonly marks: readonly Mark[];
  readonly steps: number;
};

export type SceneQuery = {
  readonly origin: number;
  readonly record: TimelineRecord;
  readonly following: TimelineFollowing;
  readonly letters: TimelineLetters;
  readonly window: Window;
  readonly width: number;
  readonly height: number;
  /** Whether the scene before had counts: it keeps them a little longer, so that it does not flicker. */
  readonly wasDense: boolean;
  readonly present: number;
};

export function sceneOf(query: SceneQuery): Scene {
  const { record, following, window, width, origin } = query;
  const isFollowing = following.marks.length > 0;
  const followed = isFollowing ? staysIn(following.stays, window).slice(-MOST_FOLLOWED) : [];
  const { steps, isDense } = densityOf(query, followed);
  const stays = isDense ? followed : staysIn(record.stays, window);
  const senders = sendersOf(stays, isFollowing ? 0 : window.from);
  const { rows, leftOut } = lanesOf(query, isFollowing ? [...following.stays] : stays, senders);
  const laneHeight = Math.max(
    LEAST_LANE,
    Math.min(MOST_LANE, Math.floor(query.height / Math.max(1, rows.length))),
  );
  const badges = query.letters.assign(groupsOf(isFollowing ? followed : stays, window));
  const scale = width / (window.to - window.from);
  const drawing = drawTimeline({
    rows,
    laneHeight,
    width,
    senders,
    origin,
    from: window.from,
    to: window.to,
    badges: isFollowing && badges.size < 2 ? new Map() : badges,
    stays: withoutBacklog(stays, window, followed),
    followed: new Set(followed),
    mostSpread: query.present < window.to ? Math.min(MOST_SPREAD, SPREAD_MS * scale) : MOST_SPREAD,
    hasHops: !isFollowing,
  });
  return {
    window,
    width,
    origin,
    laneHeight,
    rows,
    leftOut,
    drawing,
    badges,
    isFollowing,
    steps,
    nowX: query.present < window.to ? (query.present - window.from) * scale : undefined,
    ticks: ticksOf({ from: window.from, to: window.to + (window.to - window.from) / 5 }, width * 1.2),
    counts: isDense ? countsOf(query, rows, scale) : undefined,
    marks: marksIn(query),
  };
}

/** The steps in the window, and whether they are too many to draw each. With a filter, those of its lanes count. */
function densityOf(query: SceneQuery, followed: readonly Stay[]): { steps: number; isDense: boolean } {
  const { record, following, window, width, wasDense } = query;
  const { rows } =
    following.filter.key === 'none'
      ? { rows: undefined }
      : lanesOf(query, following.marks.length > 0 ? [...following.stays] : followed, new Map());
  const shown = rows && new Set(rows.map(({ index }) => index));
  const stretchMs = bucketWidth(window.to - window.from, width);
  const mostBeside = 1 + (stretchMs * width) / (window.to - window.from) / TOKEN_PX;
  const byLane = record.steps.buckets(window.from, window.to, stretchMs);
  let [steps, crowded, all] = [0, 0, 0];
  for (const [lane, buckets] of byLane) {
    if (shown?.has(lane) === false) continue;
    all += buckets.length;
    for (const bucket of buckets) {
      steps += bucket.in + bucket.held + bucket.done + bucket.bad;
      if (Math.max(bucket.in, bucket.held) > mostBeside) crowded += 1;
    }
  }
  const [mostSteps, mostCrowded] = wasDense ? [MOST_STEPS * 0.75, 0.1] : [MOST_STEPS, 0.2];
  const isCrowded = steps > LEAST_CROWDED && crowded > all * mostCrowded;
  const isDense = steps > mostSteps || isCrowded || isBeyondMarks(record, window);
  return { steps, isDense };
}

function lanesOf(
  { record, following, window }: SceneQuery,
  stays: readonly Stay[],
  senders: ReadonlyMap<Stay, string>,
): LaneChoice {
  const isFollowing = following.marks.length > 0;
  const lingering = Math.min(window.from, window.to - LINGER_MS);
  const counts = record.steps.countByLane(lingering, window.to);
  return chooseLanes({ record, counts, stays, senders, filter: following.filter, isFollowing });
}

/** Whether the window reaches to where steps are counted, but messages no longer kept. */
function isBeyondMarks({ marks, isCut, steps }: TimelineRecord, { from }: Window): boolean {
  const first = marks[0]?.at;
  const { oldest } = steps;
  return isCut && first !== undefined && oldest !== undefined && from < first && oldest < first;
}

function staysIn(stays: Iterable<Stay>, { from, to }: Window): readonly Stay[] {
  const found: Stay[] = [];
  for (const stay of stays) if (beginOf(stay) <= to && (stay.end?.at ?? to) >= from) found.push(stay);
  return found;
}

/** Leaves one of the messages that wait all through the window, which is enough for the line of their lane. */
function withoutBacklog(
  stays: readonly Stay[],
  { from, to }: Window,
  followed: readonly Stay[],
): readonly Stay[] {
  const kept = new Set<Stay>(followed);
  const waiting = new Set<string>();
  return stays.filter((stay) => {
    const { arrival, holds, end, lane } = stay;
    const isStill =
      (arrival?.at ?? 0) < from &&
      (end?.at ?? to) >= to &&
      holds.every((hold) => (hold.end ?? hold.start).at < from);
    if (kept.has(stay) || !isStill || openHold(stay) !== undefined) return true;
    if (waiting.has(lane)) return false;
    waiting.add(lane);
    return true;
  });
}

/** The groups of the messages to which something happens in the window, oldest first. */
function* groupsOf(stays: readonly Stay[], { from }: Window): Generator<string> {
  for (const stay of stays) {
    const group = groupOf(stay);
    const isStill = (stay.end ?? stay.holds.at(-1)?.end ?? stay.holds.at(-1)?.start ?? stay.arrival)?.at ?? 0;
    if (group !== undefined && isStill >= from) yield group;
  }
}

function countsOf(
  { record, window, width, origin }: SceneQuery,
  rows: readonly LaneRow[],
  scale: number,
): Scene['counts'] {
  const stretchMs = bucketWidth(window.to - window.from, width);
  const byLane = record.steps.buckets(window.from, window.to, stretchMs);
  let most = 1;
  const tokens = rows.flatMap(({ index }, lane) =>
    (byLane.get(index) ?? []).map((bucket): CountToken => {
      most = Math.max(most, bucket.in, bucket.held, bucket.done);
      return { lane, bucket, x: (bucket.at - origin) * scale + 2, width: stretchMs * scale - 4 };
    }),
  );
  return { tokens, stretchMs, most };
}

function marksIn({ record, following, window }: SceneQuery): readonly Mark[] {
  const { filter } = following;
  const isFollowing = following.marks.length > 0;
  const all = isFollowing ? following.marks : record.marks;
  const marks = all.slice(indexOf(all, window.from), indexOf(all, window.to));
  if (isFollowing || filter.key === 'none') return marks;
  if (!isNarrowing(filter) && filter.key !== 'any') return [];
  return marks.filter(({ event: { path, client } }) =>
    namesLane(filter, {
      ...(path === undefined ? {} : { path }),
      ...(client === undefined ? {} : { client: peerName(client) }),
    }),
  );
}

/** The first mark that is not before the time. */
function indexOf(marks: readonly Mark[], time: number): number {
  return firstIndex(marks.length, (index) => (marks[index]?.at ?? 0) < time);
}
