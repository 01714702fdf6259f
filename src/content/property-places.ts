// The places of the fields in the properties section (AMQP 3.2.4).

export const PLACE = {
  messageId: 0,
  userId: 1,
  to: 2,
  subject: 3,
  replyTo: 4,
  correlationId: 5,
  contentType: 6,
  absoluteExpiryTime: 8,
  creationTime: 9,
  groupId: 10,
  replyToGroupId: 12,
} as const;
