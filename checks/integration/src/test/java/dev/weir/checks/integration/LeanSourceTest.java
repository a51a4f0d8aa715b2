package dev.weir.checks.integration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.kafka.ConsumerSettings;
import dev.weir.kafka.FetchPath;
import dev.weir.kafka.KafkaSource;
import dev.weir.kafka.RecordDecodeException;
import dev.weir.kafka.Subscription;
import dev.weir.lean.RecordView;
import dev.weir.stream.RunningPipeline;
import dev.weir.stream.Sink;
import dev.weir.testkit.KafkaCluster;
import dev.weir.testkit.KafkaClusterExtension;
import dev.weir.testkit.Records;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Function;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** What only a source on the lean path can do: decode where the records lie. */
class LeanSourceTest {

    @RegisterExtension
    static final KafkaClusterExtension KAFKA = new KafkaClusterExtension(KafkaCluster.builder());

    private static ConsumerSettings<byte[], byte[]> settings(String group) {
        return ConsumerLedger.settings(KAFKA.cluster(), group)
                .fetch(FetchPath.LEAN)
                .property("max.poll.records", "100")
                .build();
    }

    @Test
    void decoder_seesEachRecordOnce_andAllIsCommitted() throws Exception {
        KAFKA.cluster().createTopic("views", 3);
        Records.produce(KAFKA.bootstrapServers(), "views", 0, 20_000);
        Queue<Integer> numbers = new ConcurrentLinkedQueue<>();
        try (RunningPipeline running = KafkaSource.committable(
                        settings("views"),
                        Subscription.topics("views").untilEnd(),
                        record -> Integer.valueOf(record.value().toUtf8()))
                .to(Sink.forEach(numbers::add))
                .run()) {
            assertThat(running.await().drained()).isTrue();
        }
        assertThat(numbers)
                .containsExactlyInAnyOrderElementsOf(
                        IntStream.range(0, 20_000).boxed().toList());
        assertThat(KAFKA.cluster().committedOffsets("views"))
                .isEqualTo(KAFKA.cluster().endOffsets("views"));
    }

    @Test
    void decoderThatThrows_failsTheRunWithTheRecordsPlace() {
        KAFKA.cluster().createTopic("refused", 1);
        Records.produce(KAFKA.bootstrapServers(), "refused", 0, 50);
        Function<RecordView, String> decoder = record -> {
            if (record.offset() == 30) {
                throw new IllegalStateException("not this one");
            }
            return "read";
        };
        try (RunningPipeline running = KafkaSource.committable(
                        settings("refused"), Subscription.topics("refused"), decoder)
                .to(Sink.ignore())
                .run()) {
            assertThatThrownBy(running::await)
                    .rootCause()
                    .hasMessage("not this one")
                    .isInstanceOf(IllegalStateException.class);
            assertThatThrownBy(running::await).satisfies(failure -> {
                Throwable cause = failure;
                while (!(cause instanceof RecordDecodeException) && cause.getCause() != null) {
                    cause = cause.getCause();
                }
                assertThat(cause).isInstanceOf(RecordDecodeException.class).hasMessageContaining("refused-0@30");
            });
        }
    }

    @Test
    void decoder_withoutTheLeanPath_isRefused() {
        ConsumerSettings<byte[], byte[]> byClient =
                ConsumerLedger.settings(KAFKA.cluster(), "g").build();
        assertThatIllegalArgumentException()
                .isThrownBy(() -> KafkaSource.committable(byClient, Subscription.topics("t"), record -> "x"))
                .withMessageContainingAll("fetch=CLIENT", "FetchPath.LEAN");
    }
}
