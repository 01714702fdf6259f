// The bar: whose page this is, finding, how live it is, the clock, the theme and the keys.

import { useState } from 'preact/hooks';
import { isHelpOpen } from './help.js';
import { Icon } from './parts/icon.js';
import { findTargets } from './state/find.js';
import { durationText, numberText, rateText } from './state/format.js';
import { go, hrefOf } from './state/route.js';
import type { Store } from './state/store.js';
import { switchTheme } from './state/theme.js';
import { useStore } from './state/use-store.js';

type TopBarProps = { readonly isDrawerOpen: boolean; readonly onDrawer: () => void };

export function TopBar({ isDrawerOpen, onDrawer }: TopBarProps) {
  const { label } = useStore();
  return (
    <header class="top">
      <button
        type="button"
        class="ic flat drawer"
        aria-label="Navigation"
        aria-expanded={isDrawerOpen}
        aria-controls="navigation"
        onClick={onDrawer}
      >
        <Icon name="more" />
      </button>
      <a class="brand" href={hrefOf({ screen: 'overview' })}>
        <Icon name="jitney" />
        <span>Jitney</span>
        {label.value === undefined ? null : (
          <span class="label" title={label.value}>
            {label.value}
          </span>
        )}
      </a>
      <Find />
      <span class="push" />
      <Live />
      <ClockChip />
      <button type="button" class="ic flat" aria-label="Light or dark" onClick={switchTheme}>
        <Icon name="theme" />
      </button>
      <button
        type="button"
        class="ic flat"
        aria-label="Keys"
        onClick={() => {
          isHelpOpen.value = true;
        }}
      >
        <kbd>?</kbd>
      </button>
    </header>
  );
}

/** Finds entities by name; anything else is followed on the timeline. */
function Find() {
  const { listed } = useStore();
  const [text, setText] = useState('');
  const found = findTargets(text, listed.value);
  return (
    <form
      class="find"
      onSubmit={(event) => {
        event.preventDefault();
        if (text.trim() === '') return;
        go(found[0] ?? { screen: 'timeline', filter: text.trim() });
        setText('');
      }}
    >
      <Icon name="search" />
      <input
        data-find
        type="text"
        list="found"
        aria-label="Find an entity, message id, correlation or session"
        placeholder="Entity, message id, correlation, session"
        value={text}
        onInput={(event) => setText(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key === 'Escape') event.currentTarget.blur();
        }}
      />
      <datalist id="found">
        {listed.value.slice(0, 200).map(({ path }) => (
          <option key={path} value={path} />
        ))}
      </datalist>
      <kbd>/</kbd>
    </form>
  );
}

function Live() {
  const store = useStore();
  const { link, now, isPaused, eventCount, missedCount } = store;
  // Drawn anew each second.
  const isLive = link.value === 'live' && now.value > 0;
  const { incoming, outgoing } = totals(store);
  const text = { connecting: 'Connecting', live: 'Live', lost: 'No answer', login: '' }[link.value];
  const rate =
    eventCount.value === 0 ? 'nothing sent yet' : `${rateText(incoming)} in/s · ${rateText(outgoing)} out/s`;
  return (
    <span class="live">
      <span class={isLive && !isPaused.value ? 'dot pulse-a' : 'dot off'} />
      <span>
        <b>{isPaused.value ? 'Paused' : text}</b>
        {link.value === 'live' ? <span class="rate"> · {rate}</span> : null}
        {missedCount.value === 0 ? null : (
          <span class="t3"> · {numberText(missedCount.value)} events missed</span>
        )}
      </span>
      <button
        type="button"
        class="flat sm"
        aria-pressed={isPaused.value}
        aria-label={isPaused.value ? 'Go on' : 'Pause the page'}
        onClick={() => {
          isPaused.value = !isPaused.value;
        }}
      >
        <Icon name={isPaused.value ? 'play' : 'pause'} />
        <kbd>p</kbd>
      </button>
    </span>
  );
}

/** The rates of all entities. A topic's messages count at the topic as they come in, and at its subscriptions as they go out. */
function totals({ listed, rates }: Store): { readonly incoming: number; readonly outgoing: number } {
  let incoming = 0;
  let outgoing = 0;
  for (const { kind, path } of listed.value) {
    const rate = rates.of(path);
    if (kind !== 'subscription') incoming += rate.incoming;
    outgoing += rate.outgoing;
  }
  return { incoming, outgoing };
}

function ClockChip() {
  const { clock } = useStore();
  const { value } = clock;
  const href = hrefOf({ screen: 'clock' });
  if (value === undefined || value.mode === 'real') {
    return (
      <a class="chip" href={href}>
        <Icon name="scheduled" />
        Real time
      </a>
    );
  }
  const ahead = `${value.offsetMs < 0 ? '−' : '+'}${durationText(Math.abs(value.offsetMs))}`;
  const how = { frozen: `Frozen · ${ahead}`, offset: ahead, scaled: `${value.rate} × · ${ahead}` }[
    value.mode
  ];
  return (
    <a class="chip warned" href={href}>
      <Icon name={value.mode === 'frozen' ? 'pause' : 'scheduled'} />
      {how}
    </a>
  );
}
