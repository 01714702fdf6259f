import { describe, expect, it } from 'vitest';
import { changesIn, draftOf, fieldsOf, problemsIn } from './property-draft.js';

describe('the form of an entity', () => {
  it('has a field for each property but keys, with its default, and knows what is fixed', () => {
    const fields = fieldsOf('queue');
    expect(fields.map(({ name }) => name)).not.toContain('authorizationRules');
    expect(fields.find(({ name }) => name === 'lockDuration')).toMatchObject({
      fallback: '1 min',
      isFixed: false,
    });
    expect(fields.find(({ name }) => name === 'requiresSession')).toMatchObject({
      type: 'boolean',
      isFixed: true,
    });
    expect(fields.find(({ name }) => name === 'forwardTo')).toMatchObject({ fallback: '' });
    expect(fields.find(({ name }) => name === 'status')?.values).toContain('ReceiveDisabled');
  });

  it('sends only what was changed, numbers as numbers, and null for an emptied field', () => {
    const before = draftOf('queue', { lockDuration: 'PT30S', maxDeliveryCount: 3, forwardTo: 'a' });
    expect(changesIn('queue', before, before)).toEqual({});
    const draft = {
      ...before,
      lockDuration: ' 5 min ',
      maxDeliveryCount: '7',
      forwardTo: '',
      status: 'Disabled',
    };
    expect(changesIn('queue', draft, before)).toEqual({
      lockDuration: 'PT300S',
      maxDeliveryCount: 7,
      forwardTo: null,
      status: 'Disabled',
    });
    expect(changesIn('topic', { ...draftOf('topic'), supportOrdering: false })).toEqual({
      supportOrdering: false,
    });
  });

  it('says at each field what is allowed there', () => {
    const problems = problemsIn('queue', { lockDuration: 'PT6M', maxDeliveryCount: 'x', forwardTo: null });
    expect([...problems]).toEqual([
      ['lockDuration', 'must be at most 5 min, not "6 min"'],
      ['maxDeliveryCount', 'must be a whole number from 1 to 2147483647, not "x"'],
    ]);
  });

  it('refuses a duration that is a bare number, because Azure would read milliseconds', () => {
    const draft = { ...draftOf('queue'), lockDuration: '30' };
    expect(problemsIn('queue', changesIn('queue', draft)).get('lockDuration')).toBe(
      'needs a unit, such as 30 s, 30 min or PT30S',
    );
  });
});
