// The counters of /metrics: what has happened to messages, by entity, and how many events of each kind there were.

import type { ActivityCounts, Counted, Tally } from '../../watch/activity-counts.js';
import { KINDS } from '../../watch/record-kinds.js';
import { counter, histogram, type Metric, type Sample } from './metric.js';

type Counters = {
  readonly name: string;
  readonly help: string;
  /** For each sample its own labels, and the counts that add up to its value. */
  readonly samples: readonly (readonly [labels: Sample[0], counted: readonly Counted[]])[];
};

/** `disposition` has the values of OpenTelemetry's `messaging.servicebus.disposition_status`. */
const COUNTERS: readonly Counters[] = [
  one('servicebus_messages_incoming_total', 'Messages that were stored, and copies that a subscription got', [
    'accepted',
    'enqueued',
    'scheduled',
    'routed',
  ]),
  one('servicebus_messages_outgoing_total', 'Deliveries to receivers', ['locked', 'consumed']),
  one('servicebus_messages_redelivered_total', 'Deliveries with a delivery count above zero', [
    'redelivered',
  ]),
  {
    name: 'servicebus_messages_settled_total',
    help: 'Deliveries that their receiver settled',
    samples: [
      [{ disposition: 'complete' }, ['completed']],
      [{ disposition: 'abandon' }, ['abandoned']],
      [{ disposition: 'defer' }, ['deferred']],
      [{ disposition: 'dead_letter' }, ['settled-as-dead']],
    ],
  },
  one('servicebus_messages_expired_total', 'Messages whose time to live ended', ['expired']),
  one('servicebus_messages_duplicates_discarded_total', 'Messages dropped as duplicates', ['duplicate']),
  one('servicebus_messages_lock_expired_total', 'Deliveries whose lock expired', ['lock-expired']),
  one('servicebus_messages_forwarded_total', 'Messages forwarded to another entity', ['forwarded']),
];

function one(name: string, help: string, counted: readonly Counted[]): Counters {
  return { name, help, samples: [[{}, counted]] };
}

/** The counters of messages. `entities`: the paths that get a label; undefined if there are too many. */
export function messageCounters(
  counts: ActivityCounts,
  entities: readonly string[] | undefined,
): readonly Metric[] {
  const tallies = entities === undefined ? undefined : talliesOf(counts, entities);
  return [...COUNTERS.map((counters) => countersOf(counters, counts, tallies)), deadLetters(counts, tallies)];
}

/** The ways in which a lock ends, with the values of the label `end`. */
const ENDS = [
  ['completed', 'complete'],
  ['abandoned', 'abandon'],
  ['deferred', 'defer'],
  ['released', 'release'],
  ['lock-expired', 'lock_expired'],
] as const;

export function eventCounters({ all, held, httpRequests, refusals }: ActivityCounts): readonly Metric[] {
  return [
    counter(
      'servicebus_events_total',
      'Events by kind',
      KINDS.map((kind) => [{ kind }, all.countOf(kind)]),
    ),
    counter('servicebus_connections_opened_total', 'AMQP connections that were opened', [
      [{}, all.countOf('connection-opened')],
    ]),
    counter('servicebus_connections_closed_total', 'AMQP connections that were closed', [
      [{}, all.countOf('connection-closed')],
    ]),
    counter(
      'servicebus_requests_refused_total',
      'Operations that were refused',
      refusals.map(({ command, reason, count }) => [{ operation: command, reason }, count]),
    ),
    histogram(
      'servicebus_message_held_seconds',
      'Time from the delivery of a message to the end of its lock',
      ENDS.map(([kind, end]) => [{ end }, held[kind]]),
    ),
    histogram(
      'servicebus_http_request_duration_seconds',
      'Time from a request over HTTP to the end of its answer, without streams of events',
      [[{}, httpRequests]],
    ),
  ];
}

type Tallies = ReadonlyMap<string, Tally | undefined>;

/** Every entity has its series from the start, because a rate misses the first count of a series that appears later. */
function talliesOf({ byPath }: ActivityCounts, entities: readonly string[]): Tallies {
  return new Map<string, Tally | undefined>([
    ...entities.map((path) => [path, undefined] as const),
    ...byPath,
  ]);
}

function countersOf({ name, help, samples }: Counters, { all }: ActivityCounts, tallies?: Tallies): Metric {
  const sum = (tally: Tally | undefined, counted: readonly Counted[]) =>
    counted.reduce((total, one) => total + (tally?.countOf(one) ?? 0), 0);
  if (tallies === undefined) {
    return counter(
      name,
      help,
      samples.map(([labels, counted]) => [labels, sum(all, counted)]),
    );
  }
  return counter(
    name,
    help,
    [...tallies].flatMap(([entity, tally]) =>
      samples.map(([labels, counted]) => [{ entity, ...labels }, sum(tally, counted)] as const),
    ),
  );
}

function deadLetters({ all }: ActivityCounts, tallies?: Tallies): Metric {
  const byReason = (labels: Sample[0], tally: Tally | undefined): readonly Sample[] =>
    [...(tally?.reasons ?? [])].map(([reason, count]) => [{ ...labels, reason }, count]);
  const samples =
    tallies === undefined
      ? byReason({}, all)
      : [...tallies].flatMap(([entity, tally]) => byReason({ entity }, tally));
  return counter('servicebus_messages_dead_lettered_total', 'Messages moved to a dead-letter queue', samples);
}
