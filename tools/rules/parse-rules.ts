// Reads `test/rules.md`: tables of rules, and the list of those left for later. Every mistake is told with its line.

import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { LaterList } from './later-list.js';
import { type Rule, RuleBook } from './rule-book.js';
import { RuleTables } from './rule-tables.js';

const RULES_FILE = resolve(import.meta.dirname, '../../test/rules.md');
const LATER_HEADING = '## Left for later';

export class RulesError extends Error {
  override readonly name = 'RulesError';
  constructor(problems: readonly string[]) {
    super(`test/rules.md cannot be used:\n${problems.map((problem) => `  ${problem}`).join('\n')}`);
  }
}

export function readRules(): RuleBook {
  return parseRules(readFileSync(RULES_FILE, 'utf8'));
}

export function parseRules(text: string): RuleBook {
  const lines = text.split('\n');
  const heading = lines.indexOf(LATER_HEADING);
  const problems: string[] = [];
  const rules = new RuleTables(problems).read(heading < 0 ? lines : lines.slice(0, heading));
  checkStatements(rules, problems);
  const later = new LaterList(rules, problems);
  if (heading >= 0) later.read(lines, heading + 1);
  if (problems.length > 0) throw new RulesError(problems);
  return new RuleBook(rules, later.subjects);
}

function checkStatements(rules: ReadonlyMap<string, Rule>, problems: string[]): void {
  for (const { id, line, comesDownTo } of rules.values()) {
    for (const target of comesDownTo) {
      const rule = rules.get(target);
      const what = rule === undefined ? 'no rule' : 'a statement itself';
      if (rule === undefined || rule.comesDownTo.length > 0)
        problems.push(`line ${line}: ${id} comes down to ${target}, which is ${what}`);
    }
  }
}
