package dev.weir.checks.jmh;

import dev.weir.checks.jmh.PairedRounds.Arm;
import dev.weir.checks.jmh.PairedRounds.Cost;
import dev.weir.kafka.ConsumerSettings;
import dev.weir.kafka.KafkaSink;
import dev.weir.kafka.KafkaSource;
import dev.weir.kafka.ProducerSettings;
import dev.weir.kafka.Subscription;
import dev.weir.stream.Pipeline;
import dev.weir.stream.RunningPipeline;
import dev.weir.stream.Source;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.ProducerRecord;

/**
 * Compares copying a topic exactly once with copying it at least once, in {@link PairedRounds}. Both commit every 100
 * ms. Each pass has its own group and client, and lasts from the first record until the pipeline has ended, with all
 * records written and committed.
 *
 * <pre>
 *   java -cp checks/jmh/target/benchmarks.jar dev.weir.checks.jmh.LeanFill HOST:PORT TOPIC 6 RECORDS 100
 *   java -cp checks/jmh/target/benchmarks.jar dev.weir.checks.jmh.CopyRounds HOST:PORT TOPIC 6 RECORDS [N]
 * </pre>
 */
public final class CopyRounds {
    private static final Duration INTERVAL = Duration.ofMillis(100);
    private static final long PATIENCE_SECONDS = 120;

    private final String bootstrap;
    private final String input;

    private CopyRounds(String bootstrap, String input) {
        this.bootstrap = bootstrap;
        this.input = input;
    }

    /** Runs the benchmark. The topic must contain RECORDS records. */
    public static void main(String[] args) throws Exception {
        Arguments given = Arguments.ofReader(args, 20);
        CopyRounds passes = new CopyRounds(given.bootstrap, given.topic);
        given.compare(
                given.records,
                new Arm("at least once", passes::atLeastOnce),
                new Arm("exactly once", passes::exactlyOnce));
    }

    /** Returns the settings in {@code workloads/copy-exactly-once.yaml}. */
    private ConsumerSettings<byte[], byte[]> reading(String group) {
        return ConsumerSettings.builder()
                .bootstrapServers(bootstrap)
                .groupId(group)
                .commitInterval(INTERVAL)
                .commitRecords(Integer.MAX_VALUE)
                .property("auto.offset.reset", "earliest")
                .property("max.poll.records", "5000")
                .property("max.partition.fetch.bytes", "8388608")
                .property("fetch.max.bytes", "8388608")
                .property("receive.buffer.bytes", "1048576")
                .build();
    }

    private ProducerSettings<byte[], byte[]> writing() {
        ProducerSettings.Builder<byte[], byte[]> settings = ProducerSettings.builder();
        Map.of("bootstrap.servers", bootstrap, "linger.ms", "5", "batch.size", "131072")
                .forEach(settings::property);
        return settings.build();
    }

    private Cost atLeastOnce(String output) throws Exception {
        Copy copy = new Copy(output);
        return copy.run(copy.of(KafkaSource.from(
                                reading(output), Subscription.topics(input).untilEnd())
                        .atLeastOnce())
                .to(KafkaSink.with(writing()).records()));
    }

    private Cost exactlyOnce(String output) throws Exception {
        Copy copy = new Copy(output);
        return copy.run(
                KafkaSource.from(reading(output), Subscription.topics(input).untilEnd())
                        .exactlyOnce()
                        .commitInterval(INTERVAL)
                        .commitRecords(Integer.MAX_VALUE)
                        .produceTo(writing(), copy::of));
    }

    /** The pipeline's function. It records when the first record arrives. */
    private static final class Copy {
        private final AtomicReference<Cost> start = new AtomicReference<>();
        private final String output;

        private Copy(String output) {
            this.output = output;
        }

        private Source<ProducerRecord<byte[], byte[]>> of(Source<ConsumerRecord<byte[], byte[]>> records) {
            return records.map(record -> {
                if (record.offset() == 0 && start.get() == null) {
                    start.set(Cost.now());
                }
                return new ProducerRecord<>(output, record.partition(), record.key(), record.value());
            });
        }

        private Cost run(Pipeline pipeline) throws Exception {
            try (RunningPipeline running = pipeline.run()) {
                running.completion().get(PATIENCE_SECONDS, TimeUnit.SECONDS);
                return Cost.now().since(start.get());
            }
        }
    }
}
