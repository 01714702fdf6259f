// The official emulator's Config.json as data: its shape, its defaults, and the queues it describes.

import { describeQueue, type QueueDescription } from '../broker/entity/queue-description.js';
import { type GivenProperties, QUEUE_PROPERTIES } from './queue-properties.js';

/** A Config.json whose values have been checked. `null` is taken for "not given", as .NET writes it. */
export type OfficialConfig = {
  readonly UserConfig: { readonly Namespaces: readonly OfficialNamespace[] };
};

export type OfficialNamespace = {
  readonly Queues?: readonly OfficialQueue[] | null | undefined;
  readonly Topics?: readonly { readonly Name: string }[] | null | undefined;
};

export type OfficialQueue = {
  readonly Name: string;
  readonly Properties?: Readonly<Record<string, unknown>> | null | undefined;
};

const SECOND = 1000;
const MINUTE = 60 * SECOND;

/** Where the official emulator's defaults are not Azure's. */
const OFFICIAL_DEFAULTS: GivenProperties = {
  maxDeliveryCount: 3,
  defaultMessageTimeToLiveMs: 60 * MINUTE,
  lockDurationMs: MINUTE,
  duplicateDetectionHistoryTimeWindowMs: 20 * SECOND,
};

/** `LockDuration` for `lockDuration`. */
export function officialName(propertyName: string): string {
  return propertyName.charAt(0).toUpperCase() + propertyName.slice(1);
}

export function queuesOf(config: OfficialConfig): QueueDescription[] {
  const queues = config.UserConfig.Namespaces.flatMap((namespace) => namespace.Queues ?? []);
  return queues.map(({ Name, Properties }) =>
    describeQueue(Name, { ...OFFICIAL_DEFAULTS, ...readProperties(Properties ?? {}) }),
  );
}

export function topicNamesOf(config: OfficialConfig): string[] {
  return config.UserConfig.Namespaces.flatMap(({ Topics }) => (Topics ?? []).map(({ Name }) => Name));
}

function readProperties(properties: Readonly<Record<string, unknown>>): GivenProperties {
  let given: GivenProperties = {};
  for (const property of QUEUE_PROPERTIES) {
    const value = properties[officialName(property.name)];
    if (value !== undefined && value !== null) given = { ...given, ...property.read(value) };
  }
  return given;
}
