package dev.weir.checks.integration;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.kafka.ConsumerSettings;
import dev.weir.testkit.KafkaCluster;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/** Counts how often each numbered record was handled, over all members of a test. Thread-safe. */
final class ConsumerLedger {

    private static final long SHORTEST_PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(5);
    private static final long LONGEST_PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

    private final AtomicIntegerArray times;
    private final AtomicInteger seen = new AtomicInteger();

    ConsumerLedger(int records) {
        times = new AtomicIntegerArray(records);
    }

    void handled(ConsumerRecord<byte[], byte[]> record) {
        int number = Integer.parseInt(new String(record.value(), StandardCharsets.US_ASCII));
        if (times.getAndIncrement(number) == 0) {
            seen.incrementAndGet();
        }
    }

    /** Returns the number of distinct records handled. */
    int seen() {
        return seen.get();
    }

    int lost() {
        return times.length() - seen.get();
    }

    /** Returns the number of calls for records that had already been handled. */
    int duplicates() {
        int duplicates = 0;
        for (int i = 0; i < times.length(); i++) {
            duplicates += Math.max(0, times.get(i) - 1);
        }
        return duplicates;
    }

    void awaitSeen(int records, Duration within) {
        await("handled " + records, within, () -> seen.get() >= records);
    }

    static void await(String what, Duration within, BooleanSupplier condition) {
        await(() -> what, within, condition);
    }

    /**
     * Waits for a condition. A failure contains the text of {@code what}. Checks become rarer, because most conditions
     * query a broker.
     */
    static void await(Supplier<String> what, Duration within, BooleanSupplier condition) {
        long begin = System.nanoTime();
        while (!condition.getAsBoolean()) {
            long waited = System.nanoTime() - begin;
            assertThat(waited).as(() -> what.get() + " within " + within).isLessThan(within.toNanos());
            LockSupport.parkNanos(Math.clamp(waited / 10, SHORTEST_PAUSE_NANOS, LONGEST_PAUSE_NANOS));
        }
    }

    /** Simulates a handler's blocking work. */
    static void work(Duration time) throws InterruptedException {
        var ignored = new CountDownLatch(1).await(time.toNanos(), TimeUnit.NANOSECONDS);
    }

    static ConsumerSettings.Builder<byte[], byte[]> settings(KafkaCluster cluster, String group) {
        return ConsumerSettings.builder()
                .bootstrapServers(cluster.bootstrapServers())
                .groupId(group)
                .fetch(OnLeanPath.current())
                .fetchThreads(OnLeanPath.threads())
                .commitInterval(Duration.ofMillis(200));
    }
}
