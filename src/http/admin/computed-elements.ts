// Elements of a description that the service computes, or tells in another form than it is kept in.

import type { AuthorizationRule } from '../../broker/entity/authorization-rule.js';
import type { MessageCounts } from '../../broker/result.js';
import { element, textElement } from '../xml/write-xml.js';
import { isoTime } from './atom.js';
import type { Place } from './entity-kind.js';
import { USUAL_SCHEME } from './forward-target.js';

const COUNTS = 'http://schemas.microsoft.com/netservices/2011/06/servicebus';

type Times = {
  readonly createdTime: number;
  readonly updatedTime: number;
  readonly accessedTime: number | undefined;
};

/** CNT-03. With its `Z`: .NET takes a time without one for a local time, and east of Greenwich for one before the calendar. */
const NEVER_ACCESSED = '0001-01-01T00:00:00Z';

export const timeElements = {
  CreatedAt: ({ createdTime }: Times) => textElement('CreatedAt', isoTime(createdTime)),
  UpdatedAt: ({ updatedTime }: Times) => textElement('UpdatedAt', isoTime(updatedTime)),
  AccessedAt: ({ accessedTime }: Times) =>
    textElement('AccessedAt', accessedTime === undefined ? NEVER_ACCESSED : isoTime(accessedTime)),
};

/** TXN-12; what is forwarded is never on its way: that is part of the turn. */
export function countDetails(counts: MessageCounts): string {
  const { active, deadLetter, scheduled, transfer, transferDeadLetter } = counts;
  return element(
    'CountDetails',
    // The JavaScript SDK takes the prefix from the one attribute there is.
    { 'xmlns:d2p1': COUNTS },
    textElement('d2p1:ActiveMessageCount', active),
    textElement('d2p1:DeadLetterMessageCount', deadLetter),
    textElement('d2p1:ScheduledMessageCount', scheduled),
    textElement('d2p1:TransferMessageCount', transfer),
    textElement('d2p1:TransferDeadLetterMessageCount', transferDeadLetter),
  );
}

/** CNT-01 */
export function messageCount(counts: MessageCounts): string {
  const { active, deadLetter, scheduled, transfer, transferDeadLetter } = counts;
  return textElement('MessageCount', active + deadLetter + scheduled + transfer + transferDeadLetter);
}

export function forwardElement(
  name: string,
  target: string | undefined,
  { host }: Place,
): string | undefined {
  return target === undefined ? undefined : textElement(name, `${USUAL_SCHEME}://${host}/${target}`);
}

export function authorizationRules(rules: readonly AuthorizationRule[]): string {
  const all = rules.map((rule) =>
    element(
      'AuthorizationRule',
      { 'i:type': 'SharedAccessAuthorizationRule' },
      textElement('ClaimType', rule.claimType),
      textElement('ClaimValue', rule.claimValue),
      element('Rights', {}, ...rule.rights.map((right) => textElement('AccessRights', right))),
      rule.createdTime === undefined ? undefined : textElement('CreatedTime', rule.createdTime),
      rule.modifiedTime === undefined ? undefined : textElement('ModifiedTime', rule.modifiedTime),
      textElement('KeyName', rule.keyName),
      textElement('PrimaryKey', rule.primaryKey),
      textElement('SecondaryKey', rule.secondaryKey),
    ),
  );
  return element('AuthorizationRules', {}, ...all);
}
