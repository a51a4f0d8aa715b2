package dev.weir.examples.spring;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.awaitility.Awaitility.await;

import dev.weir.testkit.KafkaCluster;
import dev.weir.testkit.KafkaClusterExtension;
import dev.weir.testkit.Records;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.apache.kafka.common.IsolationLevel;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ConfigurableApplicationContext;

/** The application started as {@code main} does it, closed while orders come in, and started wrongly. */
@ExtendWith(OutputCaptureExtension.class)
class InvoicingShutdownTest {

    @RegisterExtension
    static final KafkaClusterExtension KAFKA = new KafkaClusterExtension(KafkaCluster.builder());

    private static final int BATCH = 1_000;
    private static final int CUSTOMERS = 50;
    private static final Duration LONG = Duration.ofSeconds(40);

    private static ConfigurableApplicationContext start(String... properties) {
        return new SpringApplicationBuilder(InvoicingApplication.class)
                .web(WebApplicationType.NONE)
                .properties("spring.kafka.bootstrap-servers=" + KAFKA.bootstrapServers())
                .run(Stream.of(properties).map(property -> "--" + property).toArray(String[]::new));
    }

    @Test
    void close_underLoad_losesAndDoublesNothing() {
        KafkaCluster kafka = KAFKA.cluster();
        List.of("orders", "invoices", "orders-failed").forEach(topic -> kafka.createTopic(topic, 6));
        AtomicLong produced = new AtomicLong();
        CountDownLatch enough = new CountDownLatch(1);
        CompletableFuture<Void> load = CompletableFuture.runAsync(() -> {
            while (enough.getCount() > 0) {
                Records.produce(kafka.bootstrapServers(), "orders", produced.getAndAdd(BATCH), BATCH, CUSTOMERS);
            }
        });

        try (ConfigurableApplicationContext first = start()) {
            await().atMost(LONG).until(() -> first.isRunning() && sum(kafka.endOffsets("invoices")) > 0);
        }
        // Every order that was begun is invoiced and committed, and the rest is left for the next.
        assertThat(sum(kafka.committedOffsets("invoicing"))).isEqualTo(sum(kafka.endOffsets("invoices")));
        enough.countDown();
        load.join();

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

    private static long sum(Map<TopicPartition, Long> offsets) {
        return offsets.values().stream().mapToLong(Long::longValue).sum();
    }

    @Test
    void wrongProperty_isToldInAParagraph_withoutATrace(CapturedOutput output) {
        Throwable refusal =
                catchThrowable(() -> start("weir.consumer.revoke-deadline=5m").close());
        assertThat(refusal).isNotNull();
        assertThat(output.getAll())
                .contains("APPLICATION FAILED TO START")
                .contains(
                        "Weir: weir.consumer.revoke-deadline: revokeDeadline must be PT0S to PT4M: revokeDeadline=PT5M")
                .contains("Change the property or the setting that the message names.")
                .doesNotContain("\tat dev.weir.");
    }
}
