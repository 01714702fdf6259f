// The table of all entities: exact counts by state, rates, receivers, and how long the oldest waits.

import { useState } from 'preact/hooks';
import type { RatesAnswer } from '../../../http/control/control-schemas.js';
import { Cut } from '../../parts/cut.js';
import { Icon, type IconName } from '../../parts/icon.js';
import { Spark } from '../../parts/spark.js';
import { useVirtualRows } from '../../parts/virtual-rows.js';
import { durationText, numberText, plural, rateText, shortName, spokenPath } from '../../state/format.js';
import { type EntityRates, rateOfNow } from '../../state/rate-series.js';
import { hrefOf, type Tab } from '../../state/route.js';
import { hasMessages, type Listed } from '../../state/store.js';
import { useStore } from '../../state/use-store.js';

const ROW_HEIGHT = 32;
/** Above this the table scrolls by itself, and draws only the rows in view. */
const MANY = 40;
/** Messages that wait longer stand out. */
const LONG_MS = 120_000;

const COLUMNS: readonly (readonly [name: string, icon: IconName, title: string])[] = [
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

export function EntityTable({ rates }: { readonly rates: RatesAnswer | undefined }) {
  const { listed } = useStore();
  const [filter, setFilter] = useState('');
  const [isFullOnly, setFullOnly] = useState(false);
  const all = listed.value;
  const wanted = filter.toLowerCase();
  const shown = all.filter(
    (one) => one.path.toLowerCase().includes(wanted) && (!isFullOnly || hasMessages(one)),
  );
  const isLong = all.length > MANY;
  const rows = useVirtualRows(shown.length, ROW_HEIGHT);
  const visible = isLong ? shown.slice(rows.first, rows.end) : shown;
  const ratesByPath = new Map(rates?.entities.map((one) => [one.path, one]));
  return (
    <section class="panel entities" aria-label="Entities">
      <TableHeader
        shownCount={shown.length}
        count={all.length}
        filter={filter}
        onFilter={isLong ? setFilter : undefined}
        isFullOnly={isFullOnly}
        onFullOnly={setFullOnly}
      />
      {shown.length === 0 ? (
        <p class="pad t2">
          {isFullOnly ? 'No entity has messages or dead letters.' : `No entity has '${filter}' in its name.`}
        </p>
      ) : (
        <div class={isLong ? 'rows long' : ''} ref={rows.ref}>
          <table class="cards">
            <caption class="vh">Entities with exact counts by state</caption>
            <Head />
            <tbody>
              {isLong ? <tr class="gap" style={{ height: `${rows.above}px` }} /> : null}
              {visible.map((entity) => (
                <Row
                  key={entity.path}
                  entity={entity}
                  rates={ratesByPath.get(entity.path)}
                  stepMs={rates?.stepMs ?? 1000}
                />
              ))}
              {isLong ? <tr class="gap" style={{ height: `${rows.below}px` }} /> : null}
            </tbody>
            <Foot entities={shown} />
          </table>
        </div>
      )}
    </section>
  );
}

type HeaderProps = {
  readonly shownCount: number;
  readonly count: number;
  readonly filter: string;
  /** Undefined where there are few. */
  readonly onFilter: ((text: string) => void) | undefined;
  readonly isFullOnly: boolean;
  readonly onFullOnly: (isOn: boolean) => void;
};

function TableHeader({ shownCount, count, filter, onFilter, isFullOnly, onFullOnly }: HeaderProps) {
  return (
    <header>
      <h2>Entities</h2>
      <span class="sub">
        {shownCount === count ? '' : `${numberText(shownCount)} of ${numberText(count)}`}
      </span>
      <span class="push" />
      <button type="button" class="chip" aria-pressed={isFullOnly} onClick={() => onFullOnly(!isFullOnly)}>
        Only with messages
      </button>
      {onFilter === undefined ? null : (
        <input
          type="text"
          aria-label="Filter the table"
          placeholder="Filter"
          value={filter}
          onInput={(event) => onFilter(event.currentTarget.value)}
        />
      )}
    </header>
  );
}

function Head() {
  return (
    <thead>
      <tr>
        <th scope="col">Entity</th>
        {COLUMNS.map(([name, icon, title]) => (
          <th key={name} scope="col" class="r n" title={title}>
            <span class="st">
              <Icon name={icon} />
              {name}
            </span>
          </th>
        ))}
        <th scope="col" class="r n" title="Messages that came, a second, in the last 10 s">
          In/s
        </th>
        <th
          scope="col"
          class="r n"
          title="Messages that left, a second, in the last 10 s: taken by receivers, forwarded, or passed on by a topic to its subscriptions"
        >
          Out/s
        </th>
        <th scope="col" class="sparks">
          <span title="The last five minutes">
            <span class="acc">━</span> in <span>╌</span> out
          </span>
        </th>
        <th scope="col" class="r n">
          Consumers
        </th>
        <th scope="col" class="r w">
          Oldest waiting
        </th>
      </tr>
    </thead>
  );
}

type RowProps = {
  readonly entity: Listed;
  readonly rates: EntityRates | undefined;
  readonly stepMs: number;
};

function Row({ entity, rates, stepMs }: RowProps) {
  const { brokerNow } = useStore();
  const { path, kind, counts, links } = entity;
  const isTopic = kind === 'topic';
  const oldestMs =
    isTopic || entity.oldestActiveTime === undefined
      ? undefined
      : brokerNow.value - Date.parse(entity.oldestActiveTime);
  const [incoming, outgoing] = [rates?.in ?? [], rates?.out ?? []];
  const [inText, outText] = [incoming, outgoing].map((points) => rateText(rateOfNow(points, stepMs) ?? 0));
  return (
    <tr>
      <th scope="row">
        <Name entity={entity} />
      </th>
      <Count path={path} tab="active" label="Active" value={isTopic ? undefined : counts.active} />
      <Count path={path} tab="locked" label="Locked" value={isTopic ? undefined : counts.locked} />
      <Count path={path} tab="scheduled" label="Scheduled" value={counts.scheduled} />
      <Count path={path} tab="deferred" label="Deferred" value={isTopic ? undefined : counts.deferred} />
      <Count path={path} tab="dead" label="Dead-letter" value={isTopic ? undefined : counts.deadLetter} />
      <td class={inText === '0' ? 'r z' : 'r'} data-label="In/s">
        {inText}
      </td>
      <td class={outText === '0' ? 'r z' : 'r'} data-label="Out/s">
        {outText}
      </td>
      <td class="sparks">
        <Spark incoming={incoming} outgoing={outgoing} label={`${inText} in, ${outText} out a second`} />
      </td>
      <td class={links.receivers === 0 ? 'r z' : 'r'} data-label="Consumers">
        {links.receivers === 0 ? '–' : numberText(links.receivers)}
      </td>
      <td
        class={oldestMs === undefined ? 'r z' : oldestMs > LONG_MS ? 'r amb b' : 'r'}
        data-label="Oldest waiting"
      >
        {oldestMs === undefined ? '–' : durationText(oldestMs)}
      </td>
    </tr>
  );
}

function Name({ entity }: { readonly entity: Listed }) {
  const { path, kind } = entity;
  const isSubscription = kind === 'subscription';
  const note = noteOf(entity);
  return (
    <a
      class={isSubscription ? 'ent in' : 'ent'}
      href={hrefOf({
        screen: 'entity',
        path,
        tab: kind === 'topic' ? 'subscriptions' : 'active',
        filter: '',
      })}
    >
      <Icon name={kind} />
      <Cut text={spokenPath(path)} short={isSubscription ? shortName(path) : path} />
      {note === '' ? null : <small title={note}>{note}</small>}
    </a>
  );
}

function noteOf(entity: Listed): string {
  const notes: string[] = [];
  if (entity.status !== 'Active') notes.push(entity.status);
  if (entity.kind === 'topic') notes.push(plural(entity.subscriptions.length, 'subscription'));
  else {
    if (entity.forwardTo !== undefined) notes.push(`forwards to ${entity.forwardTo}`);
    if (entity.sessions !== undefined) notes.push(plural(entity.sessions.count, 'session'));
    if (entity.kind === 'subscription' && entity.forwardTo === undefined)
      notes.push(plural(entity.rules.length, 'rule'));
  }
  return notes.join(', ');
}

type CountProps = {
  readonly path: string;
  readonly tab: Tab;
  readonly label: string;
  readonly value: number | undefined;
};

/** Zeros are faint; a topic's cells are a dash where it holds nothing. */
function Count({ path, tab, label, value }: CountProps) {
  if (value === undefined) {
    return (
      <td class="r z" data-label={label}>
        <span class="vh">not applicable</span>
        <span aria-hidden="true">–</span>
      </td>
    );
  }
  if (value === 0) {
    return (
      <td class="r z" data-label={label}>
        0
      </td>
    );
  }
  const isDead = tab === 'dead';
  return (
    <td class="r" data-label={label}>
      <a class={isDead ? 'st dead b' : ''} href={hrefOf({ screen: 'entity', path, tab, filter: '' })}>
        {isDead ? <Icon name="dead" /> : null}
        {numberText(value)}
      </a>
    </td>
  );
}

const SUMS = [
  ['Active', 'active'],
  ['Locked', 'locked'],
  ['Scheduled', 'scheduled'],
  ['Deferred', 'deferred'],
  ['Dead-letter', 'deadLetter'],
] as const satisfies readonly (readonly [string, keyof Listed['counts']])[];

function Foot({ entities }: { readonly entities: readonly Listed[] }) {
  const receivers = entities.reduce((sum, { links }) => sum + links.receivers, 0);
  return (
    <tfoot>
      <tr>
        <th scope="row">All</th>
        {SUMS.map(([label, name]) => {
          const sum = entities.reduce((total, { counts }) => total + counts[name], 0);
          return (
            <td key={name} class={name === 'deadLetter' && sum > 0 ? 'r red' : 'r'} data-label={label}>
              {numberText(sum)}
            </td>
          );
        })}
        <td colSpan={3} class="sparks" />
        <td class="r" data-label="Consumers">
          {numberText(receivers)}
        </td>
        <td class="sparks" />
      </tr>
    </tfoot>
  );
}
