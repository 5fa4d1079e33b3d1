import type { PrometheusSample } from '@logloft/metrics/prometheus';

/** When the process started, and what the time is: both in ms since the epoch. */
export interface ProcessTimes {
  readonly startedMs: number;
}

/** What Prometheus' client libraries tell of a process, by the names that dashboards know. */
export function processSamples({ startedMs }: ProcessTimes): readonly PrometheusSample[] {
  const { user, system } = process.cpuUsage();
  const { rss, heapUsed, heapTotal, external, arrayBuffers } = process.memoryUsage();
  return [
    counter(
      'process_cpu_seconds_total',
      (user + system) / 1e6,
      'CPU time of the process in seconds.',
    ),
    gauge(
      'process_start_time_seconds',
      startedMs / 1000,
      'Start of the process in seconds since the epoch.',
    ),
    gauge('process_resident_memory_bytes', rss, 'Resident memory of the process.'),
    gauge('nodejs_heap_size_used_bytes', heapUsed, 'Bytes of the JavaScript heap in use.'),
    gauge('nodejs_heap_size_total_bytes', heapTotal, 'Bytes of the JavaScript heap.'),
    gauge(
      'nodejs_external_memory_bytes',
      external,
      'Bytes outside the heap that objects in it hold.',
    ),
    gauge(
      'nodejs_array_buffer_bytes',
      arrayBuffers,
      'Bytes of buffers, a part of the external memory.',
    ),
    {
      ...gauge('nodejs_version_info', 1, 'The version of Node.'),
      labels: [['version', process.version]],
    },
  ];
}

function gauge(name: string, value: number, help: string): PrometheusSample {
  return { name, help, type: 'gauge', labels: [], value };
}

function counter(name: string, value: number, help: string): PrometheusSample {
  return { name, help, type: 'counter', labels: [], value };
}
