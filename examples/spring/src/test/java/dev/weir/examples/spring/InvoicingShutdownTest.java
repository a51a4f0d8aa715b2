package dev.weir.examples.spring;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.weir.testkit.KafkaCluster;
import dev.weir.testkit.KafkaClusterExtension;
import dev.weir.testkit.Records;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.LongStream;
import org.apache.kafka.common.IsolationLevel;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;

/** Starts the application as {@code main} does, and closes it while orders arrive. */
class InvoicingShutdownTest {

    @RegisterExtension
    static final KafkaClusterExtension KAFKA = new KafkaClusterExtension(KafkaCluster.builder());

    private static final int BATCH = 1_000;
    private static final int FULL_SPEED_ORDERS = 50_000;
    private static final int CUSTOMERS = 50;
    private static final Duration LONG = Duration.ofMinutes(2);

    private static ConfigurableApplicationContext start() {
        // An argument, because application.yaml overrides default properties.
        return new SpringApplicationBuilder(InvoicingApplication.class)
                .web(WebApplicationType.NONE)
                .run("--spring.kafka.bootstrap-servers=" + KAFKA.bootstrapServers());
    }

    @Test
    @Tag("long")
    void close_underLoad_losesAndDoublesNothing() {
        KafkaCluster kafka = KAFKA.cluster();
        List.of("orders", "invoices", "orders-failed").forEach(topic -> kafka.createTopic(topic, 6));
        AtomicLong produced = new AtomicLong();
        CountDownLatch enough = new CountDownLatch(1);
        CompletableFuture<Void> load;
        try (ConfigurableApplicationContext first = start()) {
            load = CompletableFuture.runAsync(
                    () -> {
                        while (enough.getCount() > 0) {
                            Records.produce(
                                    kafka.bootstrapServers(), "orders", produced.getAndAdd(BATCH), BATCH, CUSTOMERS);
                            slowDown(produced.get(), enough);
                        }
                    },
                    task -> Thread.ofPlatform().daemon().start(task));
            await().atMost(LONG).until(() -> first.isRunning() && sum(kafka.endOffsets("invoices")) > 0);
        } finally {
            enough.countDown();
        }
        load.join();
        // Every order that was begun is invoiced and committed. The next run handles all others.
        assertThat(sum(kafka.committedOffsets("invoicing"))).isEqualTo(sum(kafka.endOffsets("invoices")));

        try (ConfigurableApplicationContext second = start()) {
            await().atMost(LONG)
                    .until(() -> second.isRunning()
                            && kafka.committedOffsets("invoicing").equals(kafka.endOffsets("orders")));
        }
        List<Long> pieces =
                Records.readAll(kafka.bootstrapServers(), "invoices", IsolationLevel.READ_UNCOMMITTED).stream()
                        .map(invoice -> new String(invoice.value(), UTF_8))
                        .map(text -> Long.valueOf(text.substring(0, text.indexOf(' '))))
                        .sorted()
                        .toList();
        assertThat(pieces).isEqualTo(LongStream.range(0, produced.get()).boxed().toList());
    }

    /** Slows the load down after {@link #FULL_SPEED_ORDERS}. */
    private static void slowDown(long produced, CountDownLatch enough) {
        if (produced >= FULL_SPEED_ORDERS) {
            try {
                var ignored = enough.await(1, TimeUnit.SECONDS);
            } catch (InterruptedException e) {
                throw new AssertionError(e);
            }
        }
    }

    private static long sum(Map<TopicPartition, Long> offsets) {
        return offsets.values().stream().mapToLong(Long::longValue).sum();
    }
}
