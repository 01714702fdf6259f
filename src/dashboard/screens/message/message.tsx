// One message: its body, why it is where it is, what has happened to it, and its properties; its acts stay in view.

import { useEffect } from 'preact/hooks';
import type { RawMessageAnswer } from '../../../http/control/control-schemas.js';
import { Cut } from '../../parts/cut.js';
import { Icon } from '../../parts/icon.js';
import { Empty, Given, Reading } from '../../parts/panel.js';
import { ApiError, pathOf } from '../../state/api.js';
import { storePathOf } from '../../state/destination.js';
import { bytesText, durationText, numberText, shownText, spokenPath } from '../../state/format.js';
import { useKeys } from '../../state/keys.js';
import { missingMessage } from '../../state/missing-message.js';
import { errorText } from '../../state/notices.js';
import type { Polled } from '../../state/polling.js';
import { go, hrefOf, type Route, route, type Tab } from '../../state/route.js';
import { usePolled } from '../../state/use-polled.js';
import { useStore } from '../../state/use-store.js';
import { ActButtons } from '../entity/act-buttons.js';
import { actsFor } from '../entity/acts.js';
import { Ask } from '../entity/ask.js';
import { isDeadTab, type MessageTab, TAB_NAMES } from '../entity/tabs.js';
import { useActs } from '../entity/use-acts.js';
import { BodyPanel } from './body-panel.js';
import { type History, HistoryPanel } from './history-panel.js';
import { PropertiesPanel } from './properties-panel.js';
import { WhyPanel } from './why-panel.js';

type MessageProps = { readonly path: string; readonly tab: Tab; readonly sequenceNumber: number };
type MessageIds = { readonly messageId?: string | undefined; readonly correlationId?: string | undefined };

/** A message that could not be read is asked for again. */
const RETRY_MS = 2000;
/** A clock that is set can move, and the end of the lock with it, without an event. */
const STEERED_MS = 1000;

export function MessageScreen({ path, tab, sequenceNumber }: MessageProps) {
  const store = storePathOf(path, tab);
  const { message, history, refresh } = useMessage(store, sequenceNumber);
  const isDead = isDeadTab(tab);
  const events = history?.events ?? [];
  const back = () => go({ screen: 'entity', path, tab, filter: '' });
  const ids = message.value ?? events.find(({ messageId }) => messageId !== undefined);
  const follow = () => go(followRoute(ids, { path, tab, sequenceNumber }));
  const actsTab = isDead ? (tab as MessageTab) : (message.value?.state ?? 'active');
  const place = { path, tab: actsTab };
  const acts = useActs({
    place,
    chosen: () => ({ kind: 'some', numbers: [sequenceNumber] }),
    originOf: () => message.value?.deadLetterSource,
    after: ({ removes }) => {
      if (removes && isShown({ path, tab, sequenceNumber })) back();
      else refresh();
    },
  });
  const isGone = message.error instanceof ApiError && message.error.status === 404;
  useKeys({ ...(isGone ? {} : acts.keys), Escape: back, f: follow });
  if (message.value === undefined && message.error === undefined) {
    return <Reading label={`Message ${sequenceNumber}`} />;
  }
  const isThere = message.value !== undefined && !isGone;
  return (
    <section class="message" aria-label={`Message ${sequenceNumber}`}>
      <div class="head stays">
        <Crumbs {...{ path, tab, sequenceNumber }} />
        <Facts message={message.value} messageId={ids?.messageId} />
        <span class="push" />
        <div class="row acts" role="toolbar" aria-label="Acts on the message">
          {isThere ? <MessageButtons tab={actsTab} onStart={acts.start} /> : null}
          <button type="button" data-harmless onClick={follow}>
            <Icon name="lanes" />
            Follow <kbd>f</kbd>
          </button>
        </div>
      </div>
      {isThere && message.value !== undefined ? (
        <div class="msg">
          <div class="main">
            <BodyPanel message={message.value} store={store} />
            <PropertiesPanel message={message.value} store={store} />
          </div>
          <div class="side">
            <WhyPanel {...{ path, isDead, events }} message={message.value} />
            <HistoryPanel history={history} message={message.value} />
          </div>
        </div>
      ) : (
        <>
          <Problem {...{ store, sequenceNumber, message }} hasEvents={events.length > 0} />
          <HistoryPanel history={history} message={undefined} />
        </>
      )}
      <Ask {...{ place, acts }} />
    </section>
  );
}

function Crumbs({ path, tab, sequenceNumber }: MessageProps) {
  return (
    <h1>
      <span class="crumb">
        <a href={hrefOf({ screen: 'entity', path, tab, filter: '' })}>
          <Cut text={spokenPath(path)} /> / {TAB_NAMES[tab]}
        </a>{' '}
        /
      </span>{' '}
      #{numberText(sequenceNumber)}
    </h1>
  );
}

type ButtonsProps = {
  readonly tab: MessageTab;
  readonly onStart: Parameters<typeof ActButtons>[0]['onStart'];
};

function MessageButtons({ tab, onStart }: ButtonsProps) {
  const { isReadOnly } = useStore();
  const acts = actsFor(tab, isReadOnly.value).filter(({ name }) => name !== 'export');
  return <ActButtons acts={acts} onStart={onStart} />;
}

type FactsProps = {
  readonly message: RawMessageAnswer | undefined;
  /** It may be known of a message that is gone. */
  readonly messageId: string | undefined;
};

function Facts({ message, messageId }: FactsProps) {
  const { brokerNow } = useStore();
  const facts = [
    messageId,
    message?.subject,
    ...(message === undefined
      ? []
      : [
          bytesText(message.sizeBytes).replace(' ', '\u00a0'),
          `here for ${durationText(brokerNow.value - Date.parse(message.enqueuedTime))}`,
        ]),
  ].filter((fact) => fact !== undefined);
  return (
    <span class="facts el" title={shownText(facts.join(' · '), 600)}>
      {facts.map((fact, index) => (
        <span key={fact} class={index === 0 && messageId !== undefined ? 'm' : ''}>
          {index === 0 ? '' : ' · '}
          <Given text={fact} most={100} />
        </span>
      ))}
    </span>
  );
}

type ProblemProps = {
  readonly store: string;
  readonly sequenceNumber: number;
  readonly message: Polled<RawMessageAnswer>;
  readonly hasEvents: boolean;
};

function Problem({ store, sequenceNumber, message: { value, error }, hasEvents }: ProblemProps) {
  const answer = errorText(error);
  if (!(error instanceof ApiError) || error.status !== 404) {
    return <Empty title={`#${numberText(sequenceNumber)} cannot be shown.`}>{answer}</Empty>;
  }
  const wasShown = value !== undefined;
  const { title, text } = missingMessage({ store, sequenceNumber, answer, wasShown, hasEvents });
  return <Empty title={title}>{text}</Empty>;
}

/** The message and its history, read anew when an event names them. */
function useMessage(entity: string, sequenceNumber: number) {
  const store = useStore();
  const isSteered = (store.clock.value?.mode ?? 'real') !== 'real';
  const message = usePolled<RawMessageAnswer>(
    pathOf(`messages/${sequenceNumber}`, { entity }),
    isSteered ? { every: STEERED_MS } : {},
  );
  const history = usePolled<History>(pathOf('history', { entity, sequenceNumber }));
  const refresh = () => {
    message.refresh();
    history.refresh();
  };
  useEffect(() => {
    const base = entity.replace(/\/\$DeadLetterQueue$/i, '').toLowerCase();
    return store.onEvents(
      (events) => {
        const isNamed = events.some(
          (event) => event.sequenceNumber === sequenceNumber && event.path?.toLowerCase().startsWith(base),
        );
        if (isNamed) refresh();
      },
      entity.replace(/\/\$DeadLetterQueue$/i, ''),
    );
  }, [entity, sequenceNumber]);
  const isUnread = message.error !== undefined && message.value === undefined;
  useEffect(() => {
    if (!isUnread) return;
    const timer = setInterval(refresh, RETRY_MS);
    return () => clearInterval(timer);
  }, [isUnread]);
  return { message, history: history.value, refresh };
}

/** Whether the page still shows the message: an answer may come when its reader has gone on. */
function isShown({ path, tab, sequenceNumber }: MessageProps): boolean {
  const here = route.peek();
  if (here.screen !== 'message') return false;
  return here.path === path && here.tab === tab && here.sequenceNumber === sequenceNumber;
}

function followRoute(ids: MessageIds | undefined, place: MessageProps): Route {
  return { screen: 'timeline', filter: followFilter(ids, place), of: { screen: 'message', ...place } };
}

function followFilter(ids: MessageIds | undefined, { path, sequenceNumber }: MessageProps): string {
  if (ids?.correlationId !== undefined) return `correlation:${ids.correlationId}`;
  return ids?.messageId === undefined ? `${path}#${sequenceNumber}` : `message:${ids.messageId}`;
}
