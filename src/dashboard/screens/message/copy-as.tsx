// A message as a program that sends it, in six languages.

import { useState } from 'preact/hooks';
import type { RawMessageAnswer } from '../../../http/control/control-schemas.js';
import { CopyButton } from '../../parts/copy-button.js';
import { Choice, Panel } from '../../parts/panel.js';
import { Scrolled } from '../../parts/scrolled.js';
import { COPY_LANGUAGES, type CopyLanguage, programFor } from '../../state/message-program.js';

export function CopyAs({ message, path }: { readonly message: RawMessageAnswer; readonly path: string }) {
  const [language, setLanguage] = useState<CopyLanguage>('js');
  const program = programFor(language, message, path);
  return (
    <Panel
      title="Copy as"
      acts={
        <>
          <Choice label="Language" values={COPY_LANGUAGES} value={language} onChoose={setLanguage} isSmall />
          <CopyButton text={program} label="Copy the program" isIcon />
        </>
      }
    >
      <Scrolled label="The program" isShort>
        <pre class="code">{program}</pre>
      </Scrolled>
    </Panel>
  );
}
