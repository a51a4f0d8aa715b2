package dev.weir.checks.jmh;

import dev.weir.checks.jmh.PairedRounds.Arm;
import dev.weir.checks.jmh.PairedRounds.Cost;
import dev.weir.kafka.KafkaSink;
import dev.weir.kafka.ProducerSettings;
import dev.weir.stream.RunningPipeline;
import dev.weir.stream.Source;
import dev.weir.stream.spi.AckTarget;
import dev.weir.stream.spi.Batch;
import dev.weir.stream.spi.Stage;
import java.time.Duration;
import java.util.Map;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.jspecify.annotations.Nullable;

/**
 * Compares a producing sink with a plain loop over {@code send()} that does not wait for results, in N
 * {@link PairedRounds} (default: 30). Each pass has its own topic and producer; {@link AckedSpan} defines the part of a
 * pass that is timed.
 *
 * <pre>
 *   java -cp checks/jmh/target/benchmarks.jar dev.weir.checks.jmh.SinkRounds HOST:PORT PARTITIONS BYTES RECORDS [N]
 * </pre>
 */
public final class SinkRounds {
    private final String bootstrap;
    private final int partitions;
    private final byte[] value;
    private final long records;

    private SinkRounds(Arguments given) {
        bootstrap = given.bootstrap;
        partitions = given.partitions;
        value = given.value();
        records = given.records;
    }

    /** Runs the benchmark. Each pass writes RECORDS records. */
    public static void main(String[] args) throws Exception {
        Arguments given = Arguments.ofWriter(args, 30);
        SinkRounds passes = new SinkRounds(given);
        given.compare(AckedSpan.counted(given.records), new Arm("loop", passes::loop), new Arm("sink", passes::sink));
    }

    private Map<String, String> settings() {
        return Map.of("bootstrap.servers", bootstrap, "linger.ms", "5", "batch.size", "131072");
    }

    private Cost loop(String topic) throws InterruptedException {
        try (KafkaProducer<byte[], byte[]> producer =
                new KafkaProducer<>(Map.copyOf(settings()), new ByteArraySerializer(), new ByteArraySerializer())) {
            AckedSpan counted = new AckedSpan(records);
            for (long i = 0; i < records; i++) {
                var unused =
                        producer.send(new ProducerRecord<>(topic, (int) (i % partitions), null, value), counted::told);
            }
            producer.flush();
            return counted.cost();
        }
    }

    private Cost sink(String topic) throws Exception {
        ProducerSettings.Builder<byte[], byte[]> settings = ProducerSettings.builder();
        settings().forEach(settings::property);
        Generated generated = new Generated(topic);
        try (RunningPipeline running = Source.<ProducerRecord<byte[], byte[]>>custom("generate", context -> generated)
                .to(KafkaSink.with(settings.build()).records())
                .run()) {
            Cost cost = generated.counted.cost();
            running.drain(Duration.ofSeconds(20));
            return cost;
        }
    }

    /**
     * A source of the records that the {@code send()} loop sends. Confined to the source's thread, except for
     * acknowledgements, which come from the producer's thread.
     */
    private final class Generated implements Stage<ProducerRecord<byte[], byte[]>>, AckTarget {
        private final AckedSpan counted = new AckedSpan(records);
        private final String topic;
        private long next;

        private Generated(String topic) {
            this.topic = topic;
        }

        @Override
        public @Nullable Batch<ProducerRecord<byte[], byte[]>> pull(long deadlineNanos) {
            int size = (int) Math.min(Batch.DEFAULT_CAPACITY, records - next);
            if (size == 0) {
                return null;
            }
            Batch<ProducerRecord<byte[], byte[]>> batch = new Batch<>(size);
            for (int i = 0; i < size; i++, next++) {
                batch.add(new ProducerRecord<>(topic, (int) (next % partitions), null, value), this, next);
            }
            return batch;
        }

        @Override
        public void ack(long ticket) {
            counted.acknowledged();
        }

        @Override
        public void retain(long token, int claims) {
            throw new UnsupportedOperationException("one record in, one record out");
        }

        @Override
        public void close() {}
    }
}
