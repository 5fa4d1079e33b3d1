import { OPERATIONS_NOT_ASKED } from '@logloft/protocol';

// Bits of KIP-430, numbered as the operations of an ACL.
const READ = 1 << 3;
const WRITE = 1 << 4;
const CREATE = 1 << 5;
const DELETE = 1 << 6;
const ALTER = 1 << 7;
const DESCRIBE = 1 << 8;
const CLUSTER_ACTION = 1 << 9;
const DESCRIBE_CONFIGS = 1 << 10;
const ALTER_CONFIGS = 1 << 11;
const IDEMPOTENT_WRITE = 1 << 12;

/** All operations on a topic: without an authorizer everybody may do everything. */
export const TOPIC_OPERATIONS: number =
  READ | WRITE | CREATE | DELETE | ALTER | DESCRIBE | DESCRIBE_CONFIGS | ALTER_CONFIGS;

/** All operations on the cluster. */
export const CLUSTER_OPERATIONS: number =
  CREATE | ALTER | DESCRIBE | CLUSTER_ACTION | DESCRIBE_CONFIGS | ALTER_CONFIGS | IDEMPOTENT_WRITE;

/** All operations on a group. */
export const GROUP_OPERATIONS: number = READ | DELETE | DESCRIBE | DESCRIBE_CONFIGS;

/** The bits when they were asked for, else the value that says that they were not. */
export function operationsIfAsked(asked: boolean, operations: number): number {
  return asked ? operations : OPERATIONS_NOT_ASKED;
}
