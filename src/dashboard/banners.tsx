// The banners about the whole page: nobody answers, another emulator answers, the page is read-only.

import type { ComponentChildren } from 'preact';
import { CopyButton } from './parts/copy-button.js';
import { Icon, type IconName } from './parts/icon.js';
import { timeText } from './state/format.js';
import { startCommand } from './state/start-command.js';
import { useStore } from './state/use-store.js';

export function Banners() {
  const { link, isReadOnly } = useStore();
  return (
    <>
      {link.value === 'lost' ? <NoAnswer /> : <Restarted />}
      {isReadOnly.value ? (
        <Banner icon="info">This page is read-only: Jitney was started with --ui read-only.</Banner>
      ) : null}
    </>
  );
}

function NoAnswer() {
  const { lostSince, info } = useStore();
  const command = startCommand(info.value);
  const since = timeText(lostSince.value ?? Date.now(), { withMs: false });
  return (
    <Banner icon="plug" isBad>
      <b>Jitney has not answered since {since}.</b>{' '}
      {info.value === undefined ? null : 'What you see is from then. '}
      The page tries again by itself. Start it with <code>{command}</code>{' '}
      <CopyButton text={command} label="Copy the command" isIcon />
    </Banner>
  );
}

function Restarted() {
  const { restart } = useStore();
  const { value } = restart;
  if (value === undefined) return null;
  const started = timeText(value.startedTime, { withMs: false });
  const dismiss = () => {
    restart.value = undefined;
  };
  return (
    <Banner icon="info">
      {value.isOther
        ? `This is another emulator, started ${started}. Messages of the one before are not in it.`
        : `Jitney was started again at ${started}; its messages are still there.`}
      <button type="button" class="ic sm flat push" aria-label="Dismiss" onClick={dismiss}>
        <Icon name="close" />
      </button>
    </Banner>
  );
}

type BannerProps = {
  readonly icon: IconName;
  readonly isBad?: boolean;
  readonly children: ComponentChildren;
};

function Banner({ icon, isBad = false, children }: BannerProps) {
  return (
    <div class={isBad ? 'banner bad' : 'banner'} role={isBad ? 'alert' : 'status'}>
      <Icon name={icon} />
      <p>{children}</p>
    </div>
  );
}
