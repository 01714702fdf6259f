// The connection string, first on the page while nothing is connected, with the forms for other places.

import { useState } from 'preact/hooks';
import { CopyButton, copyText } from '../../parts/copy-button.js';
import { Choice } from '../../parts/panel.js';
import { useKeys } from '../../state/keys.js';
import { info } from '../../state/model.js';
import { attempt, say } from '../../state/said.js';

const PLACES = [
  ['host', 'Host'],
  ['docker', 'Docker'],
] as const;
export type ProgramHost = (typeof PLACES)[number][0];

/** The string for programs on this machine, or in a container that reaches it. Undefined until it is known. */
export function connectionString(place: ProgramHost): string | undefined {
  const given = info.value?.connectionString;
  return place === 'docker'
    ? given?.replace(/sb:\/\/(localhost|127\.0\.0\.1|\[::1\])/, 'sb://host.docker.internal')
    : given;
}

export function ConnectionString({ isBig = false }: { readonly isBig?: boolean }) {
  const [place, setPlace] = useState<ProgramHost>('host');
  const text = connectionString(place) ?? '';
  useKeys({
    y: () =>
      void attempt(async () => {
        await copyText(text);
        say('The connection string is copied.');
      }),
  });
  return (
    <div class={isBig ? 'bigconn' : 'conn'}>
      <code class={isBig ? '' : 'el t2'}>{text}</code>
      <Choice label="Where the program runs" values={PLACES} value={place} onChoose={setPlace} isSmall />
      <CopyButton text={text} label="Copy" />
    </div>
  );
}

/** A note where the key in the string is masked. */
export function MaskNote() {
  const policy = info.value?.maskedPolicy;
  if (policy === undefined) return null;
  return (
    <p class="t2">
      Keys are checked here, and the page does not show them: write the key of the policy{' '}
      <code>{policy}</code> in place of <code>&lt;key&gt;</code>. Jitney prints it when it starts.
    </p>
  );
}
