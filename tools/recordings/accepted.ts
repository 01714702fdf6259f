// Differences from the service's recorded answers that stay, each with its reason. A difference takes the first that fits.

import type { Accepted } from './compare.js';

const NOTHING = /^$/;
const UPDATE = /^PUT /;
/** Of 2015 to 2017. SDKs since then always say which version they read. */
const WITHOUT_VERSION = /^(?!.*api-version)/;

export const ACCEPTED: readonly Accepted[] = [
  {
    key: /^\/Error\/Detail$/,
    reason:
      'the words of an error are ours: they name the entity and the value, and say what to do; programs read the status and the sub-code',
  },
  {
    key: /^(?:\/Error|body|header content-type)$/,
    service: NOTHING,
    reason: 'some errors of the service have no content; ours say what is wrong',
  },
  {
    key: /^header www-authenticate$/,
    service: NOTHING,
    reason: 'HTTP wants it with 401, and no SDK minds',
  },
  {
    key: /^header etag$/,
    service: /^TICKS$/,
    ours: NOTHING,
    reason: 'who may not read an entity is not told when it was changed',
  },
  {
    request: WITHOUT_VERSION,
    key: /^header etag$/,
    service: NOTHING,
    reason: 'errors had no ETag in 2015; they have since',
  },
  {
    request: WITHOUT_VERSION,
    key: /^\/Error\/Detail\/SubCode$/,
    service: NOTHING,
    ours: /^40000$/,
    reason: 'errors had no sub-codes in 2015; they have since',
  },
  {
    request: WITHOUT_VERSION,
    key: /Description\/\w+$/,
    service: NOTHING,
    reason:
      'the first version had fewer elements; a program that names no version today, such as by curl, wants them all',
  },
  {
    request: WITHOUT_VERSION,
    key: /Description\/(?:CreatedAt|UpdatedAt)$/,
    service: /^TIME$/,
    ours: /^TIMEZ$/,
    reason: 'without the zone, .NET reads a time as local time',
  },
  {
    request: WITHOUT_VERSION,
    key: /SubscriptionDescription\/MaxDeliveryCount$/,
    service: /^10$/,
    ours: /^15$/,
    reason:
      'the service does not see elements that come later than in its own order; Jitney reads them in any order',
  },
  {
    key: /Description\/(?:queueName|topicName|\w+\[2\])$/,
    ours: NOTHING,
    reason:
      "an early Java's elements came too late for the service to see, which returned them unread behind the values that it used",
  },
  {
    request: UPDATE,
    key: /^order$/,
    reason:
      'the answer to an update repeats the elements as they were sent; ours has the order of all answers',
  },
  {
    key: /^order$/,
    service: /QueueDescription\/(?:queueName|CreatedAt)$|TopicDescription\/topicName$/,
    reason: 'elements that came too late for the service to see are told last there; ours has one order',
  },
  {
    request: UPDATE,
    key: /Description\/(?:AccessedAt|CountDetails|SubscriptionCount|AuthorizationRules)$/,
    reason:
      'the answer to an update repeats what the client sent of the counts and times that it had read, or leaves out what it did not send',
  },
  {
    key: /^\/entry\/(?:id|link\/@href)$/,
    service: /^sb:/,
    ours: /^https:/,
    reason: "the service's address of a subscription or rule alone has a scheme that no client can follow",
  },
  {
    key: /Description\/(?:AutoDeleteOnIdle|DefaultMessageTimeToLive)$/,
    service: /^P10675199DT2H48M5\.477(?:539)?S$/,
    ours: /^P10675199DT2H48M5\.4775807S$/,
    reason: "the longest time, which some clients round, is told as .NET's longest",
  },
  {
    key: /(?:Filter|Action)\/RequiresPreprocessing$/,
    ours: NOTHING,
    reason: "an element of an early Python that means nothing; a rule's unknown elements are not kept",
  },
  {
    key: /(?:Filter|Action)\/Parameters$/,
    service: NOTHING,
    ours: NOTHING,
    reason: 'an empty list of parameters is left out: some clients never finish reading it',
  },
  {
    key: /TopicDescription\/MaxSizeInMegabytes$/,
    service: /^356352$/,
    ours: /^49152$/,
    reason: 'a topic with EnableSubscriptionPartitioning, which Jitney has not, has more partitions',
  },
  {
    key: /NamespaceInfo\/Alias$/,
    ours: NOTHING,
    reason: 'the alias of a pair of namespaces, which Jitney has not',
  },
  {
    key: /(?:title|author\/name|NamespaceInfo\/Name)$/,
    service: /^ShivangiServiceBus$/,
    ours: /^NAMESPACE$/,
    reason: 'in this recording the host was replaced by another and the name was not',
  },
  {
    key: /^BrokerProperties\/LockedUntil$/,
    service: NOTHING,
    reason: 'the documentation names it LockedUntil, the service sent LockedUntilUtc; ours sends both',
  },
  {
    key: /^BrokerProperties\/ForcePersistence$/,
    ours: NOTHING,
    reason: 'a property of express queues, which had no effect and which no SDK reads',
  },
];
