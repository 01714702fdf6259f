// The figures of topics as tables beside their targets.

import { formatTable } from '../table.js';
import { type Growth, LARGE_BODY_BYTES, type SharedContentFigures } from './shared-content.js';
import { MANY_SUBSCRIPTIONS, RULES, SUBSCRIPTIONS } from './topic-entities.js';
import type { RateFigures, TopicRates } from './topic-rates.js';

/** The least share of the queue's rate. */
const LEAST_OF_QUEUE = 0.7;
/** Less than this is "about one": the records of the copies come on top of the body. */
const MOST_BODIES = 2;

export function formatTopicRates({ queue, routed, copied }: TopicRates): string {
  const row = (what: string, figures: RateFigures, verdict: string) => [
    what,
    Math.round(figures.messagesPerSecond).toLocaleString('en'),
    figures.ofQueue.toFixed(2),
    verdict,
    figures.cpuMicrosecondsPerMessage.toFixed(1),
  ];
  const verdictOn = ({ ofQueue }: RateFigures) => (ofQueue >= LEAST_OF_QUEUE ? 'ok' : 'below');
  return formatTable(
    [
      `100 parallel sends to ${SUBSCRIPTIONS} subscriptions with ${RULES} SQL rules each`,
      'messages/s',
      'of the queue',
      `target ≥ ${LEAST_OF_QUEUE}`,
      'CPU µs',
    ],
    [
      row('the same messages to a queue', queue, ''),
      row('each is for one subscription', routed, verdictOn(routed)),
      row('each is for all subscriptions', copied, verdictOn(copied)),
    ],
  );
}

export function formatSharedContent({ ofMany, ofSingle }: SharedContentFigures): string {
  const rows = (name: keyof Growth): string[][] => {
    const furtherBytes = ((ofMany[name] - ofSingle[name]) * LARGE_BODY_BYTES) / (MANY_SUBSCRIPTIONS - 1);
    return [
      [
        `${name} for each message`,
        inBodies(ofMany[name]),
        `≤ ${MOST_BODIES} bodies`,
        ofMany[name] <= MOST_BODIES ? 'ok' : 'above',
      ],
      [`${name} for each message to one subscription`, inBodies(ofSingle[name]), '', ''],
      [`${name} for each further copy`, `${furtherBytes.toFixed(0)} B`, '', ''],
    ];
  };
  const title = `messages of ${LARGE_BODY_BYTES / 1000} KB to ${MANY_SUBSCRIPTIONS} subscriptions`;
  return formatTable([title, 'measured', 'target', ''], [...rows('disk'), ...rows('memory')]);
}

function inBodies(growth: number): string {
  return `${growth.toFixed(2)} bodies`;
}
