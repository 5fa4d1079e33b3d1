/** Sensors and metrics by name. */
export class MetricsRegistry {}
