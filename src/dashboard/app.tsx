// The shell of the page: bar, navigation, the screen of the address, and what the page says about itself.

import type { ComponentChildren } from 'preact';
import { useEffect, useLayoutEffect, useState } from 'preact/hooks';
import { Banners } from './banners.js';
import { Help } from './help.js';
import { Navigation } from './navigation.js';
import { Confirm } from './parts/dialog.js';
import { Empty } from './parts/panel.js';
import { Toast } from './parts/toast.js';
import { AboutScreen } from './screens/about/about.js';
import { ClockScreen } from './screens/clock/clock.js';
import { ComposeScreen } from './screens/compose/compose.js';
import { ConnectScreen } from './screens/connect/connect.js';
import { ConnectionsScreen } from './screens/connections/connections.js';
import { EntityScreen } from './screens/entity/entity.js';
import { FlowScreen } from './screens/flow/flow.js';
import { LoginScreen } from './screens/login/login.js';
import { MessageScreen } from './screens/message/message.js';
import { OverviewScreen } from './screens/overview/overview.js';
import { RulesScreen } from './screens/rules/rules.js';
import { SessionsScreen } from './screens/sessions/sessions.js';
import { TimelineScreen } from './screens/timeline/timeline.js';
import { useKeys } from './state/keys.js';
import { go, hrefOf, type Route, route } from './state/route.js';
import type { Store } from './state/store.js';
import { titleOf } from './state/title.js';
import { useStore } from './state/use-store.js';
import { TopBar } from './top-bar.js';

export function App() {
  const store = useStore();
  const { link, listed, label, isHelpOpen } = store;
  useShellKeys(store);
  const at = route.value;
  const title = titleOf(at, listed.value, label.value);
  useEffect(() => {
    document.title = title;
  }, [title]);
  const [isDrawerOpen, setDrawerOpen] = useState(false);
  useLayoutEffect(() => setDrawerOpen(false), [at]);
  if (link.value === 'login') return <LoginScreen />;
  return (
    <div class="shell">
      <button type="button" class="skip" onClick={() => document.querySelector('main')?.focus()}>
        Skip to content
      </button>
      <TopBar isDrawerOpen={isDrawerOpen} onDrawer={() => setDrawerOpen(!isDrawerOpen)} />
      <Navigation isOpen={isDrawerOpen} onClose={() => setDrawerOpen(false)} />
      <main id="main" tabIndex={-1}>
        <Banners />
        <Content store={store}>
          <Screen at={at} />
        </Content>
        <Toast />
      </main>
      {isHelpOpen.value ? <Help /> : null}
      <OpenQuestion />
    </div>
  );
}

function useShellKeys({ isPaused, isReadOnly, isHelpOpen }: Store): void {
  useKeys({
    '/': () => document.querySelector<HTMLInputElement>('[data-find]')?.focus(),
    '?': () => {
      isHelpOpen.value = true;
    },
    p: () => {
      isPaused.value = !isPaused.value;
    },
    'g o': () => go({ screen: 'overview' }),
    'g f': () => go({ screen: 'flow' }),
    'g t': () => go({ screen: 'timeline', filter: '' }),
    'g r': () => go({ screen: 'rules', topic: undefined }),
    'g s': () => go({ screen: 'sessions' }),
    'g c': () => go({ screen: 'connections' }),
    'g k': () => go({ screen: 'clock' }),
    c: () => {
      const here = route.peek();
      const path = here.screen === 'entity' || here.screen === 'message' ? here.path : undefined;
      if (!isReadOnly.value) go({ screen: 'compose', path, from: undefined });
    },
  });
}

/** Buttons that change nothing but the page. */
const HARMLESS = '[aria-pressed], [aria-expanded], [data-harmless]';

/** The content fades while nobody answers: it can be read and moved through, and its acts are off. */
function Content({ store, children }: { readonly store: Store; readonly children: ComponentChildren }) {
  const isLost = store.link.value === 'lost';
  const refuse = (event: Event) => {
    const { target } = event;
    const button = target instanceof Element ? target.closest('button, form') : null;
    if (button === null || (event.type === 'click' && button.matches(`form, ${HARMLESS}`))) return;
    event.preventDefault();
    event.stopPropagation();
    store.notices.show('Nothing was done: Jitney does not answer.');
  };
  return (
    <div
      class={isLost ? 'content stale' : 'content'}
      {...(isLost ? { onClickCapture: refuse, onSubmitCapture: refuse } : {})}
    >
      {children}
    </div>
  );
}

function Screen({ at }: { readonly at: Route }) {
  switch (at.screen) {
    case 'overview':
      return <OverviewScreen />;
    case 'flow':
      return <FlowScreen />;
    case 'timeline':
      return <TimelineScreen filter={at.filter} of={at.of} />;
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
    case 'unknown':
      return <UnknownScreen address={at.address} />;
  }
}

function UnknownScreen({ address }: { readonly address: string }) {
  return (
    <section aria-label="No such page">
      <Empty title={`There is no page '${address.slice(0, 80)}' here.`}>
        The address may be of another version. <a href={hrefOf({ screen: 'overview' })}>Go to the overview</a>
      </Empty>
    </section>
  );
}

function OpenQuestion() {
  const { question } = useStore();
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
