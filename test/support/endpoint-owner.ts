// A scripted owner of an AMQP connection's links, in the place of a broker: accepts them, records what comes, sends what it is told.

import type { ConnectionListener } from '../../src/amqp/protocol/connection.js';
import type { Link } from '../../src/amqp/protocol/link-table.js';
import type { ClientDisposition } from '../../src/amqp/protocol/outgoing-transfers.js';
import type { ReceiverLink, ReceiverLinkOwner } from '../../src/amqp/protocol/receiver-link.js';
import type { IncomingDelivery, SenderLink, SenderLinkOwner } from '../../src/amqp/protocol/sender-link.js';
import { ACCEPTED, type DeliveryState } from '../../src/codec/delivery-state.js';
import type { AmqpError, Open } from '../../src/codec/performatives.js';

export type OwnerScript = {
  /** What becomes of a new link; by default it is accepted. */
  readonly onAttached?: (link: Link, owner: EndpointOwner) => void;
  /** Credit kept up on sender links. */
  readonly credit?: number;
  readonly maxMessageSize?: number;
  /** The answer to a message; undefined: none. */
  readonly outcomeOf?: (delivery: IncomingDelivery) => DeliveryState | undefined;
};

const SETTLED_BY_SENDER = 1;

export class EndpointOwner implements ConnectionListener {
  readonly script: OwnerScript;
  readonly links: Link[] = [];
  readonly senders: ScriptedSender[] = [];
  readonly receivers: ScriptedReceiver[] = [];
  readonly opens: Open[] = [];
  readonly ends: { readonly error: AmqpError | undefined; readonly fault: unknown }[] = [];
  readonly names: string[] = [];
  /** Links detached because their messages came too slowly. */
  slowCount = 0;
  /** To be replaced by whoever takes the output. */
  whenOutputReady: () => void = () => {};
  whenEnded: () => void = () => {};

  constructor(script: OwnerScript = {}) {
    this.script = script;
  }

  outputReady(): void {
    this.whenOutputReady();
  }

  misaddressed(): void {}

  accepts({ name }: { readonly name: string }): boolean | undefined {
    this.names.push(name);
    return name === 'undecided' ? undefined : name !== 'intruder';
  }

  opened(open: Open): void {
    this.opens.push(open);
  }

  attached(link: Link): void {
    this.links.push(link);
    if (this.script.onAttached === undefined) this.accept(link);
    else this.script.onAttached(link, this);
  }

  tooSlow(linkCount: number): void {
    this.slowCount += linkCount;
  }

  ended(error: AmqpError | undefined, fault?: unknown): void {
    this.ends.push({ error, fault });
    this.whenEnded();
  }

  /** False when the link has gone in the meantime. */
  accept(link: Link): boolean {
    if (link.role === 'sender') {
      const sender = new ScriptedSender(link, this.script);
      this.senders.push(sender);
      return sender.begin();
    }
    const receiver = new ScriptedReceiver(link);
    this.receivers.push(receiver);
    return receiver.begin();
  }

  /** The links the owner accepted, in their order. */
  get owned(): readonly (ScriptedSender | ScriptedReceiver)[] {
    return [...this.senders, ...this.receivers];
  }
}

export class ScriptedSender implements SenderLinkOwner {
  readonly link: SenderLink;
  readonly deliveries: IncomingDelivery[] = [];
  readonly #script: OwnerScript;
  detachedCount = 0;
  isAttached = false;

  constructor(link: SenderLink, script: OwnerScript) {
    this.link = link;
    this.#script = script;
  }

  begin(): boolean {
    const { maxMessageSize, credit = 100 } = this.#script;
    this.isAttached = this.link.accept(this, { maxMessageSize });
    if (credit > 0) this.link.setCredit(credit);
    return this.isAttached;
  }

  delivered(delivery: IncomingDelivery): void {
    this.deliveries.push({ ...delivery, payload: Buffer.from(delivery.payload) });
    const { outcomeOf = () => ACCEPTED, credit = 100 } = this.#script;
    const outcome = delivery.isSettled ? undefined : outcomeOf(delivery);
    if (outcome !== undefined) this.link.settle(delivery.deliveryId, outcome);
    if (credit > 0 && this.link.credit < credit / 2) this.link.setCredit(credit);
  }

  detached(): void {
    this.detachedCount += 1;
  }
}

export class ScriptedReceiver implements ReceiverLinkOwner {
  readonly link: ReceiverLink;
  readonly words: ClientDisposition[] = [];
  readonly #outbox: (readonly Buffer[])[] = [];
  detachedCount = 0;
  isAttached = false;
  sentCount = 0;

  constructor(link: ReceiverLink) {
    this.link = link;
  }

  begin(): boolean {
    this.isAttached = this.link.accept(this);
    return this.isAttached;
  }

  /** Messages that have not been handed to the link. */
  get waitingCount(): number {
    return this.#outbox.length;
  }

  /** Sends now or when there is credit and room; several pieces make up one message. */
  send(...message: Buffer[]): void {
    this.#outbox.push(message);
    this.pump();
  }

  flowed(): void {
    this.pump();
  }

  writable(): void {
    this.pump();
  }

  disposed(word: ClientDisposition): void {
    this.words.push(word);
    const { deliveryId, state, isSettled } = word;
    if (!isSettled && state !== undefined) this.link.settle(deliveryId, bare(state));
  }

  detached(): void {
    this.detachedCount += 1;
  }

  pump(): void {
    while (this.#outbox.length > 0 && this.link.credit > 0 && this.link.canSend) {
      const payload = this.#outbox.shift();
      if (payload === undefined) return;
      const tag = Buffer.alloc(16);
      tag.writeUInt32BE(this.sentCount++, 12);
      const isSettled = this.link.attach.sndSettleMode === SETTLED_BY_SENDER;
      this.link.send({ tag, payload: [...payload], isSettled, context: `message ${this.sentCount - 1}` });
    }
    if (this.link.isDraining && (this.#outbox.length === 0 || this.link.credit <= 0)) this.link.drained();
  }
}

/** The same outcome without what the client said along with it. */
function bare(state: DeliveryState): DeliveryState {
  switch (state.kind) {
    case 'rejected':
      return { kind: 'rejected', error: undefined };
    case 'modified':
      return { ...state, messageAnnotations: undefined };
    case 'accepted':
      return state;
    default:
      return { kind: 'released' };
  }
}
