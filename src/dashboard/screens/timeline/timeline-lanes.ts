// The lanes of the timeline: clients that send, then each entity with its consumers under it, as far as something happened there.

import { isNarrowing, namesLane, type TimelineFilter } from './timeline-filter.js';
import type { Stay } from './timeline-message.js';
import type { Lane, TimelineRecord } from './timeline-record.js';

const MOST_LANES = 40;

export type LaneRow = Lane & {
  /** Its client has more than one connection among the lanes. */
  readonly isNumbered: boolean;
  /** The steps for which it was chosen. */
  readonly count: number;
};

export type LaneChoice = { readonly rows: readonly LaneRow[]; readonly leftOut: number };

type LaneQuery = {
  readonly record: TimelineRecord;
  /** The steps of each lane, by its index. */
  readonly counts: ReadonlyMap<number, number>;
  /** Messages in view: their lanes are shown even if nothing happened there. */
  readonly stays: Iterable<Stay>;
  /** Lanes from which messages in view were sent, by message; those of a client by default. */
  readonly senders: ReadonlyMap<Stay, string>;
  readonly filter: TimelineFilter;
  readonly isFollowing: boolean;
  readonly most?: number;
};

export function chooseLanes(query: LaneQuery): LaneChoice {
  const { record, counts, most = MOST_LANES } = query;
  const wanted = wantedKeys(query);
  const lanes = [...wanted].flatMap((key) => record.lanes.get(key) ?? []);
  const countOf = ({ index }: Lane) => counts.get(index) ?? 0;
  const kept =
    lanes.length <= most ? lanes : [...lanes].sort((a, b) => countOf(b) - countOf(a)).slice(0, most);
  const names = new Map<string, Set<number | undefined>>();
  for (const { name, connectionId } of kept) {
    names.set(name, (names.get(name) ?? new Set()).add(connectionId));
  }
  const rows = kept
    .map((lane) => ({ lane, sort: sortKey(lane, record) }))
    .sort((a, b) => compare(a.sort, b.sort))
    .map(({ lane }) => ({
      ...lane,
      isNumbered:
        lane.kind !== 'entity' && !lane.name.includes(' · ') && (names.get(lane.name)?.size ?? 0) > 1,
      count: countOf(lane),
    }));
  return { rows, leftOut: lanes.length - kept.length };
}

function wantedKeys({ record, counts, stays, senders, filter, isFollowing }: LaneQuery): Set<string> {
  const keys = new Set<string>();
  const sends = new Set<string>();
  for (const stay of stays) {
    if (isFollowing || stay.holds.length > 0) keys.add(stay.lane);
    for (const { lane } of stay.holds) keys.add(lane);
    const sender = senders.get(stay) ?? (stay.source?.kind === 'sent' ? stay.source.lane : undefined);
    if (sender !== undefined) sends.add(sender);
  }
  if (isFollowing) return new Set([...keys, ...sends]);
  const hasSenders = senders.size > 0;
  for (const [key, { index, kind }] of record.lanes) {
    // A client that sends while it holds a message is shown as its consumer.
    const isSender = kind === 'client' && hasSenders && !sends.has(key);
    if (counts.has(index) && !isSender) keys.add(key);
  }
  for (const key of sends) keys.add(key);
  return filter.key === 'none' ? keys : narrowed(keys, record, stays, filter);
}

/** The lanes that the filter names, with those that belong to them. */
function narrowed(
  keys: ReadonlySet<string>,
  record: TimelineRecord,
  stays: Iterable<Stay>,
  filter: TimelineFilter,
): Set<string> {
  if (!isNarrowing(filter) && filter.key !== 'any') return new Set();
  const named = new Set<string>();
  for (const key of keys) {
    const lane = record.lanes.get(key);
    if (lane === undefined) continue;
    if (namesLane(filter, { path: lane.path, client: lane.name })) named.add(key);
  }
  const result = new Set(named);
  for (const key of named) {
    const lane = record.lanes.get(key);
    if (lane?.kind === 'consumer') result.add(`e:${lane.path.toLowerCase()}`);
  }
  for (const { lane, source } of stays) {
    if (source?.kind !== 'sent') continue;
    if (named.has(lane)) result.add(source.lane);
    if (named.has(source.lane)) result.add(lane);
  }
  return result;
}

type SortKey = readonly (string | number)[];

/** Clients, then entities as they came to be used, each with its consumers and its dead-letter queue behind it. */
function sortKey({ kind, path, name, index, connectionId = 0 }: Lane, { lanes }: TimelineRecord): SortKey {
  if (kind === 'client') return [0, 0, '', 0, name, connectionId];
  const key = path.toLowerCase();
  const owner = key.replace(/\/\$(transfer|deadletterqueue).*$/, '');
  const first = (lanes.get(`e:${owner}`) ?? lanes.get(`e:${key}`))?.index ?? index;
  return [1, first, key, kind === 'entity' ? 0 : 1, name, connectionId];
}

function compare(a: SortKey, b: SortKey): number {
  for (const [index, one] of a.entries()) {
    const other = b[index] ?? '';
    if (one !== other) return one < other ? -1 : 1;
  }
  return 0;
}
