// The navigation: screens and tools, and between them all entities with what is active and dead in them. On a phone it is a drawer.

import { useState } from 'preact/hooks';
import type { QueueAnswer, SubscriptionAnswer, TopicAnswer } from '../http/control/control-schemas.js';
import { Cut } from './parts/cut.js';
import { Icon, type IconName } from './parts/icon.js';
import { numberText, shortName } from './state/format.js';
import { useKeys } from './state/keys.js';
import { hrefOf, type Route, route } from './state/route.js';
import { hasMessages, type Listed } from './state/store.js';
import { useStore } from './state/use-store.js';

/** Above this, the tree shows only what its filter names. */
const MOST_SHOWN = 200;
/** With fewer entities nobody needs a filter. */
const FILTERED_FROM = 12;

type NavigationProps = { readonly isOpen: boolean; readonly onClose: () => void };

export function Navigation({ isOpen, onClose }: NavigationProps) {
  const { isReadOnly } = useStore();
  return (
    <>
      {isOpen ? <Backdrop onClose={onClose} /> : null}
      <nav id="navigation" class={isOpen ? 'nav open' : 'nav'} aria-label="Main">
        <div>
          <Entry to={{ screen: 'overview' }} icon="grid" text="Overview" />
          <Entry to={{ screen: 'flow' }} icon="topic" text="Flow" />
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
          <Entry to={{ screen: 'connect' }} icon="jitney" text="Connect" />
          <Entry to={{ screen: 'about' }} icon="info" text="About" />
        </div>
      </nav>
    </>
  );
}

/** Behind the open drawer: a click or Escape closes it. */
function Backdrop({ onClose }: { readonly onClose: () => void }) {
  useKeys({ Escape: onClose });
  return <button type="button" class="backdrop" aria-label="Close the navigation" onClick={onClose} />;
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
  const { entities, listed } = useStore();
  const [filter, setFilter] = useState('');
  const [isFullOnly, setFullOnly] = useState(false);
  const all = entities.value ?? [];
  const count = listed.value.length;
  const wanted = filter.toLowerCase();
  const matching = all.filter(
    (one) => one.path.toLowerCase().includes(wanted) && (!isFullOnly || isTreeFull(one)),
  );
  const shown = count > MOST_SHOWN ? matching.slice(0, MOST_SHOWN) : matching;
  const queues = shown.filter((one): one is QueueAnswer => one.kind === 'queue');
  const topics = shown.filter((one): one is TopicAnswer => one.kind === 'topic');
  return (
    <div class="tree-of-entities">
      {count < FILTERED_FROM ? null : (
        <TreeFilter
          count={count}
          text={filter}
          onText={setFilter}
          isFullOnly={isFullOnly}
          onFullOnly={setFullOnly}
        />
      )}
      {queues.length === 0 ? null : (
        <>
          <h3>
            <span>Queues</span>
            <span>active</span>
          </h3>
          {queues.map((queue) => (
            <EntityEntry key={queue.path} entity={queue} icon="queue" />
          ))}
        </>
      )}
      {topics.length === 0 ? null : (
        <>
          <h3>Topics</h3>
          {topics.map((topic) => (
            <div key={topic.path}>
              <EntityEntry entity={topic} icon="topic" />
              {topic.subscriptions
                .filter((subscription) => !isFullOnly || hasMessages(subscription))
                .map((subscription) => (
                  <EntityEntry key={subscription.path} entity={subscription} icon="subscription" />
                ))}
            </div>
          ))}
        </>
      )}
      {matching.length > shown.length ? (
        <p class="t3">{numberText(matching.length - shown.length)} more: narrow the filter.</p>
      ) : null}
      {matching.length === 0 && all.length > 0 ? <p class="t3">None of them.</p> : null}
    </div>
  );
}

type TreeFilterProps = {
  readonly count: number;
  readonly text: string;
  readonly onText: (text: string) => void;
  readonly isFullOnly: boolean;
  readonly onFullOnly: (isOn: boolean) => void;
};

function TreeFilter({ count, text, onText, isFullOnly, onFullOnly }: TreeFilterProps) {
  return (
    <div class="treefilter">
      <input
        type="text"
        aria-label="Filter entities"
        placeholder={`Filter ${numberText(count)} entities`}
        value={text}
        onInput={(event) => onText(event.currentTarget.value)}
      />
      <button type="button" class="chip" aria-pressed={isFullOnly} onClick={() => onFullOnly(!isFullOnly)}>
        Only with messages
      </button>
    </div>
  );
}

function isTreeFull(entity: QueueAnswer | TopicAnswer): boolean {
  return hasMessages(entity) || (entity.kind === 'topic' && entity.subscriptions.some(hasMessages));
}

function EntityEntry({ entity, icon }: { readonly entity: Listed; readonly icon: IconName }) {
  const { path, kind } = entity;
  const at = route.value;
  const isHere =
    (at.screen === 'entity' || at.screen === 'message') && at.path.toLowerCase() === path.toLowerCase();
  return (
    <a
      class={kind === 'subscription' ? 'sub' : ''}
      href={hrefOf({
        screen: 'entity',
        path,
        tab: kind === 'topic' ? 'subscriptions' : 'active',
        filter: '',
      })}
      aria-current={isHere ? 'page' : undefined}
    >
      <Icon name={icon} />
      <Cut text={path} short={kind === 'subscription' ? shortName(path) : path} />
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
