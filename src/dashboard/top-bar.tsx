// The bar: whose page this is, finding, how live it is, the clock, the theme and the keys.

import { useEffect } from 'preact/hooks';
import type { RatesAnswer } from '../http/control/control-schemas.js';
import { Find } from './find.js';
import { NamespaceSwitch } from './namespace-switch.js';
import { Icon } from './parts/icon.js';
import { durationText, numberText, rateText } from './state/format.js';
import { rateOfNow } from './state/rate-series.js';
import { hrefOf } from './state/route.js';
import { switchTheme } from './state/theme.js';
import { usePolled } from './state/use-polled.js';
import { useStore } from './state/use-store.js';

const STEP_MS = 1000;
const RATES_EVERY_MS = 2000;

type TopBarProps = { readonly isDrawerOpen: boolean; readonly onDrawer: () => void };

export function TopBar({ isDrawerOpen, onDrawer }: TopBarProps) {
  const { label, isHelpOpen } = useStore();
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
        <Icon name="menu" />
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
      <NamespaceSwitch />
      <Find />
      <span class="push" />
      <Live />
      <ClockChip />
      <button type="button" class="ic flat" aria-label="Light or dark" onClick={switchTheme}>
        <Icon name="theme" />
      </button>
      <button
        type="button"
        class="ic flat helpkey"
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

function Live() {
  const { link, now, isPaused, missedCount } = useStore();
  // Drawn anew each second.
  const isLive = link.value === 'live' && now.value > 0;
  const text = { connecting: 'Connecting', live: 'Live', lost: 'No answer', login: '' }[link.value];
  return (
    <span class="live">
      <span class={isLive && !isPaused.value ? 'dot pulse-a' : 'dot off'} />
      <span>
        <b>{isPaused.value ? 'Paused' : text}</b>
        {link.value === 'live' ? <Rate /> : null}
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

/** The rates of the whole namespace; nothing while the emulator does not count them. */
function Rate() {
  const { value } = usePolled<RatesAnswer>(`rates?entity=&stepMs=${STEP_MS}`, { every: RATES_EVERY_MS });
  const { rates } = useStore();
  useEffect(() => {
    rates.value = value;
  }, [value]);
  const all = value?.entities.find(({ path }) => path === '');
  if (all === undefined) return null;
  const [incoming, outgoing] = [all.in, all.out].map((points) => rateOfNow(points, STEP_MS));
  if (incoming === undefined || outgoing === undefined) return null;
  return (
    <span class="rate" title="What senders sent and receivers took, in the last 5 s">
      {' '}
      · {rateText(incoming)} in/s · {rateText(outgoing)} out/s
    </span>
  );
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
