import { ErrorCode } from '@logloft/protocol';
import type { GroupErrorName } from '../group/group-error.ts';

/** The number of a coordinator's answer. */
export function groupErrorCode(name: GroupErrorName): number {
  return ErrorCode[name];
}
