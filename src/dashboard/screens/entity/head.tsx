// The head of an entity: its name, what it does with messages, and the acts on all of them.

import { useState } from 'preact/hooks';
import type { PurgedAnswer } from '../../../http/control/control-schemas.js';
import { Cut } from '../../parts/cut.js';
import { Confirm } from '../../parts/dialog.js';
import { Icon } from '../../parts/icon.js';
import { post } from '../../state/api.js';
import { storePathOf } from '../../state/destination.js';
import { spokenDuration } from '../../state/duration.js';
import { bytesText, plural, shortName, spokenPath } from '../../state/format.js';
import { hrefOf, type Tab } from '../../state/route.js';
import type { Listed } from '../../state/store.js';
import { useStore } from '../../state/use-store.js';
import { isDeadTab } from './tabs.js';

type HeadProps = {
  readonly entity: Listed;
  readonly tab: Tab;
  /** The filter above the list; empty without one. */
  readonly filter: string;
  readonly onDeleteShown: () => void;
  /** Undefined where no list is shown. */
  readonly onExport: (() => void) | undefined;
  readonly onPurged: () => void;
};

export function EntityHead({ entity, tab, filter, onDeleteShown, onExport, onPurged }: HeadProps) {
  const { isReadOnly } = useStore();
  const [isAsking, setAsking] = useState(false);
  const { path, kind } = entity;
  return (
    <div class="head">
      <h1>
        <span class="crumb">
          <Crumb entity={entity} /> /
        </span>{' '}
        <Cut text={path} short={kind === 'subscription' ? shortName(path) : path} />
      </h1>
      <Facts text={factsOf(entity).join(' · ')} />
      <span class="push" />
      {isReadOnly.value ? null : (
        <a
          class="btn"
          href={hrefOf({
            screen: 'compose',
            path: kind === 'subscription' ? entity.topic : path,
            from: undefined,
          })}
        >
          <Icon name="edit" />
          New message <kbd>c</kbd>
        </a>
      )}
      {onExport === undefined ? null : (
        <button type="button" data-harmless onClick={onExport} title="All that the list shows, as NDJSON">
          <Icon name="out" />
          Export
        </button>
      )}
      {isReadOnly.value ? null : (
        <button type="button" class="bad" onClick={() => setAsking(true)}>
          Purge…
        </button>
      )}
      {isAsking ? (
        <PurgeQuestion
          {...{ entity, tab, filter, onDeleteShown, onPurged }}
          onClose={() => setAsking(false)}
        />
      ) : null}
    </div>
  );
}

function Facts({ text }: { readonly text: string }) {
  return (
    <span class="facts el" title={text}>
      {text}
    </span>
  );
}

function Crumb({ entity }: { readonly entity: Listed }) {
  if (entity.kind === 'queue') return <a href={hrefOf({ screen: 'overview' })}>Queues</a>;
  if (entity.kind === 'topic') return <a href={hrefOf({ screen: 'overview' })}>Topics</a>;
  return (
    <a href={hrefOf({ screen: 'entity', path: entity.topic, tab: 'subscriptions', filter: '' })}>
      <Cut text={entity.topic} />
    </a>
  );
}

function factsOf(entity: Listed): readonly string[] {
  const { status, defaultTimeToLiveMs, links, sizeBytes } = entity;
  const about: string[] = status === 'Active' ? [] : [status];
  if (entity.kind !== 'topic') {
    about.push(`lock ${spokenDuration(entity.lockDurationMs)}`);
    about.push(`at most ${plural(entity.maxDeliveryCount, 'delivery', 'deliveries')}`);
    if (entity.requiresSession) about.push('sessions');
    if (entity.forwardTo !== undefined) about.push(`forwards to ${spokenPath(entity.forwardTo)}`);
  }
  if (defaultTimeToLiveMs !== undefined) about.push(`keeps ${spokenDuration(defaultTimeToLiveMs)}`);
  const clients =
    entity.kind === 'topic' ? plural(links.senders, 'sender') : plural(links.receivers, 'consumer');
  // A line breaks between facts, and not within one.
  return [...about, clients, bytesText(sizeBytes)].map((fact) => fact.replaceAll(' ', '\u00a0'));
}

type QuestionProps = Pick<HeadProps, 'entity' | 'tab' | 'filter' | 'onDeleteShown' | 'onPurged'> & {
  readonly onClose: () => void;
};

/** Says what a purge takes, and what it leaves. */
function PurgeQuestion({ entity, tab, filter, onDeleteShown, onClose, onPurged }: QuestionProps) {
  const store = useStore();
  const { notices } = store;
  const { counts, path, kind } = entity;
  const isDead = isDeadTab(tab);
  const place = storePathOf(path, isDead ? tab : 'active');
  const dead = tab === 'transfer-dead' ? counts.transferDeadLetter : counts.deadLetter;
  const held = counts.active + counts.locked + counts.scheduled + counts.deferred;
  const purge = () =>
    notices.attempt(async () => {
      const { count } = await post<PurgedAnswer>('messages:purge', { entity: place }, {});
      notices.show(`Purged ${plural(count, 'message')} of ${spokenPath(place)}.`);
      await store.refreshEntities();
      onPurged();
    });
  return (
    <Confirm title={`Purge ${spokenPath(place)}?`} act="Purge" onConfirm={purge} onClose={onClose}>
      {isDead ? (
        <>
          <b>{plural(dead, 'dead letter')}</b> will be gone. Other messages of {spokenPath(path)} stay.
        </>
      ) : kind === 'topic' ? (
        <>
          All scheduled messages of {path} and all messages of its subscriptions will be gone. Their dead
          letters stay.
        </>
      ) : (
        <>
          <b>{plural(held, 'message')}</b> will be gone: active, locked, scheduled and deferred.{' '}
          {plural(counts.deadLetter, 'dead letter')} {counts.deadLetter === 1 ? 'stays' : 'stay'}.
        </>
      )}{' '}
      This cannot be undone.
      {filter === '' ? null : (
        <>
          {' '}
          <b>All of them, not only those that the filter shows.</b> For those there is{' '}
          <button
            type="button"
            class="sm bad"
            onClick={() => {
              onClose();
              onDeleteShown();
            }}
          >
            Delete what the filter shows…
          </button>
        </>
      )}
    </Confirm>
  );
}
