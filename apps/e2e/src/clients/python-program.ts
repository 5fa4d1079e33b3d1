/**
 * What is run in Python: one JSON object a check, with `name`, `error` (null when it passed) and
 * `figures`. Written for confluent-kafka 1.7 and newer.
 */
export const PYTHON_PROGRAM: string = `
import json, sys, time, traceback
from confluent_kafka import Consumer, OFFSET_BEGINNING, Producer, TopicPartition
from confluent_kafka.admin import AdminClient, ConfigResource, NewPartitions, NewTopic

bootstrap = sys.argv[1]
TOPIC = 'py-topic'

def check(name):
    def run(body):
        error, figures = None, ''
        try:
            figures = body() or ''
        except Exception:
            error = traceback.format_exc()
        print(json.dumps({'name': name, 'error': error, 'figures': figures}), flush=True)
    return run

def results(futures):
    return {key: future.result(20) for key, future in futures.items()}

admin = AdminClient({'bootstrap.servers': bootstrap})

@check('create_topics, create_partitions, list_topics')
def _():
    results(admin.create_topics([NewTopic(TOPIC, num_partitions=2, replication_factor=1)]))
    results(admin.create_partitions([NewPartitions(TOPIC, 4)]))
    topics = admin.list_topics(timeout=10).topics
    assert len(topics[TOPIC].partitions) == 4, topics[TOPIC].partitions
    return '%d topics' % len(topics)

@check('describe_configs and alter_configs')
def _():
    resource = ConfigResource(ConfigResource.Type.TOPIC, TOPIC)
    altered = ConfigResource(ConfigResource.Type.TOPIC, TOPIC, set_config={'retention.ms': '5000000'})
    results(admin.alter_configs([altered]))
    [configs] = results(admin.describe_configs([resource])).values()
    assert configs['retention.ms'].value == '5000000', configs['retention.ms']

delivered = []

def produce(count, **settings):
    producer = Producer(dict({'bootstrap.servers': bootstrap}, **settings))
    errors = []
    def report(error, message):
        if error is None:
            delivered.append((message.partition(), message.offset()))
        else:
            errors.append(str(error))
    for index in range(count):
        producer.produce(TOPIC, key=str(index), value='value %d' % index, on_delivery=report,
                         headers=[('h', b'x')])
        producer.poll(0)
    assert producer.flush(30) == 0
    assert errors == [], errors[:3]

for codec in ['none', 'gzip', 'snappy', 'lz4', 'zstd']:
    @check('producer with delivery reports, %s' % codec)
    def _():
        produce(1000, **{'compression.type': codec})

@check('producer with idempotence and with acks 0 and 1')
def _():
    produce(1000, **{'enable.idempotence': True})
    produce(100, acks=0)
    produce(100, acks=1)
    return '%d delivered' % len(delivered)

def consumer(group, **settings):
    return Consumer(dict({'bootstrap.servers': bootstrap, 'group.id': group,
                          'auto.offset.reset': 'earliest', 'enable.auto.commit': False,
                          'session.timeout.ms': 10000, 'heartbeat.interval.ms': 300}, **settings))

@check('two members, rebalance callbacks, synchronous commits')
def _():
    assignments = {}
    def member(name):
        one = consumer('py-group')
        one.subscribe([TOPIC], on_assign=lambda c, ps: assignments.__setitem__(name, sorted(p.partition for p in ps)))
        return one
    first, second = member('first'), member('second')
    seen = set()
    deadline = time.time() + 40
    while time.time() < deadline:
        for one in (first, second):
            message = one.poll(0.05)
            if message is not None and message.error() is None:
                seen.add((message.partition(), message.offset()))
        shared = [len(assignments.get(name, [])) for name in ('first', 'second')]
        if shared == [2, 2]:
            break
    assert shared == [2, 2], assignments
    second.close()
    total = 6200
    while len(seen) < total and time.time() < deadline:
        message = first.poll(0.2)
        if message is not None and message.error() is None:
            seen.add((message.partition(), message.offset()))
    assert len(seen) == total, len(seen)
    ends = [TopicPartition(TOPIC, p, first.get_watermark_offsets(TopicPartition(TOPIC, p))[1]) for p in range(4)]
    first.commit(offsets=ends, asynchronous=False)
    committed = first.committed([TopicPartition(TOPIC, p) for p in range(4)], timeout=10)
    assert [p.offset for p in committed] == [p.offset for p in ends], committed
    first.close()
    return '%s, %d records' % (assignments, len(seen))

@check('assign, seek, offsets_for_times, get_watermark_offsets')
def _():
    one = consumer('py-seek')
    one.assign([TopicPartition(TOPIC, 0, OFFSET_BEGINNING)])
    first = one.poll(10)
    assert first is not None and first.offset() == 0 and first.headers() == [('h', b'x')], first
    one.seek(TopicPartition(TOPIC, 0, 100))
    deadline = time.time() + 10
    message = one.poll(1)
    while (message is None or message.offset() != 100) and time.time() < deadline:
        message = one.poll(1)
    assert message.offset() == 100, message.offset()
    [found] = one.offsets_for_times([TopicPartition(TOPIC, 0, first.timestamp()[1])], timeout=10)
    assert found.offset == 0, found
    low, high = one.get_watermark_offsets(TopicPartition(TOPIC, 0), timeout=10)
    assert low == 0 and high > 100, (low, high)
    one.close()

@check('a static member comes back without a rebalance of the others')
def _():
    rebalances = []
    first = consumer('py-static', **{'group.instance.id': 'one'})
    first.subscribe([TOPIC], on_assign=lambda c, ps: rebalances.append(len(ps)))
    other = consumer('py-static', **{'group.instance.id': 'two'})
    other.subscribe([TOPIC])
    deadline = time.time() + 30
    while rebalances[-1:] != [2] and time.time() < deadline:
        first.poll(0.1)
        other.poll(0.1)
    assert rebalances[-1:] == [2], rebalances
    other.close()
    before = len(rebalances)
    again = consumer('py-static', **{'group.instance.id': 'two'})
    again.subscribe([TOPIC])
    message = None
    while message is None and time.time() < deadline:
        first.poll(0.1)
        message = again.poll(0.1)
    assert message is not None
    assert len(rebalances) == before, rebalances
    again.close()
    first.close()

@check('list_groups and delete_topics')
def _():
    groups = [group.id for group in admin.list_groups(timeout=10)]
    assert 'py-group' in groups, groups
    results(admin.delete_topics([TOPIC]))
    assert TOPIC not in admin.list_topics(timeout=10).topics

check('all was run')(lambda: '')
`;
