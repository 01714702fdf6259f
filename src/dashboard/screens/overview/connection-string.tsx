// The connection string, with the form for programs in a container.

import { useState } from 'preact/hooks';
import type { InfoAnswer } from '../../../http/control/control-schemas.js';
import { CopyButton, copyText } from '../../parts/copy-button.js';
import { Choice } from '../../parts/panel.js';
import { useKeys } from '../../state/keys.js';
import { useStore } from '../../state/use-store.js';

const PLACES = [
  ['host', 'Host'],
  ['docker', 'Docker'],
] as const;
type ProgramHost = (typeof PLACES)[number][0];

/** The string for programs on this machine, or in a container that reaches it. Undefined until it is known. */
export function connectionString(info: InfoAnswer | undefined, place: ProgramHost): string | undefined {
  const given = info?.connectionString;
  return place === 'docker'
    ? given?.replace(/sb:\/\/(localhost|127\.0\.0\.1|\[::1\])/, 'sb://host.docker.internal')
    : given;
}

/** Has `y` copy the string while the component is shown. */
export function useCopyKey(): void {
  const { info, notices } = useStore();
  useKeys({
    y: () =>
      void notices.attempt(async () => {
        const text = connectionString(info.value, 'host');
        if (text === undefined) return;
        await copyText(text);
        notices.show('The connection string is copied.');
      }),
  });
}

export function ConnectionString() {
  const { info } = useStore();
  const [place, setPlace] = useState<ProgramHost>('host');
  const text = connectionString(info.value, place);
  if (text === undefined) return null;
  return (
    <div class="conn">
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: without the focus no key scrolls it */}
      <code tabIndex={0}>{text}</code>
      <Choice label="Where the program runs" values={PLACES} value={place} onChoose={setPlace} isSmall />
      <CopyButton text={text} label="Copy" />
    </div>
  );
}

/** A note where the key in the string is masked. */
export function MaskNote() {
  const policy = useStore().info.value?.maskedPolicy;
  if (policy === undefined) return null;
  return (
    <p class="t2">
      Keys are checked here, and the page does not show them: write the key of the policy{' '}
      <code>{policy}</code> in place of <code>&lt;key&gt;</code>. Jitney prints it when it starts.
    </p>
  );
}
