// Description elements that are computed, or whose XML differs from the stored value.

import { atomTime } from '../../atom/atom-format.js';
import { DEFAULT_SCHEME } from '../../atom/forward-target.js';
import { element, textElement } from '../../atom/xml/write-xml.js';
import type { MessageCounts } from '../../broker/contract/result.js';
import type { AtomContext } from './atom.js';

const COUNTS = 'http://schemas.microsoft.com/netservices/2011/06/servicebus';

type Times = {
  readonly createdTime: number;
  readonly updatedTime: number;
  readonly accessedTime: number | undefined;
};

/** CNT-03. The `Z` is needed: .NET reads a time without it as local time, which east of Greenwich is before .NET's first time. */
const NEVER_ACCESSED = '0001-01-01T00:00:00Z';
/** The same time in the answer to the PUT of a subscription, where the service leaves out the zone. */
const NOT_YET_ACCESSED = '0001-01-01T00:00:00';

export const timeElements = {
  CreatedAt: ({ createdTime }: Times) => textElement('CreatedAt', atomTime(createdTime)),
  UpdatedAt: ({ updatedTime }: Times) => textElement('UpdatedAt', atomTime(updatedTime)),
};

/** The time at which a queue or topic was last used. */
export function accessedAt({ accessedTime }: Times, { answerTo }: AtomContext): string | undefined {
  if (answerTo !== 'read') return undefined;
  return textElement('AccessedAt', accessedTime === undefined ? NEVER_ACCESSED : atomTime(accessedTime));
}

export function accessedAtOfSubscription(
  { accessedTime }: { readonly accessedTime: number },
  { answerTo }: AtomContext,
): string {
  return textElement('AccessedAt', answerTo === 'read' ? atomTime(accessedTime) : NOT_YET_ACCESSED);
}

/** TXN-12. A message is forwarded within one turn, so it is never counted in transit. */
export function countDetails(
  { counts }: { readonly counts: MessageCounts },
  { answerTo }: AtomContext,
): string | undefined {
  if (answerTo !== 'read') return undefined;
  const { active, deadLetter, scheduled, transfer, transferDeadLetter } = counts;
  return element(
    'CountDetails',
    // The JavaScript SDK takes the prefix from the only attribute.
    { 'xmlns:d2p1': COUNTS },
    textElement('d2p1:ActiveMessageCount', active),
    textElement('d2p1:DeadLetterMessageCount', deadLetter),
    textElement('d2p1:ScheduledMessageCount', scheduled),
    textElement('d2p1:TransferMessageCount', transfer),
    textElement('d2p1:TransferDeadLetterMessageCount', transferDeadLetter),
  );
}

/** CNT-01 */
export function totalOf(counts: MessageCounts): number {
  const { active, deadLetter, scheduled, transfer, transferDeadLetter } = counts;
  return active + deadLetter + scheduled + transfer + transferDeadLetter;
}

export function messageCount(counts: MessageCounts): string {
  return textElement('MessageCount', totalOf(counts));
}

export function forwardElement(
  name: string,
  target: string | undefined,
  { host }: AtomContext,
): string | undefined {
  return target === undefined ? undefined : textElement(name, `${DEFAULT_SCHEME}://${host}/${target}`);
}
