// The numbers in the titles of tests, and what they say about the rules.

import { describe, expect, it } from 'vitest';
import { measureCoverage } from './coverage.js';
import { parseRules } from './parse-rules.js';
import { idsInText, idsOfTitle } from './rule-ids.js';

const BOOK = parseRules(`
| Statement | What the article says | Comes down to |
|---|---|---|
| S0-01 | It stays. | → AAA-01, AAA-02 |

| Rule | What holds | Source |
|---|---|---|
| AAA-01 | It is stored. | SDK |
| AAA-02 | It has an outcome. | SDK |
| BBB-01 | It has a session. | SDK |

## Left for later

- Message sessions: BBB-01
`);

describe('a title', () => {
  it.each<[string, string, string[]]>([
    ['one rule', 'a [AAA-01]', ['AAA-01']],
    ['several', 'a [AAA-01, M91, S0-02]', ['AAA-01', 'M91', 'S0-02']],
    ['all that stands beside a rule, for a slip is to be seen', 'a [AAA-01, CCC-2]', ['AAA-01', 'CCC-2']],
    ['none in other brackets', 'a [1, 2]', []],
    ['none before its end', 'a [AAA-01] b', []],
    ['none in round brackets', 'a (AAA-01)', []],
  ])('names %s', (_, title, ids) => {
    expect(idsOfTitle(title)).toEqual(ids);
  });
});

describe('a comment', () => {
  it('names rules anywhere', () => {
    expect(idsInText('/** AAA-01: first; M91 (S0-02). */')).toEqual(['AAA-01', 'M91', 'S0-02']);
  });

  it('does not with what only looks alike', () => {
    expect(idsInText('AMQP 2.6.7, UTF-8, EM91, AAA-012, X-AAA-01')).toEqual([]);
  });
});

describe('coverage', () => {
  it('counts rules and statements in force; a statement takes all of its rules', () => {
    expect(measureCoverage(BOOK, ['a [AAA-01]', 'b [AAA-01]'])).toEqual({
      summary: 'rules: 1 of 3 covered, 1 left for later',
      missing: ['AAA-02'],
      mistakes: [],
    });
    expect(measureCoverage(BOOK, ['a [AAA-01, AAA-02]'])).toEqual({
      summary: 'rules: 3 of 3 covered, 1 left for later',
      missing: [],
      mistakes: [],
    });
  });

  it.each([
    ['no rule', 'a [AAA-03]', '"a [AAA-03]" names AAA-03, which is no rule'],
    [
      'a rule left for later',
      'a [BBB-01]',
      '"a [BBB-01]" holds BBB-01: take it off the list of "Message sessions"',
    ],
  ])('tells once of titles that name %s', (_, title, mistake) => {
    expect(measureCoverage(BOOK, [title, title]).mistakes).toEqual([mistake]);
  });
});
