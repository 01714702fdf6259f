// Who says that an entity is there and what its properties are: a place in a file, a flag or variable, or whose default it is.

import {
  QUEUE_PROPERTIES,
  SUBSCRIPTION_PROPERTIES,
  TOPIC_PROPERTIES,
} from '../description/entity-properties.js';
import { findByName } from '../description/entity-property.js';
import type { EntityName } from './config-error.js';
import type { ConfigPlaces } from './config-places.js';
import type { ConfiguredEntities } from './configured-entities.js';
import { OFFICIAL_DEFAULTS } from './official-config.js';
import { splitSpec } from './queue-spec.js';
import type { Settings } from './settings.js';
import { topicNameOf } from './topic-spec.js';

const OF_AZURE = "Azure's default";
const OF_OFFICIAL = "the official emulator's default";

export type EntityKind = 'queue' | 'topic' | 'subscription';

export type Origin = {
  readonly ofEntity: string;
  readonly ofProperty: (property: { readonly name: string; readonly field: string }) => string;
  readonly ofRule: (name: string) => string;
};

export class Origins {
  readonly #configured: ConfiguredEntities;
  readonly #settings: Settings;
  readonly #places: ConfigPlaces;

  constructor(configured: ConfiguredEntities, settings: Settings, places: ConfigPlaces) {
    this.#configured = configured;
    this.#settings = settings;
    this.#places = places;
  }

  of(entity: EntityName, kind: EntityKind): Origin {
    return this.#configured.isNamed(entity) ? this.#ofNamed(entity, kind) : this.#ofFile(entity, kind);
  }

  #ofFile(entity: EntityName, kind: EntityKind): Origin {
    const ofEntity = this.#places.positionOf(entity) ?? '';
    const defaults: Readonly<Record<string, unknown>> = OFFICIAL_DEFAULTS[kind];
    return {
      ofEntity,
      ofProperty: ({ name, field }) =>
        this.#places.positionOf(entity, name) ?? (Object.hasOwn(defaults, field) ? OF_OFFICIAL : OF_AZURE),
      ofRule: (name) => this.#places.positionOfRule(entity, name) ?? ofEntity,
    };
  }

  #ofNamed({ topicName, name }: EntityName, kind: EntityKind): Origin {
    const { queues, queuesFrom, topics, topicsFrom } = this.#settings;
    const ofEntity = (kind === 'queue' ? queuesFrom : topicsFrom) ?? '';
    const spec =
      kind === 'queue'
        ? queues.find((one) => isSame(splitSpec(one)[0], name))
        : topics.find((one) => isSame(topicNameOf(splitSpec(one)[0]), topicName ?? name));
    const given = givenIn(spec ?? '', kind);
    return {
      ofEntity,
      ofProperty: (property) => (given.has(property.name) ? ofEntity : OF_AZURE),
      ofRule: () => ofEntity,
    };
  }
}

/** ENT-02 */
function isSame(a: string, b: string): boolean {
  return a.toLowerCase() === b.toLowerCase();
}

/** In the query of a topic, what topics have is theirs, and the rest goes to the subscriptions. */
function givenIn(spec: string, kind: EntityKind): ReadonlySet<string> {
  const table: readonly { readonly name: string }[] = kind === 'queue' ? QUEUE_PROPERTIES : TOPIC_PROPERTIES;
  const keys = [...new URLSearchParams(splitSpec(spec)[1]).keys()];
  const properties = keys.map((key) => {
    const own = findByName(table, key);
    if (kind !== 'subscription') return own;
    return own === undefined ? findByName(SUBSCRIPTION_PROPERTIES, key) : undefined;
  });
  return new Set(properties.flatMap((property) => (property === undefined ? [] : [property.name])));
}
