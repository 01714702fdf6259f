// The shell of the page: bar, navigation, the screen of the address, and what was done last.

import { useEffect } from 'preact/hooks';
import { Help, isHelpOpen } from './help.js';
import { Navigation } from './navigation.js';
import { Confirm } from './parts/dialog.js';
import { Icon } from './parts/icon.js';
import { AboutScreen } from './screens/about/about.js';
import { ClockScreen } from './screens/clock/clock.js';
import { ComposeScreen } from './screens/compose/compose.js';
import { ConnectScreen } from './screens/connect/connect.js';
import { ConnectionsScreen } from './screens/connections/connections.js';
import { EntityScreen } from './screens/entity/entity.js';
import { LoginScreen } from './screens/login/login.js';
import { MessageScreen } from './screens/message/message.js';
import { OverviewScreen } from './screens/overview/overview.js';
import { RulesScreen } from './screens/rules/rules.js';
import { SessionsScreen } from './screens/sessions/sessions.js';
import { TimelineScreen } from './screens/timeline/timeline.js';
import { timeText } from './state/format.js';
import { type Keys, useKeys } from './state/keys.js';
import { info, isPaused, link, lostSince } from './state/model.js';
import { question } from './state/question.js';
import { go, type Route, route } from './state/route.js';
import { dismiss, said, undo } from './state/said.js';
import { isReadOnly } from './state/settings.js';
import { TopBar } from './top-bar.js';

const KEYS: Keys = {
  '/': () => document.querySelector<HTMLInputElement>('[data-find]')?.focus(),
  '?': () => {
    isHelpOpen.value = true;
  },
  p: () => {
    isPaused.value = !isPaused.value;
  },
  u: undo,
  'g o': () => go({ screen: 'overview' }),
  'g t': () => go({ screen: 'timeline', filter: '' }),
  'g r': () => go({ screen: 'rules', topic: undefined }),
  'g s': () => go({ screen: 'sessions' }),
  'g c': () => go({ screen: 'connections' }),
  'g k': () => go({ screen: 'clock' }),
  c: () => {
    const here = route.value;
    const path = here.screen === 'entity' || here.screen === 'message' ? here.path : undefined;
    if (!isReadOnly.value) go({ screen: 'compose', path, from: undefined });
  },
};

export function App() {
  useKeys(KEYS);
  useEffect(() => {
    const label = info.value?.settings.label;
    document.title = typeof label === 'string' ? `${label} · Jitney` : 'Jitney';
  }, [info.value]);
  if (link.value === 'login') return <LoginScreen />;
  return (
    <div class="shell">
      <button type="button" class="skip" onClick={() => document.querySelector('main')?.focus()}>
        Skip to content
      </button>
      <TopBar />
      <Navigation />
      <main id="main" tabIndex={-1} class={link.value === 'lost' ? 'stale' : ''}>
        <Strips />
        <Screen at={route.value} />
        <Status />
      </main>
      {isHelpOpen.value ? <Help /> : null}
      <OpenQuestion />
    </div>
  );
}

function Screen({ at }: { readonly at: Route }) {
  switch (at.screen) {
    case 'overview':
      return <OverviewScreen />;
    case 'timeline':
      return <TimelineScreen filter={at.filter} />;
    case 'entity':
      return <EntityScreen key={at.path} path={at.path} tab={at.tab} filter={at.filter} />;
    case 'message':
      return <MessageScreen key={`${at.path} ${at.tab} ${at.sequenceNumber}`} {...at} />;
    case 'rules':
      return <RulesScreen key={at.topic ?? ''} topic={at.topic} />;
    case 'compose':
      return <ComposeScreen key={`${at.path} ${at.from}`} path={at.path} from={at.from} />;
    case 'sessions':
      return <SessionsScreen />;
    case 'connections':
      return <ConnectionsScreen />;
    case 'clock':
      return <ClockScreen />;
    case 'connect':
      return <ConnectScreen />;
    case 'about':
      return <AboutScreen />;
  }
}

function OpenQuestion() {
  const { value } = question;
  if (value === undefined) return null;
  const close = () => {
    question.value = undefined;
  };
  return (
    <Confirm title={value.title} act={value.act} onConfirm={value.onConfirm} onClose={close}>
      {value.text}
    </Confirm>
  );
}

/** Notes about the whole page: it is cut off, or may only look. */
function Strips() {
  return (
    <>
      {link.value === 'lost' ? (
        <div class="strip bad" role="status">
          <Icon name="plug" />
          Jitney does not answer since {timeText(lostSince.value ?? Date.now(), { withMs: false })}. The
          values are those of that time; the page tries again by itself.
        </div>
      ) : null}
      {isReadOnly.value ? (
        <div class="strip" role="status">
          <Icon name="info" />
          This page only looks: Jitney was started with --ui read-only.
        </div>
      ) : null}
    </>
  );
}

function Status() {
  const { value } = said;
  return (
    <div class="notes" role="status" aria-live="polite">
      {value === undefined ? null : (
        <span class={value.isError ? 'said red' : 'said'}>
          <Icon name={value.isError ? 'warning' : 'check'} />
          {value.text}
          {value.undo === undefined ? null : (
            <button type="button" onClick={undo}>
              Undo <kbd>u</kbd>
            </button>
          )}
          <button type="button" class="flat" aria-label="Dismiss" onClick={dismiss}>
            <Icon name="close" />
          </button>
        </span>
      )}
    </div>
  );
}
