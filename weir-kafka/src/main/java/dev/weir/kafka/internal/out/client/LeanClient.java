package dev.weir.kafka.internal.out.client;

import dev.weir.lean.LeanException;
import dev.weir.lean.LeanProducer;
import dev.weir.lean.LeanProducerSettings;
import dev.weir.lean.LeanRecord;
import dev.weir.lean.SendException;
import dev.weir.lean.SendListener;
import dev.weir.stream.spi.Thrown;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.atomic.LongAdder;
import org.apache.kafka.clients.consumer.ConsumerGroupMetadata;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.Callback;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.Metric;
import org.apache.kafka.common.MetricName;
import org.apache.kafka.common.PartitionInfo;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.errors.InterruptException;
import org.apache.kafka.common.errors.SerializationException;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.metrics.KafkaMetric;
import org.apache.kafka.common.serialization.Serializer;
import org.jspecify.annotations.Nullable;

/**
 * A lean producer behind the part of Kafka's producer interface that Weir uses (ADR 86), with the same exceptions,
 * callbacks and threads. Thread-safe. Callbacks run on the producer's own thread, or on the sender's thread if a record
 * is rejected immediately.
 */
final class LeanClient<K, V> implements Producer<K, V> {

    private static final Duration FOREVER = Duration.ofDays(36_500);

    private final Serializer<K> keys;
    private final Serializer<V> values;
    private final LeanProducer lean;
    private final LeanMeters meters;
    private final OutstandingRecords outstanding = new OutstandingRecords();
    private final LongAdder blockedNanos = new LongAdder();

    /** A reusable record. A sender takes it while sending, or creates a new one if another sender has it. */
    private final AtomicReference<@Nullable LeanRecord> spare = new AtomicReference<>();

    /** The producer's own thread; null before its first record is complete. Written only by that thread. */
    private @Nullable Thread answering;

    LeanClient(LeanProducerSettings settings, Serializer<K> keys, Serializer<V> values) {
        this.keys = keys;
        this.values = values;
        this.lean = LeanProducer.open(settings, new Answers());
        this.meters = new LeanMeters(lean::metrics, settings.bufferBytes(), blockedNanos);
    }

    @Override
    public Future<RecordMetadata> send(ProducerRecord<K, V> record) {
        return send(record, null);
    }

    @Override
    public Future<RecordMetadata> send(ProducerRecord<K, V> record, @Nullable Callback callback) {
        byte[] key = serialized(record, keys, record.key(), "key");
        byte[] value = serialized(record, values, record.value(), "value");
        Long timestamp = record.timestamp();
        PendingSend sending = new PendingSend(
                callback, timestamp == null ? System.currentTimeMillis() : timestamp, length(key), length(value));
        LeanRecord shown = spare.getAndSet(null);
        if (shown == null) {
            shown = new LeanRecord(record.topic());
        }
        show(shown, record, key, value, sending.timestampMillis);
        long token = outstanding.add(sending);
        boolean taken = false;
        try {
            take(shown, token);
            taken = true;
            return sending;
        } catch (InterruptedException interrupted) {
            throw new InterruptException(interrupted);
        } catch (LeanException refused) {
            sending.failed(place(record, refused), ProduceFaults.asOfClient(refused));
            return sending;
        } finally {
            if (!taken) {
                var ignored = outstanding.remove(token);
            }
            spare.set(shown);
        }
    }

    private static int length(byte @Nullable [] bytes) {
        return bytes == null ? -1 : bytes.length;
    }

    private static TopicPartition place(ProducerRecord<?, ?> record, LeanException refused) {
        Integer said = record.partition();
        int partition = refused instanceof SendException of
                ? of.partition()
                : said == null ? RecordMetadata.UNKNOWN_PARTITION : said;
        return new TopicPartition(record.topic(), partition);
    }

    private void take(LeanRecord record, long token) throws InterruptedException {
        if (lean.trySend(record, token)) {
            return;
        }
        long start = System.nanoTime();
        try {
            lean.send(record, token);
        } finally {
            blockedNanos.add(System.nanoTime() - start);
        }
    }

    private static <T> byte @Nullable [] serialized(
            ProducerRecord<?, ?> record, Serializer<T> serializer, @Nullable T data, String part) {
        try {
            return serializer.serialize(record.topic(), record.headers(), data);
        } catch (ClassCastException notItsOwn) {
            throw new SerializationException(
                    "the " + part + " of a record for topic " + record.topic() + " is not of the type for "
                            + serializer.getClass().getName(),
                    notItsOwn);
        }
    }

    private static void show(
            LeanRecord shown,
            ProducerRecord<?, ?> record,
            byte @Nullable [] key,
            byte @Nullable [] value,
            long timestampMillis) {
        Integer partition = record.partition();
        shown.topic(record.topic())
                .partition(partition == null ? LeanRecord.ANY_PARTITION : partition)
                .timestamp(timestampMillis)
                .noHeaders();
        for (Header header : record.headers()) {
            shown.header(header.key(), header.value());
        }
        if (key == null) {
            shown.noKey();
        } else {
            shown.key(key);
        }
        if (value == null) {
            shown.noValue();
        } else {
            shown.value(value);
        }
    }

    /** Receives the outcomes of records on the producer's thread. */
    private final class Answers implements SendListener {

        /** The partition of the last outcome, cached because consecutive outcomes usually come from the same batch. */
        private TopicPartition last = new TopicPartition("", -1);

        private @Nullable SendException lastFault;
        private @Nullable Exception lastFaultOfClient;

        @Override
        public void acknowledged(long token, String topic, int partition, long offset) {
            outstanding.remove(token).written(at(topic, partition), offset);
        }

        @Override
        public void failed(long token, SendException why) {
            Exception ofClient = lastFaultOfClient;
            if (why != lastFault || ofClient == null) {
                ofClient = ProduceFaults.asOfClient(why);
                lastFault = why;
                lastFaultOfClient = ofClient;
            }
            outstanding.remove(token).failed(at(why.topic(), why.partition()), ofClient);
        }

        private TopicPartition at(String topic, int partition) {
            answering = Thread.currentThread();
            if (last.partition() != partition || !last.topic().equals(topic)) {
                last = new TopicPartition(topic, partition);
            }
            return last;
        }
    }

    @Override
    public void flush() {
        try {
            var ignored = lean.flush(FOREVER);
        } catch (InterruptedException interrupted) {
            throw new InterruptException(interrupted);
        } catch (LeanException failed) {
            // The failure has already completed every record.
        }
    }

    /** Makes the client fail all unacknowledged records. Does not wait for the client's thread. */
    void abort() {
        lean.abort();
    }

    /** Closes the client. A call from a callback only aborts the producer; the next call waits for it. */
    @Override
    public void close(Duration timeout) {
        if (Thread.currentThread() == answering) {
            lean.abort();
            return;
        }
        try {
            var ignored = lean.close(timeout);
        } catch (LeanException stuck) {
            throw new KafkaException(Thrown.reason(stuck), stuck);
        }
    }

    @Override
    public void close() {
        close(FOREVER);
    }

    @Override
    public Map<MetricName, ? extends Metric> metrics() {
        return meters.read();
    }

    /** Returns an empty list. Weir needs the partitions only with Kafka's client. */
    @Override
    public List<PartitionInfo> partitionsFor(String topic) {
        return List.of();
    }

    @Override
    public void initTransactions() {
        throw noTransactions();
    }

    @Override
    public void beginTransaction() {
        throw noTransactions();
    }

    @Override
    public void sendOffsetsToTransaction(Map<TopicPartition, OffsetAndMetadata> offsets, ConsumerGroupMetadata group) {
        throw noTransactions();
    }

    @Override
    public void commitTransaction() {
        throw noTransactions();
    }

    @Override
    public void abortTransaction() {
        throw noTransactions();
    }

    private static UnsupportedOperationException noTransactions() {
        return new UnsupportedOperationException("a lean producer supports no transactions");
    }

    @Override
    public void registerMetricForSubscription(KafkaMetric metric) {
        throw new UnsupportedOperationException("a lean producer sends no metrics to brokers");
    }

    @Override
    public void unregisterMetricFromSubscription(KafkaMetric metric) {
        throw new UnsupportedOperationException("a lean producer sends no metrics to brokers");
    }

    @Override
    public Uuid clientInstanceId(Duration timeout) {
        throw new UnsupportedOperationException("a lean producer sends no metrics to brokers");
    }
}
