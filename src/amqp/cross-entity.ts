// The AMQP sessions whose client wants transactions across entities: those on which a control link came first (TXN-10).

import { nameKey, parseEntityPath } from '../broker/entity/entity-path.js';
import { ServiceBusError } from '../broker/service-bus-error.js';
import type { Session } from './protocol/session.js';

type Form = {
  readonly isCrossEntity: boolean;
  /** The queue or topic that all else is sent through: that of the first link. */
  via: string | undefined;
};

export class CrossEntitySessions {
  readonly #forms = new WeakMap<Session, Form>();
  /** Whether there may be receivers of several entities, too. */
  readonly #isLifted: boolean;

  constructor({ isLifted }: { readonly isLifted: boolean }) {
    this.#isLifted = isLifted;
  }

  /** A control link is attached. A second one changes nothing: .NET has one that it never uses. */
  controlLink(session: Session): void {
    if (!this.#forms.has(session)) this.#forms.set(session, { isCrossEntity: true, via: undefined });
  }

  /** A link of an entity asks to be attached. Those of `$cbs` and `$management` do not count: Java has some before its control link. */
  entityLink(session: Session): void {
    if (!this.#forms.has(session)) this.#forms.set(session, { isCrossEntity: false, via: undefined });
  }

  /** There is the entity that it asked for: the first such is the one to send through. */
  found(session: Session, entityPath: string): void {
    const form = this.#forms.get(session);
    if (form?.isCrossEntity === true) form.via ??= parseEntityPath(entityPath).name;
  }

  /** Why a receiver may not be; undefined: it may. */
  refusal(session: Session, entityPath: string): ServiceBusError | undefined {
    const via = this.detourOf(session, entityPath);
    if (via === undefined) return undefined;
    const text =
      'Local transactions cannot span multiple top-level entities such as queue or topic. ' +
      `A transaction on this AMQP session receives from '${via}' alone; it can send to all others. ` +
      'Receive on another AMQP session, or send to what is received from first.';
    return new ServiceBusError('not-allowed', text, { entityPath });
  }

  /** The entity that messages to this one go through in a transaction, which needs the right to send to both. */
  detourOf(session: Session, entityPath: string): string | undefined {
    const via = this.#isLifted ? undefined : this.viaOf(session);
    return via === undefined || nameKey(via) === nameKey(parseEntityPath(entityPath).name) ? undefined : via;
  }

  /** Undefined: transactions of links on this session are about one entity. */
  viaOf(session: Session): string | undefined {
    return this.#forms.get(session)?.via;
  }
}
