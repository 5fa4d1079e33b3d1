import {
  Admin,
  ConfigResourceTypes,
  IncrementalAlterConfigOperationTypes,
} from '@platformatic/kafka';
import type { Cleanup } from '../harness/cleanup.ts';

/** A property as the client gives it. */
export type ConfigDescription = Awaited<
  ReturnType<Admin['describeConfigs']>
>[number]['configs'][number];

/** The broker's configuration, through an unmodified client. */
export class ConfigAdmin {
  readonly #admin: Admin;

  constructor(bootstrap: string, cleanup: Cleanup) {
    this.#admin = new Admin({ clientId: 'e2e', bootstrapBrokers: [bootstrap], retries: 0 });
    cleanup.add(() => this.#admin.close());
  }

  /** Sets a property; by default on the cluster default, whose name is empty. */
  async set(name: string, value: string, resourceName = ''): Promise<void> {
    await this.#admin.incrementalAlterConfigs({
      resources: [
        {
          resourceType: ConfigResourceTypes.BROKER,
          resourceName,
          configs: [{ name, configOperation: IncrementalAlterConfigOperationTypes.SET, value }],
        },
      ],
    });
  }

  /** Takes what was set back. */
  async unset(name: string, resourceName = ''): Promise<void> {
    await this.#admin.incrementalAlterConfigs({
      resources: [
        {
          resourceType: ConfigResourceTypes.BROKER,
          resourceName,
          configs: [{ name, configOperation: IncrementalAlterConfigOperationTypes.DELETE }],
        },
      ],
    });
  }

  /** Describes properties of node 0, with synonyms and documentation. */
  async describe(names: readonly string[]): Promise<readonly ConfigDescription[]> {
    const [resource] = await this.#admin.describeConfigs({
      resources: [
        {
          resourceType: ConfigResourceTypes.BROKER,
          resourceName: '0',
          configurationKeys: [...names],
        },
      ],
      includeSynonyms: true,
      includeDocumentation: true,
    });
    return resource?.configs ?? [];
  }

  async close(): Promise<void> {
    await this.#admin.close();
  }
}
