// The words of the timeline: what an event did, to which message, and by whom.

import { productName } from '../../../watch/client-label.js';
import { clientName, numberText, shortName, spokenPath } from '../../state/format.js';
import type { PageEvent } from '../../state/page-event.js';
import type { Mark, Stay } from './timeline-message.js';

type Client = PageEvent['client'];

/** A client by its name; one that has none but its SDK's by that and the number of its connection, which tells it from others. */
export function peerName(client: Client): string {
  const name = clientName(client);
  if (client?.product === undefined || name !== productName(client.product)) return name;
  return `${name.replace(/ [\d.]+(-\S*)?$/, '')} · ${client.connectionId}`;
}

/** A store as its lane is named. */
export function placeName(path: string): string {
  return path.includes('/Subscriptions/') && !path.includes('/$') ? shortName(path) : spokenPath(path);
}

/** A step in words, of which the middle one says what happened. */
export type Words = {
  readonly before: string;
  readonly verb: string;
  readonly after: string;
  readonly isBad: boolean;
};

type Teller = (
  event: PageEvent,
  names: { readonly place: string; readonly number: string; readonly by: string },
) => Partial<Words>;

const VERBS: Readonly<Record<string, Teller>> = {
  accepted: (_, { place, number }) => ({ before: place, verb: 'accepted', after: number }),
  enqueued: (_, { place, number }) => ({ before: place, verb: 'accepted', after: number }),
  scheduled: (_, { place, number }) => ({ before: place, verb: 'scheduled', after: number }),
  activated: (_, { place, number }) => ({ before: place, verb: 'activated', after: number }),
  routed: ({ rule = '' }, { place, number }) => ({
    before: place,
    verb: 'matched',
    after: `${rule} ${number}`,
  }),
  unmatched: (_, { place, number }) => ({
    before: `${place} ${number}`,
    verb: 'matched no rule',
    isBad: true,
  }),
  locked: (_, { number, by }) => ({ verb: 'locked', after: `${number} by ${by}` }),
  consumed: (_, { number, by }) => ({ verb: 'received and deleted', after: `${number} by ${by}` }),
  renewed: (_, { number, by }) => ({ verb: 'renewed', after: `${number} by ${by}` }),
  completed: (_, { place, number }) => ({ before: `${place} ${number}`, verb: 'completed' }),
  abandoned: (event, { number, by }) => ({
    ...{ verb: 'abandoned', after: `${number} by ${by}${ofMost(event)}`, isBad: true },
  }),
  'lock-expired': (event, { place, number }) => ({
    ...{ before: `lock of ${place} ${number}`, verb: 'ended', after: ofMost(event), isBad: true },
  }),
  released: (_, { number, by }) => ({ verb: 'released', after: `${number} by ${by}` }),
  deferred: (_, { number, by }) => ({ verb: 'deferred', after: `${number} by ${by}` }),
  expired: (_, { place, number }) => ({ before: `${place} ${number}`, verb: 'expired', isBad: true }),
  'dead-lettered': ({ reason = '' }, { place, number }) => ({
    ...{ before: `${place} ${number}`, verb: 'dead-lettered', after: reason, isBad: true },
  }),
  forwarded: ({ destination = '' }, { place, number }) => ({
    ...{ before: `${place} ${number}`, verb: 'forwarded', after: `to ${placeName(destination)}` },
  }),
  duplicate: (_, { place, number }) => ({
    before: place,
    verb: 'dropped a duplicate',
    after: `of ${number}`,
  }),
  purged: ({ messageCount = 0 }, { place }) => ({
    before: place,
    verb: 'purged',
    after: numberText(messageCount),
  }),
};

export function wordsOf(event: PageEvent): Words {
  const { kind, path = '', sequenceNumber, client, sessionId } = event;
  const number = sequenceNumber === undefined ? '' : `#${numberText(sequenceNumber)}`;
  const names = {
    place: placeName(path),
    number,
    by: client === undefined ? 'a receiver' : peerName(client),
  };
  const words = VERBS[kind]?.(event, names) ?? {
    ...{ before: `${names.place} ${number}`.trim(), verb: kind.replaceAll('-', ' '), after: sessionId ?? '' },
    isBad: kind === 'session-lost' || kind === 'refused',
  };
  return { before: '', verb: kind, after: '', isBad: false, ...words };
}

function ofMost({ deliveryCount, maxDeliveryCount }: PageEvent): string {
  return maxDeliveryCount === undefined ? '' : `, ${deliveryCount ?? 0} of ${maxDeliveryCount}`;
}

/** `2nd delivery` */
export function deliveryText(delivery: number): string {
  const ending =
    delivery % 100 > 10 && delivery % 100 < 14 ? 'th' : (['th', 'st', 'nd', 'rd'][delivery % 10] ?? 'th');
  return `${delivery}${ending} delivery`;
}

/** The sum of what is shown: messages, steps, and the time from the first to the last. */
export function sumOf(marks: readonly Mark[]): { messages: number; steps: number; ms: number } {
  const messages = new Set<Stay>();
  for (const { stay } of marks) if (stay !== undefined) messages.add(stay);
  const [first, last] = [marks[0], marks.at(-1)];
  return { messages: messages.size, steps: marks.length, ms: (last?.at ?? 0) - (first?.at ?? 0) };
}

/** `checkout-web to mailer-1 and invoicing-1`: who sent the first of the messages, and who completed them. */
export function journeyText(marks: readonly Mark[]): string {
  const sender = marks.find(({ event }) => event.client !== undefined)?.event.client;
  const ends = new Set<string>();
  for (const { event } of marks) {
    if (event.kind === 'completed' || event.kind === 'consumed') ends.add(peerName(event.client));
  }
  const names = [...ends].slice(-3);
  const last = names.pop();
  if (sender === undefined || last === undefined) return '';
  return `${peerName(sender)} to ${names.length === 0 ? last : `${names.join(', ')} and ${last}`}`;
}
