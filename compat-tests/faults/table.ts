// The table of faults: what each SDK was seen to report, as data and as a page.

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { FAULT_CASES } from './cases.js';

/** `attempts`: how often the emulator saw the operation. */
export type FaultRow = { readonly outcome: string; readonly attempts: number };
export const FAULT_LANGUAGES = ['javascript', 'python', 'go', 'java', 'dotnet'] as const;
export type FaultTable = Readonly<
  Record<(typeof FAULT_LANGUAGES)[number], Readonly<Record<string, FaultRow>>>
>;

export const FAULT_TABLE_FILE = join(import.meta.dirname, 'expected.json');

export async function readFaultTable(): Promise<FaultTable> {
  return JSON.parse(await readFile(FAULT_TABLE_FILE, 'utf8')) as FaultTable;
}

/** The page `docs/fault-table.md`. */
export function faultTablePage(table: FaultTable): string {
  const rows = FAULT_CASES.map(({ id, fault }) => {
    const cells = FAULT_LANGUAGES.map((language) => cellOf(table[language][id]));
    return `| ${id} | \`${JSON.stringify(fault).replaceAll('"', '').slice(1, -1).replaceAll(',', ', ')}\` | ${cells.join(' | ')} |`;
  });
  return `# What SDKs report of faults

Seen with the SDKs of JavaScript, Python, Go, Java and .NET, with two retries and short pauses. "once" means the fault does not happen to a second
attempt. Each cell has what the SDK reports, and how often it tried.

| | [Fault](faults.md) | JavaScript | Python | Go | Java | .NET |
|---|---|---|---|---|---|---|
${rows.join('\n')}

- \`compat-tests/faults.test.ts\` checks the column of JavaScript, \`npm run languages -- --scenario faults\` the others where their runtimes are.
- An attempt that is not answered counts once its time is over; the time was cut to a second or two.
- "succeeds" after one attempt: the SDK did not need the answer that was lost, or saw no fault.
- "AggregateError of …": after several attempts the JavaScript SDK throws an \`AggregateError\` without a \`code\`; the errors of the attempts
  are in its \`errors\`, the last one last.
- .NET waits ten seconds before it tries a busy server again, whatever its retry options say.
- Left out is what the JavaScript SDK waits a minute for: an \`open\` that fails, and an \`open\`, \`attach\` or \`token\` without an answer.
`;
}

function cellOf(row: FaultRow | undefined): string {
  if (row === undefined) return '–';
  return `${row.outcome}, ${row.attempts === 1 ? 'once' : `${row.attempts} times`}`;
}
