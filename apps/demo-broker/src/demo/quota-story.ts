import kafkajs, { type Admin } from 'kafkajs';
import { DemoFailure } from './demo-failure.ts';

// A CommonJS module: Node finds some of its names for `import { … }`, and not this one.
const { ConfigResourceTypes } = kafkajs;

/** The property that the draft of KIP-956 names. */
export const WRITE_QUOTA = 'remote.log.manager.write.quota.default';

/** Which broker an admin client talks about. */
export interface QuotaTarget {
  readonly admin: Admin;
  readonly nodeId: number;
}

/**
 * Asks a running broker for its write quota, in bytes per second, as any admin tool would.
 *
 * @throws DemoFailure when the broker does not tell
 */
export async function describeWriteQuota({ admin, nodeId }: QuotaTarget): Promise<number> {
  const { resources } = await admin.describeConfigs({
    includeSynonyms: false,
    resources: [
      { type: ConfigResourceTypes.BROKER, name: String(nodeId), configNames: [WRITE_QUOTA] },
    ],
  });
  const entry = resources[0]?.configEntries.find(({ configName }) => configName === WRITE_QUOTA);
  const limit = Number(entry?.configValue);
  if (entry !== undefined && Number.isFinite(limit)) return limit;
  throw new DemoFailure(`DescribeConfigs does not tell ${WRITE_QUOTA}.`);
}

/**
 * Changes the write quota of a running broker and checks that it took it.
 *
 * @throws DemoFailure when it did not
 */
export async function changeWriteQuota(target: QuotaTarget, limit: number): Promise<void> {
  const { admin, nodeId } = target;
  await admin.alterConfigs({
    validateOnly: false,
    resources: [
      {
        type: ConfigResourceTypes.BROKER,
        name: String(nodeId),
        configEntries: [{ name: WRITE_QUOTA, value: String(limit) }],
      },
    ],
  });
  const described = await describeWriteQuota(target);
  if (described === limit) return;
  throw new DemoFailure(`The write quota was set to ${limit}, and the broker says ${described}.`);
}
