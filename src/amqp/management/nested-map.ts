// A map within a management request, whose errors name the way to it: `rule-description.sql-filter.expression`.

import type { ServiceBusError } from '../../broker/service-bus-error.js';
import { entriesOf, entryOf, textOf } from '../../codec/read-value.js';
import type { AmqpValue } from '../../codec/types.js';
import { type ManagementRequest, readField, valueError } from './request-fields.js';

export class NestedMap {
  readonly #request: ManagementRequest;
  readonly #path: string;
  readonly #map: AmqpValue;

  private constructor(request: ManagementRequest, path: string, map: AmqpValue | undefined) {
    this.#request = request;
    this.#path = path;
    if (map === undefined || entriesOf(map) === undefined) {
      throw valueError(request, { name: path, value: map, wanted: 'a map' });
    }
    this.#map = map;
  }

  /** A field of the request, which must be a map. */
  static read(request: ManagementRequest, name: string): NestedMap {
    return new NestedMap(request, name, readField(request, name));
  }

  /** Undefined when it is missing or null. */
  map(name: string): NestedMap | undefined {
    const value = this.#field(name);
    return value === undefined ? undefined : new NestedMap(this.#request, this.#pathOf(name), value);
  }

  /** Undefined when it is missing or null. */
  text(name: string): string | undefined {
    const value = this.#field(name);
    const text = textOf(value);
    if (value !== undefined && text === undefined) throw this.error(name, 'a string, or left out');
    return text;
  }

  /** Each key with what `of` makes of its value, which is not undefined. */
  entries<T>(of: (value: AmqpValue) => T | undefined, wanted: string): Record<string, T> {
    const entries = (entriesOf(this.#map) ?? []).map(([key, value]): [string, T] => {
      const name = textOf(key);
      if (name === undefined) {
        throw valueError(this.#request, {
          name: this.#path,
          value: this.#map,
          wanted: 'a map with string keys',
        });
      }
      const read = of(value);
      if (read === undefined) throw this.error(name, wanted);
      return [name, read];
    });
    return Object.fromEntries(entries);
  }

  error(name: string, wanted: string): ServiceBusError {
    const value = entryOf(this.#map, name);
    return valueError(this.#request, { name: this.#pathOf(name), value, wanted });
  }

  #field(name: string): AmqpValue | undefined {
    const value = entryOf(this.#map, name);
    return value?.value === null ? undefined : value;
  }

  #pathOf(name: string): string {
    return `${this.#path}.${name}`;
  }
}
