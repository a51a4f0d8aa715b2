package dev.weir.checks.jmh;

import dev.weir.checks.jmh.PairedRounds.Arm;
import dev.weir.checks.jmh.PairedRounds.Cost;
import dev.weir.lean.LeanProducer;
import dev.weir.lean.LeanProducerMetrics;
import dev.weir.lean.LeanProducerSettings;
import dev.weir.lean.LeanRecord;
import dev.weir.lean.SendException;
import dev.weir.lean.SendListener;
import java.io.IOException;
import java.util.Locale;
import java.util.Map;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/**
 * Compares {@link LeanProducer} with a plain loop over the client's {@code send()} and with {@link BareProduce}, in N
 * {@link PairedRounds} (default: 25). All three are idempotent, wait for the acknowledgement of all replicas, have
 * batches of 128 kB and five requests of at most 1 MB in flight, and get a callback per record. They write the same
 * value repeatedly, to each partition in turn. Each pass has its own topic and producer; {@link AckedSpan} defines the
 * part of a pass that is timed.
 *
 * <pre>
 *   java -cp checks/jmh/target/benchmarks.jar dev.weir.checks.jmh.LeanProduceRounds \
 *       HOST:PORT PARTITIONS BYTES RECORDS [N]
 * </pre>
 *
 * <p>After each pass of the lean producer, the program prints how full its batches and requests were.
 */
public final class LeanProduceRounds {
    static final int BATCH_BYTES = 128 * 1024;
    static final String LINGER_MILLIS = "5";

    private final String bootstrap;
    private final int partitions;
    private final byte[] value;
    private final long records;

    private LeanProduceRounds(Arguments given) {
        bootstrap = given.bootstrap;
        partitions = given.partitions;
        value = given.value();
        records = given.records;
    }

    /** Runs the benchmark; RECORDS are written per pass. */
    public static void main(String[] args) throws Exception {
        Arguments given = Arguments.ofWriter(args, 25);
        LeanProduceRounds passes = new LeanProduceRounds(given);
        given.compare(
                AckedSpan.counted(given.records),
                new Arm("plain", passes::plain),
                new Arm("bare", passes::bare),
                new Arm("lean", passes::lean));
    }

    /** Returns the client's settings from {@code workloads/producer.yaml}. */
    static Map<String, Object> client(String bootstrap) {
        return Map.of(
                "bootstrap.servers", bootstrap, "linger.ms", LINGER_MILLIS, "batch.size", String.valueOf(BATCH_BYTES));
    }

    static LeanProducerSettings leanClient(String bootstrap) {
        LeanProducerSettings.Builder settings = LeanProducerSettings.builder();
        client(bootstrap).forEach((name, to) -> settings.property(name, to.toString()));
        return settings.build();
    }

    /** Returns a listener that reports each acknowledgement to a span. */
    static SendListener telling(AckedSpan span) {
        return new SendListener() {
            @Override
            public void acknowledged(long token, String topic, int partition, long offset) {
                span.acknowledged();
            }

            @Override
            public void failed(long token, SendException why) {
                span.failed(why);
            }
        };
    }

    private Cost plain(String topic) throws InterruptedException {
        AckedSpan span = new AckedSpan(records);
        try (KafkaProducer<byte[], byte[]> producer =
                new KafkaProducer<>(client(bootstrap), new ByteArraySerializer(), new ByteArraySerializer())) {
            for (long i = 0; i < records; i++) {
                var unused =
                        producer.send(new ProducerRecord<>(topic, (int) (i % partitions), null, value), span::told);
            }
            producer.flush();
            return span.cost();
        }
    }

    private Cost bare(String topic) throws IOException, InterruptedException {
        AckedSpan span = new AckedSpan(records);
        try (BareProduce producer = new BareProduce(bootstrap, topic, partitions, BATCH_BYTES, span::acknowledged)) {
            producer.send(value, records);
            return span.cost();
        }
    }

    private Cost lean(String topic) throws InterruptedException {
        AckedSpan span = new AckedSpan(records);
        try (LeanProducer producer = LeanProducer.open(leanClient(bootstrap), telling(span))) {
            LeanRecord record = new LeanRecord(topic);
            for (long i = 0; i < records; i++) {
                producer.send(record.partition((int) (i % partitions)).value(value), 0);
            }
            Cost cost = span.cost();
            LeanProducerMetrics told = producer.metrics();
            System.err.printf(
                    Locale.ROOT,
                    "  lean: %.0f records a batch, %.1f batches a request%n",
                    (double) records / told.sentBatches(),
                    (double) told.sentBatches() / told.requests());
            return cost;
        }
    }
}
