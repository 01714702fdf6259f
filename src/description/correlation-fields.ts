// The properties of a message that a correlation filter can name, as Config.json and ATOM name them and as the broker does.

import type { CorrelationFilter } from '../broker/rules/rule-description.js';

/** COR-01. In the order in which the service writes them. */
export const OFFICIAL_CORRELATION_FIELDS = {
  CorrelationId: 'correlationId',
  MessageId: 'messageId',
  To: 'to',
  ReplyTo: 'replyTo',
  Label: 'subject',
  SessionId: 'sessionId',
  ReplyToSessionId: 'replyToSessionId',
  ContentType: 'contentType',
} as const satisfies Readonly<Record<string, Exclude<keyof CorrelationFilter, 'kind' | 'properties'>>>;
