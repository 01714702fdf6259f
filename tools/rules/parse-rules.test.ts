// The page of rules is read strictly: what cannot be meant is told with its line.

import { describe, expect, it } from 'vitest';
import { parseRules, readRules } from './parse-rules.js';

const HEAD = '| Rule | What holds | Source |\n|---|---|---|\n';
const STATEMENTS = '| Statement | What the article says | Comes down to |\n|---|---|---|\n';
const TWO_RULES = `${HEAD}| AAA-01 | It is stored. | our decision |\n| M91 | Its lock ends. | AAA-01 |\n`;

function later(list: string): string {
  return `${TWO_RULES}\n## Left for later\n\nWhat waits:\n\n${list}\n`;
}

describe('the page of rules', () => {
  it('has tables of rules, and others that are for the reader', () => {
    const book = parseRules(`# Rules\n\n| Word | Means |\n|---|---|\n| SDK | theirs |\n\n${TWO_RULES}`);
    expect(book.rules).toEqual([
      { id: 'AAA-01', line: 9, sentence: 'It is stored.', source: 'our decision', comesDownTo: [] },
      { id: 'M91', line: 10, sentence: 'Its lock ends.', source: 'AAA-01', comesDownTo: [] },
    ]);
  });

  it('has statements, which are tested by the rules they come down to', () => {
    const book = parseRules(`${STATEMENTS}| A0-01 | It stays. | → AAA-01, M91 |\n\n${TWO_RULES}`);
    const [statement] = book.rules;
    expect(statement && book.testedBy(statement).map(({ id }) => id)).toEqual(['AAA-01', 'M91']);
  });

  it('of the project can be read', () => {
    expect(readRules().inForce.length).toBeGreaterThan(0);
  });
});

describe('the list of what is left for later', () => {
  it('takes rules out of force, with the subject they wait for', () => {
    const book = parseRules(later('- Message sessions: M91'));
    expect(book.inForce.map(({ id }) => id)).toEqual(['AAA-01']);
    expect(book.subjectOf('M91')).toBe('Message sessions');
  });

  it('may go over several lines and take all rules between two', () => {
    expect(parseRules(later('- Sessions: AAA-01,\n  M91')).inForce).toEqual([]);
    expect(parseRules(later('- Sessions: AAA-01 to M91')).inForce).toEqual([]);
  });

  it('leaves in force what waits in part', () => {
    const book = parseRules(later('- Sessions: M91\n  - in part: AAA-01'));
    expect(book.inForce.map(({ id }) => id)).toEqual(['AAA-01']);
  });

  it('lets a statement wait with its rules', () => {
    const book = parseRules(
      `${STATEMENTS}| A0-01 | It stays. | → AAA-01, M91 |\n\n${later('- Sessions: M91')}`,
    );
    expect(book.subjectOf('A0-01')).toBe('Sessions');
  });

  it('ends with the next heading, and may be missing', () => {
    expect(parseRules(`${later('')}## Thanks\n\n- To: all`).inForce).toHaveLength(2);
    expect(parseRules(TWO_RULES).inForce).toHaveLength(2);
  });
});

describe('a mistake is told with its line:', () => {
  it.each([
    ['a row of two cells', `${HEAD}| AAA-01 | It is stored. |`, 'line 3: a row has 3 cells, this one has 2'],
    ['a row of four cells', `${HEAD}| AAA-01 | a | b | c |`, 'line 3: a row has 3 cells, this one has 4'],
    [
      'no dashes',
      '| Rule | a | b |\n| AAA-01 | a | b |',
      'line 2: the dashes below the head of the table are',
    ],
    ['a number that is none', `${HEAD}| AAA-1 | a | b |`, 'line 3: "AAA-1" is not the number of a rule'],
    ['an empty cell', `${HEAD}| AAA-01 | | b |`, 'line 3: AAA-01 has an empty cell'],
    ['one number twice', `${TWO_RULES}| AAA-01 | a | b |`, 'line 5: AAA-01 stands in line 3 already'],
    [
      'a rule in another table',
      '| Word | Means |\n|---|---|\n| AAA-01 | b |',
      'line 3: AAA-01 stands in a table that is not one of rules',
    ],
    [
      'a statement of nothing',
      `${STATEMENTS}| A0-01 | a | AAA-01 |`,
      'line 3: A0-01 must come down to rules',
    ],
    [
      'a statement of no rule',
      `${STATEMENTS}| A0-01 | a | → AAA-09 |`,
      'line 3: A0-01 comes down to AAA-09, which is no rule',
    ],
    [
      'a statement of a statement',
      `${STATEMENTS}| A0-01 | a | → A0-02 |\n| A0-02 | a | → AAA-01 |\n\n${TWO_RULES}`,
      'line 3: A0-01 comes down to A0-02, which is a statement itself',
    ],
    ['no rule that waits', later('- Sessions: BBB-01'), 'line 10: BBB-01 is left for later, but is no rule'],
    ['a rule that waits twice', later('- A: M91\n- B: M91'), 'line 11: M91 is left for later twice'],
    ['a span upside down', later('- A: M91 to AAA-01'), 'line 10: M91 comes behind AAA-01'],
    ['a list without a subject', later('- M91'), 'line 10: a subject and its rules read "- Subject: SND-01"'],
    [
      'a rule that waits in part and as a whole',
      later('- A: M91\n  - in part: M91'),
      'line 11: M91 waits as a whole, not in part',
    ],
  ])('%s', (_, text, message) => {
    expect(() => parseRules(text)).toThrow(message);
  });

  it('all at once', () => {
    const text = `${HEAD}| AAA-1 | a | b |\n| AAA-02 | a |`;
    expect(() => parseRules(text)).toThrow(/line 3: .*\n.*line 4: /);
  });
});
