// The properties of a message as they came over AMQP, with their types, and what the broker has set.

import type { RawMessageAnswer } from '../../../http/control/control-schemas.js';
import { CopyButton } from '../../parts/copy-button.js';
import { Panel } from '../../parts/panel.js';
import { Scrolled } from '../../parts/scrolled.js';
import { dateTimeText, durationText, shownText } from '../../state/format.js';
import { hrefOf } from '../../state/route.js';

type Row = {
  readonly name: string;
  readonly type: string;
  readonly value: string | undefined;
  readonly href?: string;
};

/** The fields of AMQP's properties section, with the types that Service Bus gives them. */
const FIELDS = [
  ['message-id', 'string', 'messageId'],
  ['to', 'string', 'to'],
  ['subject', 'string', 'subject'],
  ['reply-to', 'string', 'replyTo'],
  ['correlation-id', 'string', 'correlationId'],
  ['content-type', 'symbol', 'contentType'],
  ['group-id', 'string', 'sessionId'],
  ['reply-to-group-id', 'string', 'replyToSessionId'],
  ['partition-key', 'string', 'partitionKey'],
  ['via-partition-key', 'string', 'viaPartitionKey'],
] as const;

export function PropertiesPanel({ message }: { readonly message: RawMessageAnswer }) {
  const { timeToLiveMs, scheduledEnqueueTime, applicationProperties, annotations } = message;
  const json = () => {
    const texts = Object.fromEntries(FIELDS.map(([, , field]) => [field, message[field]]));
    const all = { ...texts, timeToLiveMs, scheduledEnqueueTime, applicationProperties, annotations };
    return JSON.stringify(all, null, 2);
  };
  return (
    <Panel title="Properties" sub="as they came over AMQP" acts={<CopyButton text={json} label="JSON" />}>
      <Scrolled label="All properties">
        <table class="fix props">
          <caption class="vh">Properties of the message</caption>
          <colgroup>
            <col class="name" />
            <col class="type" />
            <col />
          </colgroup>
          <thead>
            <tr>
              <th scope="col">Name</th>
              <th scope="col">AMQP type</th>
              <th scope="col">Value</th>
            </tr>
          </thead>
          <tbody>
            <Group
              title="Properties"
              rows={FIELDS.map(([name, type, field]) => fieldRow(name, type, message[field], field))}
            />
            <Group title="Application properties" rows={typedRows(applicationProperties)} />
            <Group title="Annotations" rows={typedRows(annotations)} />
            <Group title="Set by the broker" rows={brokerRows(message)} />
          </tbody>
        </table>
      </Scrolled>
    </Panel>
  );
}

function Group({ title, rows }: { readonly title: string; readonly rows: readonly Row[] }) {
  if (rows.length === 0) return null;
  return (
    <>
      <tr>
        <th class="h" colSpan={3} scope="rowgroup">
          {title}
        </th>
      </tr>
      {rows.map(({ name, type, value, href }) => (
        <tr key={name}>
          <th scope="row" class="m" title={name}>
            <bdi>{shownText(name, 120)}</bdi>
          </th>
          <td>{type}</td>
          <td class="m" title={value}>
            {value === undefined ? <span class="t3">not set</span> : <Value value={value} href={href} />}
          </td>
        </tr>
      ))}
    </>
  );
}

function Value({ value, href }: { readonly value: string; readonly href: string | undefined }) {
  const text = <bdi dir="auto">{shownText(value, 300)}</bdi>;
  return href === undefined ? (
    text
  ) : (
    <a class="acc" href={href}>
      {text}
    </a>
  );
}

function fieldRow(name: string, type: string, value: string | undefined, field: string): Row {
  const filter = field === 'correlationId' ? 'correlation' : field === 'sessionId' ? 'session' : undefined;
  if (value === undefined || filter === undefined) return { name, type, value };
  return { name, type, value, href: hrefOf({ screen: 'timeline', filter: `${filter}:${value}` }) };
}

function typedRows(values: RawMessageAnswer['applicationProperties']): readonly Row[] {
  return Object.entries(values).map(([name, { type, value }]) => ({
    name,
    type,
    value:
      typeof value === 'string' && type === 'string'
        ? JSON.stringify(value)
        : JSON.stringify(value).replace(/^"|"$/g, ''),
  }));
}

function brokerRows(message: RawMessageAnswer): readonly Row[] {
  const { sequenceNumber, enqueuedTime, deliveryCount, expiresAt, scheduledTime, lock, timeToLiveMs } =
    message;
  const optional = (name: string, type: string, value: string | undefined): readonly Row[] =>
    value === undefined ? [] : [{ name, type, value }];
  return [
    { name: 'sequence-number', type: 'long', value: String(sequenceNumber) },
    { name: 'enqueued-time', type: 'timestamp', value: dateTimeText(enqueuedTime) },
    { name: 'delivery-count', type: 'uint', value: String(deliveryCount) },
    ...optional('locked-until', 'timestamp', lock?.lockedUntil && dateTimeText(lock.lockedUntil)),
    ...optional('scheduled-for', 'timestamp', scheduledTime && dateTimeText(scheduledTime)),
    ...optional('time-to-live', 'uint', timeToLiveMs === undefined ? undefined : durationText(timeToLiveMs)),
    ...optional('expires-at', 'timestamp', expiresAt && dateTimeText(expiresAt)),
    ...optional('lock-token', 'uuid', lock && `${lock.tokenStart}…`),
    ...optional('enqueued-sequence-number', 'long', message.enqueuedSequenceNumber?.toString()),
    ...optional('partition-id', 'short', message.partitionId?.toString()),
    ...optional('dead-letter-reason', 'string', message.deadLetterReason),
    ...optional('dead-letter-description', 'string', message.deadLetterErrorDescription),
    ...optional('dead-letter-source', 'string', message.deadLetterSource),
  ];
}
