import type { BrokerLogger } from '@logloft/broker';
import { Kafka, logLevel } from 'kafkajs';

/** A kafkajs client like anybody's, except that its log lines go where ours go. */
export function kafkaClient(bootstrapServers: string, logger: BrokerLogger): Kafka {
  return new Kafka({
    clientId: 'logloft-demo',
    brokers: [bootstrapServers],
    logLevel: logLevel.WARN,
    logCreator: () => {
      return ({ level, log: { message } }) => {
        if (level === logLevel.ERROR) logger.error(`kafkajs: ${message}`);
        else if (level === logLevel.WARN) logger.warn(`kafkajs: ${message}`);
        else logger.debug(`kafkajs: ${message}`);
      };
    },
  });
}

/**
 * kafkajs 2.2.4 sets timers to moments in the past, which Node 24 warns of: harmless, and not for the
 * eyes of who watches the demo. Other warnings are shown as ever.
 */
export function hideTimerWarnings(write: (line: string) => void): void {
  process.removeAllListeners('warning');
  process.on('warning', ({ name, message }) => {
    if (name !== 'TimeoutNegativeWarning') write(`${name}: ${message}`);
  });
}
