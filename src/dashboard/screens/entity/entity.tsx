// One queue, topic or subscription: its messages by state, its rates and its settings.

import { useRef, useState } from 'preact/hooks';
import { nearestWord } from '../../../description/suggestion.js';
import { Icon } from '../../parts/icon.js';
import { Empty } from '../../parts/panel.js';
import { numberText, spokenPath } from '../../state/format.js';
import { useKeys } from '../../state/keys.js';
import { entities, entityAt, type Listed, listed } from '../../state/model.js';
import { go, hrefOf, route, type Tab } from '../../state/route.js';
import { isReadOnly } from '../../state/settings.js';
import { EntityHead } from './head.js';
import type { ListActs } from './list-acts.js';
import { MessageList } from './message-list.js';
import { RatesTab } from './rates-tab.js';
import { SettingsTab } from './settings-tab.js';
import { Subscriptions } from './subscriptions.js';
import { countOf, isDeadTab, isMessageTab, TAB_ICONS, TAB_NAMES, tabsOf } from './tabs.js';

type EntityProps = { readonly path: string; readonly tab: Tab; readonly filter: string };

export function EntityScreen({ path, tab, filter }: EntityProps) {
  const entity = entityAt(path);
  if (entities.value === undefined) return <section aria-label={path} />;
  if (entity === undefined) return <Missing path={path} />;
  const tabs = tabsOf(entity.kind);
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
  const acts = useRef<ListActs>(undefined);
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
        onExport={isList ? () => acts.current?.exportAll() : undefined}
        onPurged={() => setPurgeCount(purgeCount + 1)}
      />
      <Tabs entity={entity} tabs={tabs} tab={tab} />
      {entity.kind === 'topic' && tab === 'scheduled' ? <Subscriptions topic={entity} /> : null}
      {isList ? (
        <MessageList
          key={`${tab} ${purgeCount}`}
          place={{ path, tab }}
          filterText={filter}
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
  return (
    <div class="tabs" role="tablist" aria-label="States">
      {tabs.map((each, index) => {
        const icon = TAB_ICONS[each];
        const count = isMessageTab(each) ? countOf(entity.counts, each) : undefined;
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

function KeyLine({ tab }: { readonly tab: Tab }) {
  const changing = isDeadTab(tab) ? ([['r', 'resubmit']] as const) : [];
  const keys = [...LOOKING, ...(isReadOnly.value ? [] : changing), ['[ ]', 'tab'] as const];
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
