import { Max, Meter, type Sensor } from '@logloft/metrics';
import type { SoakContext, Workload } from './workload.ts';

/** Idle time after which a sensor is removed, in seconds. */
const EXPIRY_SECONDS = 60;

const MAKE_ONE_IN = 16;
const KNOWN = 256;

/** Sensors of clients that come, record for a while, and are forgotten by the registry. */
export class SensorWorkload implements Workload {
  readonly name = 'sensors';
  readonly #context: SoakContext;
  readonly #known: Sensor[] = [];
  #made = 0;
  #recorded = 0;

  constructor(context: SoakContext) {
    this.#context = context;
  }

  step(): void {
    const { chance } = this.#context;
    if (this.#known.length === 0 || chance.oneIn(MAKE_ONE_IN)) this.#make();
    this.#known[chance.below(this.#known.length)]?.record(chance.below(10_000));
    this.#recorded += 1;
  }

  audit(): void {}

  giveBack(): void {
    this.#known.length = 0;
  }

  readonly outstandingBytes = 0;

  describe(): string {
    return `${this.#made} sensors came and went with ${this.#recorded} records`;
  }

  async close(): Promise<void> {}

  #make(): void {
    const { metrics, chance } = this.#context;
    const group = 'soak-clients';
    const tags = { 'client-id': `client-${this.#made}` };
    const sensor = metrics.sensor(`client-${this.#made}`, { expirySeconds: EXPIRY_SECONDS });
    sensor.addCompound(
      new Meter({
        rate: metrics.metricName({ name: 'byte-rate', group, tags }),
        total: metrics.metricName({ name: 'byte-total', group, tags }),
      }),
    );
    sensor.add(metrics.metricName({ name: 'size-max', group, tags }), new Max());
    this.#made += 1;
    if (this.#known.length < KNOWN) this.#known.push(sensor);
    else this.#known[chance.below(KNOWN)] = sensor;
  }
}
