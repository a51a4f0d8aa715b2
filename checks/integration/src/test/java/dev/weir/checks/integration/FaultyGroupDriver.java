package dev.weir.checks.integration;

import dev.weir.driver.Driver;
import dev.weir.driver.DriverMain;
import dev.weir.driver.HandlerWork;
import dev.weir.driver.Pass;
import dev.weir.driver.Scenario;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

/** A group member that works correctly except for one {@link Fault}. */
final class FaultyGroupDriver implements Driver {

    /** More records than in a dry run, but fewer than a time-limited run requests. */
    private static final long MANY = 10_000_000;

    private final Fault fault;

    private FaultyGroupDriver(Fault fault) {
        this.fault = fault;
    }

    private enum Fault {
        /** Commits polled records before handling them. */
        COMMITTING_AHEAD,
        /** Ends a time-limited pass before the harness does. */
        ENDING,
        /** Never ends a time-limited pass, even after the harness has stopped it. */
        HANGING
    }

    public static void main(String[] arguments) {
        DriverMain.serve(
                Map.of(
                        "ahead", () -> new FaultyGroupDriver(Fault.COMMITTING_AHEAD),
                        "ending", () -> new FaultyGroupDriver(Fault.ENDING),
                        "hanging", () -> new FaultyGroupDriver(Fault.HANGING)),
                arguments);
    }

    @Override
    public Set<Scenario> scenarios() {
        return Set.of(Scenario.WORK, Scenario.STEADY);
    }

    @Override
    public void run(Pass pass) throws InterruptedException {
        boolean isUnnumbered = pass.configuration().recordsPerPartition() > MANY;
        HandlerWork work = pass.work();
        try (KafkaConsumer<byte[], byte[]> consumer = new KafkaConsumer<>(
                new HashMap<>(pass.clientConfig().consumer(Map.of())),
                new ByteArrayDeserializer(),
                new ByteArrayDeserializer())) {
            consumer.subscribe(List.of(pass.configuration().topic()));
            long left = fault == Fault.ENDING && isUnnumbered ? 100 : Long.MAX_VALUE;
            while (!pass.isDone() && left > 0) {
                ConsumerRecords<byte[], byte[]> records = consumer.poll(Duration.ofMillis(100));
                if (fault == Fault.COMMITTING_AHEAD) {
                    consumer.commitSync();
                }
                for (ConsumerRecord<byte[], byte[]> record : records) {
                    if (fault == Fault.COMMITTING_AHEAD) {
                        work.on(record.value());
                    }
                    pass.delivered(record.partition(), record.value());
                    left--;
                }
            }
            if (fault == Fault.HANGING && isUnnumbered) {
                new CountDownLatch(1).await();
            }
        }
    }
}
