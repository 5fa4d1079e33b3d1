/** Names of the quotas' properties, by the draft of KIP-956. */
export const WRITE_LIMIT = 'remote.log.manager.write.quota.default';
export const WRITE_SAMPLES = 'remote.log.manager.write.quota.window.num';
export const WRITE_WINDOW_SECONDS = 'remote.log.manager.write.quota.window.size.seconds';
export const WRITE_SCOPE = 'remote.log.manager.write.quota.scope';
export const WRITE_EXHAUSTED = 'remote.log.manager.write.quota.exhausted';
export const WRITERS = 'remote.log.manager.copier.thread.pool.size';
export const READ_LIMIT = 'remote.log.manager.read.quota.default';
export const READ_SAMPLES = 'remote.log.manager.read.quota.window.num';
export const READ_WINDOW_SECONDS = 'remote.log.manager.read.quota.window.size.seconds';
