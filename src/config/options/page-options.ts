// The rows of the table of options that are about the page in a browser.

import type { PageOption } from './emulator-options.js';
import { codeOnly, isTexts, mustBe, oneOfType, textType } from './option-types.js';

/** `option-table.ts` checks their types with those of all others. */
export const PAGE_OPTIONS = {
  ui: {
    group: 'How it behaves',
    flag: '--ui <on|read-only|off>',
    variables: ['JITNEY_UI'],
    type: oneOfType<PageOption>(['on', 'read-only', 'off']),
    default: 'on',
    help: 'the page in a browser: it may change things, only look, or is not there',
    docs: '[the page](page.md) in a browser: `read-only` lets it change nothing, `off` leaves the connection string alone',
  },
  label: {
    group: 'How it behaves',
    flag: '--label <text>',
    variables: ['JITNEY_LABEL'],
    type: textType('a name', 'a text'),
    help: 'a name for this emulator, in the title of its page',
    docs: 'a name for this emulator, which its page shows in the title',
  },
  settingOrigins: {
    group: 'How it behaves',
    type: codeOnly(mustBe("texts by the names of options such as { tier: '--tier' }", isTexts)),
    docs: 'where options come from, which the page says beside them',
  },
} as const;
