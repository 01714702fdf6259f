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
  return `# What each SDK reports of a fault

Each cell says what the SDK reports in the end, and how often it has tried. The SDKs were set to two retries with short pauses. A row with
"once" has a fault that hits the first try alone.

| | [Fault](faults.md) | JavaScript | Python | Go | Java | .NET |
|---|---|---|---|---|---|---|
${rows.join('\n')}

- "succeeds, once": the SDK did not need the lost answer, or saw no fault.
- "AggregateError of": after several tries the JavaScript SDK throws an \`AggregateError\` without a \`code\`. Its \`errors\` has the error of
  each try, the last one last.
- A try without an answer ends with its time-out, here one or two seconds.
- .NET waits ten seconds before it tries a busy server again, whatever its retry options say.
- The JavaScript SDK waits a minute after an \`open\` that fails, and after an \`open\`, \`attach\` or \`token\` without an answer. The table
  leaves these out.
- \`npm test\` checks the column of JavaScript, \`npm run languages -- --scenario faults\` the others.
`;
}

function cellOf(row: FaultRow | undefined): string {
  if (row === undefined) return '–';
  return `${row.outcome}, ${row.attempts === 1 ? 'once' : `${row.attempts} times`}`;
}
