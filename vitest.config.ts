import { defineConfig } from 'vitest/config';

// Tests read the packages' sources through this condition of their exports; no build is needed.
const conditions = ['@logloft/source'];

export default defineConfig({
  resolve: { conditions },
  ssr: { resolve: { conditions, externalConditions: conditions } },
  test: {
    reporters: ['default', new URL('./.ci/closing-line-reporter.ts', import.meta.url).pathname],
    restoreMocks: true,
    unstubEnvs: true,
    unstubGlobals: true,
    projects: [
      {
        extends: true,
        test: {
          name: 'unit',
          include: ['**/test/**/*.test.ts'],
          exclude: ['**/node_modules/**', '**/dist/**', '**/*.process.test.ts'],
          isolate: false,
        },
      },
      {
        extends: true,
        test: {
          name: 'process',
          include: ['**/test/**/*.process.test.ts'],
          exclude: ['**/node_modules/**', '**/dist/**'],
          fileParallelism: false,
          testTimeout: 120_000,
          hookTimeout: 60_000,
        },
      },
    ],
  },
});
