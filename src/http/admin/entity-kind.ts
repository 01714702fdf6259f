// What the XML of queues, of topics and of subscriptions has in common: named properties in a fixed order, some of them computed.

import type { Limits, Tier } from '../../broker/limits.js';
import type { PropertyTable } from '../../description/entity-property.js';

/** Where something is told, as far as that changes what is told. */
export type Place = {
  /** By which the client called us. */
  readonly host: string;
  readonly tier: Tier;
  readonly limits: Limits;
  /** As `2021-05`, by which clients say what they can read; empty: they do not say. */
  readonly apiVersion: string;
};

export type EntityKind<Info, Given> = {
  /** `QueueDescription` and the like. */
  readonly element: string;
  readonly properties: PropertyTable<Given>;
  /** All there is, properties and more, in the order of the service. */
  readonly order: readonly string[];
  /** XML of what is no property, or is told in another form than it is kept in; undefined: left out. */
  readonly computed: Readonly<Record<string, (info: Info, place: Place) => string | undefined>>;
  /** What is the same of all, until a client says something else: that is told from then on, and means nothing here. */
  readonly constant: Readonly<Record<string, string>>;
  /** What clients may send back and nobody here has a use for. */
  readonly alsoIgnored: readonly string[];
  /** Which of it an update that does not mention it leaves as it is; everything else gets its default. */
  readonly fixed: readonly (keyof Given)[];
};
