// The rows of the table of options that say what is kept, where, and how safely.

import type { Option } from './option.js';
import { BYTE_COUNT_CHECK, codeOnly, oneOfType, SWITCH, textType } from './option-types.js';

export const STORAGE_OPTIONS = {
  data: {
    flag: '-d, --data <dir>',
    variables: ['JITNEY_DATA'],
    type: textType('a directory', 'the path of a directory'),
    setting: 'dataDirectory',
    isShown: true,
    default: './.jitney',
    defaultTextInCode: 'everything is in memory, and gone when the process ends',
    help: 'keep everything in this directory',
    docs: 'the directory that keeps entities and messages; made if missing',
  },
  memory: {
    flag: '--memory',
    variables: ['JITNEY_MEMORY'],
    type: SWITCH,
    isInCode: false,
    help: 'keep nothing when the process ends',
    docs: 'keeps nothing; not together with `--data`; of the two variables, `JITNEY_DATA` wins',
  },
  reset: {
    flag: '--reset',
    variables: ['JITNEY_RESET'],
    type: SWITCH,
    default: false,
    help: 'first remove the messages and entities of earlier starts; keep certificates and keys',
    docs: 'first removes the messages and entities of earlier starts; certificates and keys stay. The start is refused, and nothing is removed, while another emulator uses the directory, when it contains foreign files, when an entity or the certificate is refused, or when a port is in use. A port that another process takes between this check and the start is noticed only after the removal',
  },
  durability: {
    flag: '--durability <os|fsync>',
    variables: ['JITNEY_DURABILITY'],
    type: oneOfType(['os', 'fsync']),
    isShown: true,
    default: 'os',
    help: 'outlive a crash of the process, or of the machine',
    docs: '`os`: accepted messages survive when the process is killed; `fsync`: also when the power fails',
  },
  contentBudgetBytes: {
    type: codeOnly('number', BYTE_COUNT_CHECK),
    isShown: true,
    defaultText: '32 MiB',
    docs: 'bytes of message content held in memory beside the journal',
  },
} as const satisfies Readonly<Record<string, Option>>;
