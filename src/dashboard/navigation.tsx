// The navigation: screens, and all entities with what is active and dead in them. Many entities are grouped by the start of their names.

import { useState } from 'preact/hooks';
import type { QueueAnswer, SubscriptionAnswer } from '../http/control/control-schemas.js';
import { Icon, type IconName } from './parts/icon.js';
import { numberText, shortName } from './state/format.js';
import { entities, type Listed } from './state/model.js';
import { hrefOf, type Route, route } from './state/route.js';
import { isReadOnly } from './state/settings.js';

/** Above this, the tree shows only what its filter names. */
const MOST_SHOWN = 200;

export function Navigation() {
  return (
    <nav class="nav" aria-label="Main">
      <div>
        <Entry to={{ screen: 'overview' }} icon="grid" text="Overview" />
        <Entry to={{ screen: 'timeline', filter: '' }} icon="lanes" text="Timeline" />
      </div>
      <Tree />
      <div>
        <h3>Tools</h3>
        {isReadOnly.value ? null : (
          <Entry
            to={{ screen: 'compose', path: undefined, from: undefined }}
            icon="edit"
            text="New message"
          />
        )}
        <Entry to={{ screen: 'rules', topic: undefined }} icon="rule" text="Rules tester" />
        <Entry to={{ screen: 'sessions' }} icon="locked" text="Sessions & locks" />
        <Entry to={{ screen: 'connections' }} icon="plug" text="Connections" />
        <Entry to={{ screen: 'clock' }} icon="scheduled" text="Clock & faults" />
      </div>
      <div>
        <Entry to={{ screen: 'connect' }} icon="jitney" text="Connect" />
        <Entry to={{ screen: 'about' }} icon="info" text="About" />
      </div>
    </nav>
  );
}

function Entry({ to, icon, text }: { readonly to: Route; readonly icon: IconName; readonly text: string }) {
  return (
    <a href={hrefOf(to)} aria-current={route.value.screen === to.screen ? 'page' : undefined}>
      <Icon name={icon} />
      <span class="el">{text}</span>
    </a>
  );
}

function Tree() {
  const [filter, setFilter] = useState('');
  const all = entities.value ?? [];
  const count = all.reduce((sum, one) => sum + (one.kind === 'topic' ? 1 + one.subscriptions.length : 1), 0);
  const isLong = count > MOST_SHOWN;
  const wanted = filter.toLowerCase();
  const matching = all.filter(({ path }) => path.toLowerCase().includes(wanted));
  const shown = isLong ? matching.slice(0, MOST_SHOWN) : matching;
  const queues = shown.filter((one): one is QueueAnswer => one.kind === 'queue');
  const topics = shown.flatMap((one) => (one.kind === 'topic' ? [one] : []));
  return (
    <>
      {count > 20 ? (
        <input
          type="text"
          aria-label="Filter entities"
          placeholder={`Filter ${numberText(count)} entities`}
          value={filter}
          onInput={(event) => setFilter(event.currentTarget.value)}
        />
      ) : null}
      {queues.length === 0 ? null : (
        <div>
          <h3>
            <span>Queues</span>
            <span>active</span>
          </h3>
          {queues.map((queue) => (
            <EntityEntry key={queue.path} entity={queue} icon="queue" />
          ))}
        </div>
      )}
      {topics.length === 0 ? null : (
        <div>
          <h3>
            <span>Topics</span>
          </h3>
          {topics.map((topic) => (
            <div key={topic.path}>
              <EntityEntry entity={topic} icon="topic" />
              {topic.subscriptions.map((subscription) => (
                <EntityEntry key={subscription.path} entity={subscription} icon="subscription" />
              ))}
            </div>
          ))}
        </div>
      )}
      {matching.length > shown.length ? (
        <p class="t3">{numberText(matching.length - shown.length)} more: narrow the filter.</p>
      ) : null}
    </>
  );
}

function EntityEntry({ entity, icon }: { readonly entity: Listed; readonly icon: IconName }) {
  const { path, kind } = entity;
  const at = route.value;
  const isHere =
    (at.screen === 'entity' || at.screen === 'message') && at.path.toLowerCase() === path.toLowerCase();
  const name = kind === 'subscription' ? shortName(path) : path;
  return (
    <a
      class={kind === 'subscription' ? 'sub' : ''}
      href={hrefOf({ screen: 'entity', path, tab: kind === 'topic' ? 'scheduled' : 'active', filter: '' })}
      aria-current={isHere ? 'page' : undefined}
    >
      <Icon name={icon} />
      <span class="el">{name}</span>
      {kind === 'topic' ? null : <Counts entity={entity} />}
    </a>
  );
}

function Counts({ entity: { counts } }: { readonly entity: QueueAnswer | SubscriptionAnswer }) {
  return (
    <span class="n">
      {numberText(counts.active)}
      <span class="vh"> active</span>
      {counts.deadLetter === 0 ? null : (
        <b>
          <Icon name="dead" /> {numberText(counts.deadLetter)}
          <span class="vh"> dead-lettered</span>
        </b>
      )}
    </span>
  );
}
