import { systemClock } from '@logloft/clock';
import { Max, Meter, MetricsRegistry } from '@logloft/metrics';

const registry = new MetricsRegistry({ clock: systemClock });
try {
  const group = 'server';
  const requests = registry.sensor('requests');
  requests.addCompound(
    new Meter({
      rate: registry.metricName({ name: 'request-byte-rate', group }),
      total: registry.metricName({ name: 'request-byte-total', group }),
    }),
  );
  requests.add(
    registry.metricName({ name: 'request-size-max', group, tags: { listener: 'plain' } }),
    new Max(),
  );
  registry.addGauge(registry.metricName({ name: 'connections', group }), () => 2);

  for (const bytes of [512, 2_048, 1_024]) requests.record(bytes);

  for (const { name, value } of registry.snapshot()) console.log(`${name} ${value.toFixed(0)}`);
} finally {
  await registry.close();
}
