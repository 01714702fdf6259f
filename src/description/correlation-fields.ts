// The properties that a correlation filter can name, by their official names.

import type { CorrelationFilter } from '../broker/contract/rule-description.js';

/** COR-01. The keys are the names in Config.json and ATOM, in the order in which the service writes them. */
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
