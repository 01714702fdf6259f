// The partitions of a partitioned entity: which one a message belongs to, and how its number tells (SEQ-06, PRT-01).

/** As many as Azure's Standard tier has (PRT-01). */
export const PARTITION_COUNT = 16;

/** Numbers of one partition: the topmost 16 of the 64 bits are the partition's id. 16 times this is still a safe integer. */
export const PARTITION_SIZE = 2 ** 48;

/** Equal keys, equal partitions: a hash (FNV-1a) over the key's UTF-16 units. */
export function partitionOf(key: string): number {
  let hash = 0x811c9dc5;
  for (let index = 0; index < key.length; index++) {
    hash = Math.imul(hash ^ key.charCodeAt(index), 0x01000193);
  }
  return (hash >>> 0) % PARTITION_COUNT;
}

export function partitionIdOf(sequenceNumber: number): number {
  return Math.floor(sequenceNumber / PARTITION_SIZE);
}
