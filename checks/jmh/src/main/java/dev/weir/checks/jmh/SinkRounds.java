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
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import org.apache.kafka.clients.producer.Callback;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.jspecify.annotations.Nullable;

/**
 * A producing sink beside a plain loop over {@code send()} that awaits nothing, in {@link PairedRounds}, N of them
 * (30). A pass has a topic and a producer of its own, and lasts from the first record until the acknowledgement of
 * the last one.
 *
 * <pre>
 *   java -cp checks/jmh/target/benchmarks.jar dev.weir.checks.jmh.SinkRounds HOST:PORT PARTITIONS BYTES RECORDS [N]
 * </pre>
 */
public final class SinkRounds {
    private static final long PATIENCE_SECONDS = 120;

    private final String bootstrap;
    private final int partitions;
    private final byte[] value;
    private final long records;

    private SinkRounds(String bootstrap, int partitions, byte[] value, long records) {
        this.bootstrap = bootstrap;
        this.partitions = partitions;
        this.value = value;
        this.records = records;
    }

    /** As the class says; RECORDS are those of a pass. */
    public static void main(String[] args) throws Exception {
        int partitions = Integer.parseInt(args[1]);
        byte[] value = new byte[Integer.parseInt(args[2])];
        new Random(1).nextBytes(value);
        long records = Long.parseLong(args[3]);
        SinkRounds passes = new SinkRounds(args[0], partitions, value, records);
        new PairedRounds(args[0], partitions, records, new Arm("loop", passes::loop), new Arm("sink", passes::sink))
                .compare(args.length > 4 ? Integer.parseInt(args[4]) : 30);
    }

    private Map<String, String> settings() {
        return Map.of("bootstrap.servers", bootstrap, "linger.ms", "5", "batch.size", "131072");
    }

    private Cost loop(String topic) {
        try (KafkaProducer<byte[], byte[]> producer =
                new KafkaProducer<>(Map.copyOf(settings()), new ByteArraySerializer(), new ByteArraySerializer())) {
            LongAdder written = new LongAdder();
            Callback acknowledged = (metadata, failure) -> {
                if (failure == null) {
                    written.increment();
                }
            };
            Cost start = Cost.now();
            for (long i = 0; i < records; i++) {
                var unused =
                        producer.send(new ProducerRecord<>(topic, (int) (i % partitions), null, value), acknowledged);
            }
            producer.flush();
            Cost cost = Cost.now().since(start);
            if (written.sum() != records) {
                throw new IllegalStateException(written + " records were written");
            }
            return cost;
        }
    }

    private Cost sink(String topic) throws Exception {
        ProducerSettings.Builder<byte[], byte[]> settings = ProducerSettings.builder();
        settings().forEach(settings::property);
        Generated generated = new Generated(topic);
        try (RunningPipeline running = Source.<ProducerRecord<byte[], byte[]>>custom("generate", context -> generated)
                .to(KafkaSink.producing(settings.build()))
                .run()) {
            if (!generated.done.await(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
                throw new IllegalStateException("not all records were acknowledged");
            }
            running.drain(Duration.ofSeconds(20));
            return Objects.requireNonNull(generated.end).since(Objects.requireNonNull(generated.start));
        }
    }

    /**
     * The loop's records as a source, which takes the time. Confined to the thread of its segment but for
     * acknowledgements, which come from the producer's one thread.
     */
    private final class Generated implements Stage<ProducerRecord<byte[], byte[]>>, AckTarget {
        private final CountDownLatch done = new CountDownLatch(1);
        private final String topic;
        private long next;
        private long acknowledged;

        // Written before the first record goes out and after the last one is acknowledged; read after done.
        private @Nullable Cost start;
        private @Nullable Cost end;

        private Generated(String topic) {
            this.topic = topic;
        }

        @Override
        public @Nullable Batch<ProducerRecord<byte[], byte[]>> pull(long deadlineNanos) {
            if (next == 0) {
                start = Cost.now();
            }
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
            if (++acknowledged == records) {
                end = Cost.now();
                done.countDown();
            }
        }

        @Override
        public void retain(long token, int claims) {
            throw new UnsupportedOperationException("one record in, one record out");
        }

        @Override
        public void close() {}
    }
}
