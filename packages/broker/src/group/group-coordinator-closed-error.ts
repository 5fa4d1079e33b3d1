/** A call to a coordinator that was closed. */
export class GroupCoordinatorClosedError extends Error {
  override readonly name = 'GroupCoordinatorClosedError';
  readonly code = 'LOGLOFT_GROUP_COORDINATOR_CLOSED';

  constructor() {
    super('the group coordinator is closed; make a new one and load it from the offset log');
  }
}
