// Application properties are found whatever the case of their names.

import { describe, expect, it } from 'vitest';
import { UserProperties } from '../../../src/broker/rules/message-view.js';

const newProperties = () =>
  new UserProperties([
    ['Color', 'first'],
    ['COLOR', 'second'],
    ['none', null],
  ]);

describe('application properties', () => {
  it('are found by their exact name, else as the first that differs in case only [SQL-05]', () => {
    const properties = newProperties();
    expect(['Color', 'COLOR', 'color'].map((name) => properties.get(name))).toEqual([
      'first',
      'second',
      'first',
    ]);
    expect(properties.get('NONE')).toBeNull();
    expect(properties.get('colour')).toBeUndefined();
    expect([properties.has('NONE'), properties.has('colour')]).toEqual([true, false]);
  });

  it('keep their spelling when they are set [SQL-05]', () => {
    const properties = newProperties();
    properties.set('color', 1n);
    properties.set('New', 2n);
    properties.set('NEW', 3n);
    expect([...properties.entries()]).toEqual([
      ['Color', 1n],
      ['COLOR', 'second'],
      ['none', null],
      ['New', 3n],
    ]);
  });

  it('leave their names to the next when they are removed [SQL-05]', () => {
    const properties = newProperties();
    expect(properties.get('color')).toBe('first');
    properties.remove('color');
    expect(properties.get('color')).toBe('second');
    properties.remove('color');
    properties.remove('color');
    expect(properties.find('color')).toBeUndefined();
    expect([...properties.entries()]).toEqual([['none', null]]);
  });
});
