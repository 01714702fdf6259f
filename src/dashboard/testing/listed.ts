// Entities as the page lists them, with what a test says of them.

import type { QueueAnswer, SubscriptionAnswer, TopicAnswer } from '../../http/control/control-schemas.js';
import type { Listed } from '../state/store.js';

const TIME = '2026-05-01T12:00:00.000Z';
const COUNTS = {
  active: 0,
  locked: 0,
  scheduled: 0,
  deferred: 0,
  deadLetter: 0,
  transfer: 0,
  transferDeadLetter: 0,
};
const COMMON = {
  ...{ status: 'Active' as const, counts: COUNTS, links: { senders: 0, receivers: 0, browsers: 0 } },
  sizeBytes: 0,
  properties: {},
  createdTime: TIME,
  updatedTime: TIME,
};
const RECEIVING = { lockDurationMs: 60_000, maxDeliveryCount: 10, requiresSession: false };
const KEEPING = { isPartitioned: false, maxSizeInMegabytes: 1024 };

type Given = { readonly active?: number; readonly deadLetter?: number; readonly forwardTo?: string };

export function queue(path: string, { active = 0, deadLetter = 0, forwardTo }: Given = {}): QueueAnswer {
  const counts = { ...COUNTS, active, deadLetter };
  const forwarding = forwardTo === undefined ? {} : { forwardTo };
  return { kind: 'queue', path, ...COMMON, ...RECEIVING, ...KEEPING, counts, ...forwarding };
}

/** A topic, and of each subscription its name, its rules and where it forwards to. */
export function topic(
  path: string,
  ...given: readonly (readonly [name: string, rules: readonly string[], forwardTo?: string])[]
): TopicAnswer {
  const subscriptions = given.map(([name, rules, forwardTo]): SubscriptionAnswer => {
    const own = { name, topic: path, path: `${path}/Subscriptions/${name}`, rules: [...rules] };
    const forwarding = forwardTo === undefined ? {} : { forwardTo };
    return { kind: 'subscription', ...own, ...COMMON, ...RECEIVING, ...forwarding };
  });
  return { kind: 'topic', path, ...COMMON, ...KEEPING, subscriptions };
}

export function listedOf(...entities: readonly (QueueAnswer | TopicAnswer)[]): readonly Listed[] {
  return entities.flatMap((entity): readonly Listed[] =>
    entity.kind === 'topic' ? [entity, ...entity.subscriptions] : [entity],
  );
}
