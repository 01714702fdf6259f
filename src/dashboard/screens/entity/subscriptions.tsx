// The subscriptions of a topic: what they hold, who receives from them, and the rules by which messages reach them.

import { useState } from 'preact/hooks';
import type { TopicAnswer } from '../../../http/control/control-schemas.js';
import type { RulesAnswer } from '../../../http/control/entity-schemas.js';
import { Cut } from '../../parts/cut.js';
import { Heads } from '../../parts/heads.js';
import { Icon } from '../../parts/icon.js';
import { Empty, Given, Panel } from '../../parts/panel.js';
import { useVirtualRows } from '../../parts/virtual-rows.js';
import { durationText, numberText, plural, spokenPath } from '../../state/format.js';
import { hrefOf, type Tab } from '../../state/route.js';
import { usePolled } from '../../state/use-polled.js';
import { useStore } from '../../state/use-store.js';
import { EntityForm } from '../manage/entity-form.js';

const ROW_HEIGHT = 44;
/** Rules of a subscription that its row names. */
const MOST_RULES = 2;
const EACH_MS = 5000;
const COUNTS = ['Active', 'Locked', 'Deferred', 'Dead-letter', 'Oldest', 'Consumers'];

type Subscription = TopicAnswer['subscriptions'][number];

export function Subscriptions({ topic }: { readonly topic: TopicAnswer }) {
  const { subscriptions, path } = topic;
  const rows = useVirtualRows(subscriptions.length, ROW_HEIGHT);
  if (subscriptions.length === 0) {
    return (
      <Panel title="Subscriptions" acts={<NewSubscription topic={path} />}>
        <Empty title="There is no subscription.">
          Without one, messages that are sent to {path} are gone.
        </Empty>
      </Panel>
    );
  }
  return (
    <Panel
      title="Subscriptions"
      sub={`${plural(subscriptions.length, 'subscription')}, each with its own copy of a message`}
      acts={
        <>
          <a class="btn sm" href={hrefOf({ screen: 'rules', topic: path })}>
            Test the rules
          </a>
          <NewSubscription topic={path} />
        </>
      }
      grows
    >
      <div class="rows" ref={rows.ref}>
        <table class="cards">
          <caption class="vh">Subscriptions of {path}</caption>
          <Heads names={['Subscription', 'Rules', ...COUNTS]} right={COUNTS} />
          <tbody>
            <tr class="gap" style={{ height: `${rows.above}px` }} />
            {subscriptions.slice(rows.first, rows.end).map((one) => (
              <Line key={one.path} subscription={one} />
            ))}
            <tr class="gap" style={{ height: `${rows.below}px` }} />
          </tbody>
        </table>
      </div>
    </Panel>
  );
}

function NewSubscription({ topic }: { readonly topic: string }) {
  const { isReadOnly } = useStore();
  const [isOpen, setOpen] = useState(false);
  if (isReadOnly.value) return null;
  return (
    <>
      <button type="button" class="sm" onClick={() => setOpen(true)}>
        New subscription…
      </button>
      {isOpen ? <EntityForm topic={topic} onClose={() => setOpen(false)} /> : null}
    </>
  );
}

function Line({ subscription }: { readonly subscription: Subscription }) {
  const { now } = useStore();
  const { name, path, counts, forwardTo, oldestActiveTime, links } = subscription;
  const to = (tab: Tab) => hrefOf({ screen: 'entity', path, tab, filter: '' });
  const cells = [
    ['active', counts.active, 'Active'],
    ['locked', counts.locked, 'Locked'],
    ['deferred', counts.deferred, 'Deferred'],
    ['dead', counts.deadLetter, 'Dead-letter'],
  ] as const;
  return (
    <tr>
      <th scope="row">
        <a class="ent" href={to('active')}>
          <Icon name="subscription" />
          <Cut text={name} />
          <small>{forwardTo === undefined ? '' : `forwards to ${spokenPath(forwardTo)}`}</small>
        </a>
      </th>
      <td data-label="Rules">
        <Rules subscription={subscription} />
      </td>
      {cells.map(([tab, count, label]) => (
        <td key={tab} data-label={label} class={count === 0 ? 'r z' : 'r'}>
          {count === 0 ? (
            '0'
          ) : (
            <a class={tab === 'dead' ? 'st dead b' : ''} href={to(tab)}>
              {tab === 'dead' ? <Icon name="dead" /> : null}
              {numberText(count)}
            </a>
          )}
        </td>
      ))}
      <td data-label="Oldest" class="r t2">
        {oldestActiveTime === undefined ? '–' : durationText(now.value - Date.parse(oldestActiveTime))}
      </td>
      <td data-label="Consumers" class="r">
        {numberText(links.receivers)}
      </td>
    </tr>
  );
}

/** The rules as SQL; their names while that is not known. */
function Rules({ subscription: { path, rules } }: { readonly subscription: Subscription }) {
  const query = `rules?entity=${encodeURIComponent(path)}`;
  const { value } = usePolled<RulesAnswer>(query, { every: EACH_MS });
  if (rules.length === 0) return <span class="amb">none: no message reaches it</span>;
  const shown = value?.rules ?? rules.map((name) => ({ name, filter: { text: '' }, action: undefined }));
  return (
    <>
      {shown.slice(0, MOST_RULES).map(({ name, filter, action }) => (
        <div
          key={name}
          class="el rule"
          title={`${name}: ${filter.text}${action === undefined ? '' : `; ${action}`}`}
        >
          <Given text={name} most={40} />{' '}
          <span class="m t2">
            <Given text={action === undefined ? filter.text : `${filter.text}; ${action}`} most={200} />
          </span>
        </div>
      ))}
      {shown.length > MOST_RULES ? <span class="t3">and {shown.length - MOST_RULES} more</span> : null}
    </>
  );
}
