package dev.weir.testkit.internal.simulation;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
import org.apache.kafka.clients.producer.Callback;
import org.apache.kafka.clients.producer.MockProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.Node;
import org.apache.kafka.common.PartitionInfo;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.InterruptException;
import org.apache.kafka.common.serialization.Serializer;
import org.apache.kafka.common.utils.Utils;
import org.jspecify.annotations.Nullable;

/** A producer whose records the simulation acknowledges. As thread-safe as Kafka's own producer. */
@SuppressWarnings("UnsynchronizedOverridesSynchronized") // the state is in Outputs, guarded by its lock
final class SimulatedProducer<K, V> extends MockProducer<K, V> {

    private final Outputs outputs;
    private final Serializer<K> keys;
    private final Serializer<V> values;
    private volatile boolean closed;

    SimulatedProducer(Outputs outputs, Serializer<K> keys, Serializer<V> values) {
        super(false, null, keys, values);
        this.outputs = outputs;
        this.keys = keys;
        this.values = values;
    }

    @Override
    public Future<RecordMetadata> send(ProducerRecord<K, V> record) {
        return send(record, null);
    }

    @Override
    public Future<RecordMetadata> send(ProducerRecord<K, V> record, @Nullable Callback callback) {
        if (closed) {
            throw new IllegalStateException("Cannot perform operation after producer has been closed");
        }
        byte[] key = keys.serialize(record.topic(), record.headers(), record.key());
        byte[] value = values.serialize(record.topic(), record.headers(), record.value());
        int partition = record.partition() != null
                ? record.partition()
                : key == null ? 0 : Utils.toPositive(Utils.murmur2(key)) % Outputs.PARTITIONS;
        return outputs.send(this, new TopicPartition(record.topic(), partition), record, key, value, callback);
    }

    @Override
    public void flush() {
        try {
            outputs.flush(this);
        } catch (InterruptedException interrupted) {
            throw new InterruptException(interrupted);
        }
    }

    @Override
    public List<PartitionInfo> partitionsFor(String topic) {
        Node none = Node.noNode();
        return IntStream.range(0, Outputs.PARTITIONS)
                .mapToObj(partition -> new PartitionInfo(topic, partition, none, new Node[0], new Node[0]))
                .toList();
    }

    @Override
    public void close() {
        close(Duration.ofMillis(Long.MAX_VALUE));
    }

    @Override
    public void close(Duration timeout) {
        closed = true;
        try {
            outputs.close(this, timeout.isPositive());
        } catch (InterruptedException interrupted) {
            throw new InterruptException(interrupted);
        }
    }
}
