// The AMQP sessions that allow transactions across entities: those whose first link is a control link (TXN-10).

import { parseEntityPath } from '../../broker/contract/entities/entity-path.js';
import { ServiceBusError } from '../../broker/contract/service-bus-error.js';
import type { AmqpSessionPort } from '../protocol/ports.js';

type Form = {
  readonly isCrossEntity: boolean;
  /** The queue or topic of the first link, through which messages to all other entities are sent. */
  via: string | undefined;
};

export class CrossEntitySessions {
  readonly #forms = new WeakMap<AmqpSessionPort, Form>();
  /** Whether a transaction may receive from several entities, too. */
  readonly #isLifted: () => boolean;

  constructor({ isLifted }: { readonly isLifted: () => boolean }) {
    this.#isLifted = isLifted;
  }

  /** Whether a transaction may be about several entities, as on a JMS 2.0 connection (JMS-70). */
  get spansEntities(): boolean {
    return this.#isLifted();
  }

  /** Notes a control link. A second one changes nothing: .NET opens one that it never uses. */
  controlLink(session: AmqpSessionPort): void {
    if (!this.#forms.has(session)) this.#forms.set(session, { isCrossEntity: true, via: undefined });
  }

  /** Notes a link of an entity. Links of `$cbs` and `$management` do not count: Java opens some before its control link. */
  entityLink(session: AmqpSessionPort): void {
    if (!this.#forms.has(session)) this.#forms.set(session, { isCrossEntity: false, via: undefined });
  }

  /** Notes that the entity of a link exists. The first one of the AMQP session becomes the entity to send through. */
  found(session: AmqpSessionPort, entityPath: string): void {
    const form = this.#forms.get(session);
    if (form?.isCrossEntity === true) form.via ??= parseEntityPath(entityPath).name;
  }

  /** The error for a receiver of another entity; undefined when the receiver is allowed. */
  refusal(session: AmqpSessionPort, entityPath: string): ServiceBusError | undefined {
    const via = this.detourOf(session, entityPath);
    if (via === undefined) return undefined;
    const text =
      'Local transactions cannot span multiple top-level entities such as queue or topic. ' +
      `A transaction on this AMQP session receives from '${via}' alone; it can send to all others. ` +
      'Receive on another AMQP session, or send to what is received from first.';
    return new ServiceBusError('not-allowed', text, { entityPath });
  }

  /** The entity through which messages to this entity go in a transaction. The client needs the right to send to both. */
  detourOf(session: AmqpSessionPort, entityPath: string): string | undefined {
    const via = this.#isLifted() ? undefined : this.viaOf(session);
    return via === undefined || via === parseEntityPath(entityPath).name ? undefined : via;
  }

  /** The entity to send through; undefined when transactions on this AMQP session are about one entity. */
  viaOf(session: AmqpSessionPort): string | undefined {
    return this.#forms.get(session)?.via;
  }
}
