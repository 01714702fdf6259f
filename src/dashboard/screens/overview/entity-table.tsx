// The table of all entities: exact counts by state, rates, receivers, and how long the oldest waits.

import { useState } from 'preact/hooks';
import { Icon, type IconName } from '../../parts/icon.js';
import { Spark } from '../../parts/spark.js';
import { useVirtualRows } from '../../parts/virtual-rows.js';
import { durationText, numberText, rateText, shortName } from '../../state/format.js';
import { type Listed, listed, now, rates } from '../../state/model.js';
import { hrefOf, type Tab } from '../../state/route.js';

const ROW_HEIGHT = 32;
/** Above this the table scrolls by itself, and draws only the rows in view. */
const MANY = 40;
/** Messages that wait longer stand out. */
const LONG_MS = 120_000;

const COLUMNS: readonly (readonly [name: string, icon: IconName | undefined, title: string])[] = [
  [
    'Active',
    'active',
    "Messages that a receiver could get now. Azure's ActiveMessageCount also counts those that are locked.",
  ],
  ['Locked', 'locked', 'Messages that a receiver holds'],
  ['Scheduled', 'scheduled', 'Messages that become active at a time'],
  ['Deferred', 'deferred', 'Messages that are received by their number alone'],
  ['Dead-letter', 'dead', 'Messages in the dead-letter queue, in any state'],
];

export function EntityTable() {
  const [filter, setFilter] = useState('');
  const all = listed.value;
  const wanted = filter.toLowerCase();
  const shown = wanted === '' ? all : all.filter(({ path }) => path.toLowerCase().includes(wanted));
  const isLong = all.length > MANY;
  const rows = useVirtualRows(shown.length, ROW_HEIGHT);
  const visible = isLong ? shown.slice(rows.first, rows.end) : shown;
  return (
    <section class="panel entities" aria-label="Entities">
      {isLong ? (
        <header>
          <h2>Entities</h2>
          <span class="sub">
            {numberText(shown.length)} of {numberText(all.length)}
          </span>
          <span class="push" />
          <input
            type="text"
            aria-label="Filter the table"
            placeholder="Filter"
            value={filter}
            onInput={(event) => setFilter(event.currentTarget.value)}
          />
        </header>
      ) : null}
      <div class={isLong ? 'rows long' : ''} ref={rows.ref}>
        <table>
          <caption class="vh">Entities with exact counts by state</caption>
          <Head />
          <tbody>
            {isLong ? <tr class="gap" style={{ height: `${rows.above}px` }} /> : null}
            {visible.map((entity) => (
              <Row key={entity.path} entity={entity} />
            ))}
            {isLong ? <tr class="gap" style={{ height: `${rows.below}px` }} /> : null}
          </tbody>
          <Foot entities={shown} />
        </table>
      </div>
    </section>
  );
}

function Head() {
  return (
    <thead>
      <tr>
        <th scope="col">Entity</th>
        {COLUMNS.map(([name, icon, title]) => (
          <th key={name} scope="col" class="r" title={title}>
            <span class="st">
              {icon === undefined ? null : <Icon name={icon} />}
              {name}
            </span>
          </th>
        ))}
        <th scope="col" class="r">
          In/s
        </th>
        <th scope="col" class="r">
          Out/s
        </th>
        <th scope="col">
          <span class="acc">━</span> in &nbsp;<span>╌</span> out, 5 min
        </th>
        <th scope="col" class="r">
          Consumers
        </th>
        <th scope="col" class="r">
          Oldest waiting
        </th>
      </tr>
    </thead>
  );
}

function Row({ entity }: { readonly entity: Listed }) {
  const { path, kind, counts, links } = entity;
  const at = now.value;
  const { incoming, outgoing } = rates.of(path);
  const isTopic = kind === 'topic';
  const oldest =
    isTopic || entity.oldestActiveTime === undefined ? undefined : at - Date.parse(entity.oldestActiveTime);
  return (
    <tr>
      <th scope="row">
        <Name entity={entity} />
      </th>
      <Count path={path} tab="active" value={isTopic ? undefined : counts.active} />
      <Count path={path} tab="locked" value={isTopic ? undefined : counts.locked} />
      <Count path={path} tab="scheduled" value={counts.scheduled} />
      <Count path={path} tab="deferred" value={isTopic ? undefined : counts.deferred} />
      <Count path={path} tab="dead" value={isTopic ? undefined : counts.deadLetter} isDead />
      <td class="r">{rateText(incoming)}</td>
      <td class="r">{rateText(outgoing)}</td>
      <td>
        <Spark
          {...rates.seriesOf(path)}
          label={`${rateText(incoming)} in, ${rateText(outgoing)} out a second`}
        />
      </td>
      <td class={links.receivers === 0 ? 'r z' : 'r'}>
        {links.receivers === 0 ? '–' : numberText(links.receivers)}
      </td>
      <td class={oldest === undefined ? 'r z' : oldest > LONG_MS ? 'r amb b' : 'r'}>
        {oldest === undefined ? '–' : durationText(oldest)}
      </td>
    </tr>
  );
}

function Name({ entity }: { readonly entity: Listed }) {
  const { path, kind } = entity;
  const isSubscription = kind === 'subscription';
  return (
    <a
      class={isSubscription ? 'ent in' : 'ent'}
      href={hrefOf({ screen: 'entity', path, tab: kind === 'topic' ? 'scheduled' : 'active', filter: '' })}
    >
      <Icon name={kind} />
      {isSubscription ? shortName(path) : path}
      <small>{noteOf(entity)}</small>
    </a>
  );
}

function noteOf(entity: Listed): string {
  const notes: string[] = [];
  if (entity.status !== 'Active') notes.push(entity.status);
  if (entity.kind === 'topic') notes.push(`${entity.subscriptions.length} subscriptions`);
  else {
    if (entity.forwardTo !== undefined) notes.push(`forwards to ${entity.forwardTo}`);
    if (entity.sessions !== undefined) notes.push(`${numberText(entity.sessions.count)} sessions`);
    if (entity.kind === 'subscription' && entity.forwardTo === undefined)
      notes.push(rulesText(entity.rules.length));
  }
  return notes.join(', ');
}

function rulesText(count: number): string {
  return count === 1 ? '1 rule' : `${count} rules`;
}

type CountProps = {
  readonly path: string;
  readonly tab: Tab;
  readonly value: number | undefined;
  readonly isDead?: boolean;
};

/** Zeros are faint; a topic's cells are a dash where it holds nothing. */
function Count({ path, tab, value, isDead = false }: CountProps) {
  if (value === undefined) {
    return (
      <td class="r z">
        <span class="vh">not applicable</span>
        <span aria-hidden="true">–</span>
      </td>
    );
  }
  if (value === 0) return <td class="r z">0</td>;
  const href = hrefOf({ screen: 'entity', path, tab, filter: '' });
  return (
    <td class="r">
      <a class={isDead ? 'st dead b' : ''} href={href}>
        {isDead ? <Icon name="dead" /> : null}
        {numberText(value)}
      </a>
    </td>
  );
}

function Foot({ entities }: { readonly entities: readonly Listed[] }) {
  const sum = (of: (entity: Listed) => number) => entities.reduce((total, entity) => total + of(entity), 0);
  const dead = sum(({ counts }) => counts.deadLetter);
  return (
    <tfoot>
      <tr>
        <td>All</td>
        <td class="r">{numberText(sum(({ counts }) => counts.active))}</td>
        <td class="r">{numberText(sum(({ counts }) => counts.locked))}</td>
        <td class="r">{numberText(sum(({ counts }) => counts.scheduled))}</td>
        <td class="r">{numberText(sum(({ counts }) => counts.deferred))}</td>
        <td class="r">
          {dead === 0 ? (
            '0'
          ) : (
            <span class="st dead b">
              <Icon name="dead" />
              {numberText(dead)}
            </span>
          )}
        </td>
        <td class="r">
          {rateText(sum(({ path, kind }) => (kind === 'subscription' ? 0 : rates.of(path).incoming)))}
        </td>
        <td class="r">{rateText(sum(({ path }) => rates.of(path).outgoing))}</td>
        <td />
        <td class="r">{numberText(sum(({ links }) => links.receivers))}</td>
        <td />
      </tr>
    </tfoot>
  );
}
