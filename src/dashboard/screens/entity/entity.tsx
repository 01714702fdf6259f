// One queue, topic or subscription: its messages by state, its rates and its settings.

import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { nearestWord } from '../../../description/suggestion.js';
import { Icon } from '../../parts/icon.js';
import { Empty, Reading } from '../../parts/panel.js';
import { numberText, spokenPath } from '../../state/format.js';
import { useKeys } from '../../state/keys.js';
import { go, hrefOf, route, type Tab } from '../../state/route.js';
import type { Listed } from '../../state/store.js';
import { useStore } from '../../state/use-store.js';
import { SessionPanel } from '../sessions/session-list.js';
import { actsFor } from './acts.js';
import { EntityHead } from './head.js';
import { MessageList } from './message-list.js';
import { RatesTab } from './rates-tab.js';
import { SettingsTab } from './settings-tab.js';
import { Subscriptions } from './subscriptions.js';
import { isDeadTab, isMessageTab, type MessageTab, TAB_ICONS, TAB_NAMES, tabCount, tabsOf } from './tabs.js';
import type { Acts } from './use-acts.js';

type EntityProps = { readonly path: string; readonly tab: Tab; readonly filter: string };

export function EntityScreen({ path, tab, filter }: EntityProps) {
  const store = useStore();
  const entity = store.entityAt(path);
  if (store.entities.value === undefined) return <Reading label={path} />;
  if (entity === undefined) return <Missing path={path} />;
  const tabs = tabsOf(entity);
  const shown = tabs.includes(tab) ? tab : (tabs[0] ?? 'active');
  return <Shown entity={entity} tabs={tabs} tab={shown} filter={filter} />;
}

type ShownProps = {
  readonly entity: Listed;
  readonly tabs: readonly Tab[];
  readonly tab: Tab;
  readonly filter: string;
};

function Shown({ entity, tabs, tab, filter }: ShownProps) {
  const { path } = entity;
  const acts = useRef<Acts>(undefined);
  const [purgeCount, setPurgeCount] = useState(0);
  const turn = (by: number) => {
    // Keys may come faster than the page is drawn.
    const here = route.peek();
    const from = tabs.indexOf(here.screen === 'entity' ? here.tab : tab);
    const next = tabs[(from + by + tabs.length) % tabs.length] ?? tab;
    go({ screen: 'entity', path, tab: next, filter: '' });
  };
  const isList = isMessageTab(tab);
  const turning = { '[': () => turn(-1), ']': () => turn(1) };
  // A list has more to leave than itself.
  const leaving = isList ? {} : { Escape: () => go({ screen: 'overview' }) };
  useKeys({ ...turning, ...leaving });
  return (
    <section id="entity" class="whole" aria-label={`Entity ${spokenPath(path)}`}>
      <EntityHead
        entity={entity}
        tab={tab}
        filter={isList ? filter : ''}
        onDeleteShown={() => acts.current?.deleteAll(filter)}
        onExport={isList ? () => acts.current?.exportAll(filter) : undefined}
        onPurged={() => setPurgeCount(purgeCount + 1)}
      />
      <Tabs entity={entity} tabs={tabs} tab={tab} />
      {entity.kind === 'topic' && tab === 'subscriptions' ? <Subscriptions topic={entity} /> : null}
      {tab === 'sessions' ? <SessionPanel path={path} /> : null}
      {isList ? (
        <MessageList
          key={`${tab} ${purgeCount}`}
          place={{ path, tab }}
          filter={filter}
          onActs={(next) => {
            acts.current = next;
          }}
        />
      ) : null}
      {tab === 'rates' ? <RatesTab path={path} /> : null}
      {tab === 'settings' ? <SettingsTab path={path} /> : null}
      {isList ? <KeyLine tab={tab} /> : null}
    </section>
  );
}

function Tabs({ entity, tabs, tab }: Pick<ShownProps, 'entity' | 'tabs' | 'tab'>) {
  const firstOther = tabs.indexOf('rates');
  const list = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    list.current
      ?.querySelector('[aria-selected="true"]')
      ?.scrollIntoView({ block: 'nearest', inline: 'center' });
  }, [tab]);
  return (
    <div class="tabs" role="tablist" aria-label="States" ref={list}>
      {tabs.map((each, index) => {
        const icon = TAB_ICONS[each];
        const count = tabCount(entity, each);
        return (
          <a
            key={each}
            role="tab"
            class={index === firstOther ? 'push' : ''}
            href={hrefOf({ screen: 'entity', path: entity.path, tab: each, filter: '' })}
            aria-selected={each === tab}
            title={
              each === 'active'
                ? "Azure's ActiveMessageCount also counts locked and deferred ones."
                : undefined
            }
          >
            {icon === undefined ? null : (
              <span class={isDeadTab(each) && count !== 0 ? 'st dead' : 'st'}>
                <Icon name={icon} />
              </span>
            )}
            {TAB_NAMES[each]}
            {count === undefined ? null : <span class="n">{numberText(count)}</span>}
          </a>
        );
      })}
    </div>
  );
}

const LOOKING = [
  ['j', 'down'],
  ['k', 'up'],
  ['x', 'select'],
  ['o', 'open'],
  ['space', 'peek'],
] as const;

function KeyLine({ tab }: { readonly tab: MessageTab }) {
  const { isReadOnly } = useStore();
  const acts = actsFor(tab, isReadOnly.value).flatMap(({ key, label }) =>
    key === undefined ? [] : [[key, label.toLowerCase().replace('…', '')] as const],
  );
  const keys = [...LOOKING, ...acts, ['[ ]', 'tab'] as const];
  return (
    <div class="keys">
      {keys.map(([key, text]) => (
        <span key={key}>
          <kbd>{key}</kbd>
          {text}
        </span>
      ))}
    </div>
  );
}

function Missing({ path }: { readonly path: string }) {
  const { listed } = useStore();
  const near = nearestWord(
    path,
    listed.value.map((one) => one.path),
  );
  return (
    <section aria-label={path}>
      <Empty title={`There is no entity '${spokenPath(path)}'.`}>
        {near === undefined ? (
          'It was deleted, or never there.'
        ) : (
          <>
            Did you mean{' '}
            <a class="acc" href={hrefOf({ screen: 'entity', path: near, tab: 'active', filter: '' })}>
              {spokenPath(near)}
            </a>
            ?
          </>
        )}
      </Empty>
    </section>
  );
}
