import type { MetricName } from './metric-name.ts';
import type { QuotaBound } from './quota-bound.ts';

/** An option of this package is out of range. Code `LOGLOFT_METRICS_INVALID_OPTION`. */
export class InvalidMetricOptionError extends Error {
  override readonly name = 'InvalidMetricOptionError';
  readonly code = 'LOGLOFT_METRICS_INVALID_OPTION';
}

/** A metric of that name is registered already. Code `LOGLOFT_METRICS_DUPLICATE_METRIC`. */
export class DuplicateMetricError extends Error {
  override readonly name = 'DuplicateMetricError';
  readonly code = 'LOGLOFT_METRICS_DUPLICATE_METRIC';
  readonly metricName: MetricName;

  constructor(metricName: MetricName) {
    super(
      `A metric named ${metricName} is registered already; ` +
        'give the new one another name or tag, or remove the registered one first.',
    );
    this.metricName = metricName;
  }
}

/**
 * A sensor was asked for whose ancestors are not a tree: one of them would see each value twice.
 * Code `LOGLOFT_METRICS_SENSOR_CYCLE`.
 */
export class SensorCycleError extends Error {
  override readonly name = 'SensorCycleError';
  readonly code = 'LOGLOFT_METRICS_SENSOR_CYCLE';

  constructor(sensorName: string, ancestorName: string) {
    super(
      `The ancestors of sensor '${sensorName}' must form a tree, but '${ancestorName}' is reached ` +
        'by two ways and would count every value twice; leave one of the parents out.',
    );
  }
}

/** A metric that is outside its quota. */
export interface QuotaViolation {
  readonly metricName: MetricName;
  /** What was measured. */
  readonly value: number;
  /** The bound that was violated. */
  readonly quota: QuotaBound;
}

/**
 * A metric of a sensor is outside its quota. The value that led to it has been recorded.
 * Code `LOGLOFT_METRICS_QUOTA_VIOLATION`.
 *
 * It has no stack trace: under load it is thrown for every request, and the place is always the
 * same. Ask {@link Sensor.findViolation} to have no error made at all.
 */
export class QuotaViolationError extends Error implements QuotaViolation {
  override readonly name = 'QuotaViolationError';
  readonly code = 'LOGLOFT_METRICS_QUOTA_VIOLATION';
  readonly metricName: MetricName;
  readonly value: number;
  readonly quota: QuotaBound;

  constructor(violation: QuotaViolation) {
    const limit = Error.stackTraceLimit;
    Error.stackTraceLimit = 0;
    super();
    Error.stackTraceLimit = limit;
    this.metricName = violation.metricName;
    this.value = violation.value;
    this.quota = violation.quota;
  }

  /** Made when it is read, since most violations are caught and dropped. */
  override get message(): string {
    const { bound, isUpper } = this.quota;
    return (
      `Metric ${this.metricName} must be at ${isUpper ? 'most' : 'least'} ${bound} ` +
      `by its quota, but is ${this.value}; record less until it is within it again.`
    );
  }
}
