// The broker properties a rule may name after `sys.`, and those it may set (SQL-07, ACT-04).

/** SQL-07 */
const SYSTEM_PROPERTIES = [
  'ContentType',
  'CorrelationId',
  'DeadLetterSource',
  'DeliveryCount',
  'EnqueuedSequenceNumber',
  'EnqueuedTimeUtc',
  'ExpiresAtUtc',
  'ForcePersistence',
  'Label',
  'LockedUntilUtc',
  'LockToken',
  'MessageId',
  'PartitionKey',
  'ReplyTo',
  'ReplyToSessionId',
  'ScheduledEnqueueTimeUtc',
  'SequenceNumber',
  'SessionId',
  'Size',
  'State',
  'TimeToLive',
  'To',
  'ViaPartitionKey',
] as const;

export type SystemProperty = (typeof SYSTEM_PROPERTIES)[number];

/** ACT-04: what an action may set, and as what it is stored. A partition key is settable without effect. */
const SETTABLE = {
  ContentType: 'text',
  CorrelationId: 'text',
  Label: 'text',
  MessageId: 'text',
  PartitionKey: 'nothing',
  ReplyTo: 'text',
  ReplyToSessionId: 'text',
  ScheduledEnqueueTimeUtc: 'time',
  SessionId: 'text',
  TimeToLive: 'span',
  To: 'text',
} as const satisfies { readonly [name in SystemProperty]?: string };

export type SettableProperty = Exclude<keyof typeof SETTABLE, 'PartitionKey'>;
export type SettableTarget =
  | { readonly storedAs: 'text' | 'time' | 'span'; readonly property: SettableProperty }
  | { readonly storedAs: 'nothing'; readonly property: 'PartitionKey' };

const BY_LOWER_CASE: ReadonlyMap<string, SystemProperty> = new Map([
  ...SYSTEM_PROPERTIES.map((name) => [name.toLowerCase(), name] as const),
  ['subject', 'Label'], // SQL-07
]);

/** SQL-07: in any case. */
export function findSystemProperty(name: string): SystemProperty | undefined {
  return BY_LOWER_CASE.get(name.toLowerCase());
}

/** Undefined when it is read-only. */
export function settableTargetOf(property: SystemProperty): SettableTarget | undefined {
  if (!isSettable(property)) return undefined;
  if (property === 'PartitionKey') return { storedAs: SETTABLE[property], property };
  return { storedAs: SETTABLE[property], property };
}

function isSettable(property: SystemProperty): property is keyof typeof SETTABLE {
  return Object.hasOwn(SETTABLE, property);
}
