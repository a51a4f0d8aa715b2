package dev.weir.kafka.internal.handler;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.weir.kafka.KafkaPipelineException;
import dev.weir.kafka.ProducerSettings;
import dev.weir.kafka.deadletter.DeadLetterHeaders;
import dev.weir.kafka.deadletter.DeadLetterTopic;
import dev.weir.kafka.deadletter.FailedRecord;
import java.util.Optional;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.apache.kafka.common.record.TimestampType;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Tests the contents of dead-letter records. */
class DeadLetterWriterTest {

    private static final ProducerSettings<byte[], byte[]> SETTINGS =
            ProducerSettings.builder().bootstrapServers("localhost:1").build();

    private final DeadLetterWriter writer = new DeadLetterWriter(DeadLetterTopic.of("dead", SETTINGS, "g"));

    private static ConsumerRecord<byte[], byte[]> record(byte @Nullable [] key, byte @Nullable [] value) {
        return new ConsumerRecord<>(
                "orders",
                3,
                17,
                123,
                TimestampType.CREATE_TIME,
                key == null ? -1 : key.length,
                value == null ? -1 : value.length,
                key,
                value,
                new RecordHeaders().add("own", new byte[] {1}),
                Optional.empty());
    }

    private static FailedRecord failed(ConsumerRecord<byte[], byte[]> raw, Throwable cause) {
        return new FailedRecord(raw, FailedRecord.Reason.HANDLER, cause, 2, false);
    }

    private static FailedRecord failed(ConsumerRecord<byte[], byte[]> raw) {
        return failed(raw, new IllegalStateException("planted"));
    }

    private static @Nullable String header(ProducerRecord<?, ?> record, String name) {
        Header header = record.headers().lastHeader(name);
        return header == null ? null : new String(header.value(), UTF_8);
    }

    @Test
    void wholeRecord_isKept_withItsOriginAndItsFailure() {
        ProducerRecord<byte[], byte[]> written = writer.propose(failed(record(new byte[2], new byte[5])), 0);
        assertThat(written.topic()).isEqualTo("dead");
        assertThat(written.partition()).isNull();
        assertThat(written.key()).hasSize(2);
        assertThat(written.value()).hasSize(5);
        assertThat(header(written, "own")).isEqualTo("\u0001");
        assertThat(header(written, DeadLetterHeaders.REASON)).isEqualTo("HANDLER");
        assertThat(header(written, DeadLetterHeaders.CAUSE)).isEqualTo(IllegalStateException.class.getName());
        assertThat(header(written, DeadLetterHeaders.MESSAGE)).isEqualTo("planted");
        assertThat(header(written, DeadLetterHeaders.STACK)).contains(DeadLetterWriterTest.class.getName());
        assertThat(header(written, DeadLetterHeaders.ATTEMPTS)).isEqualTo("2");
        assertThat(header(written, DeadLetterHeaders.TOPIC)).isEqualTo("orders");
        assertThat(header(written, DeadLetterHeaders.PARTITION)).isEqualTo("3");
        assertThat(header(written, DeadLetterHeaders.OFFSET)).isEqualTo("17");
        assertThat(header(written, DeadLetterHeaders.TIMESTAMP)).isEqualTo("123");
        assertThat(header(written, DeadLetterHeaders.GROUP)).isEqualTo("g");
        assertThat(header(written, DeadLetterHeaders.TIME)).startsWith("20");
        for (String none : new String[] {DeadLetterHeaders.CUT, DeadLetterHeaders.BATCH, DeadLetterHeaders.OUTPUT}) {
            assertThat(header(written, none)).as(none).isNull();
        }
    }

    @Test
    void recordWithoutATimestamp_orWithoutAGroup_lacksTheirHeaders() {
        ConsumerRecord<byte[], byte[]> timeless = new ConsumerRecord<>("orders", 3, 17, new byte[1], new byte[1]);
        ProducerRecord<byte[], byte[]> written =
                new DeadLetterWriter(DeadLetterTopic.of("dead", SETTINGS)).propose(failed(timeless), 0);
        assertThat(header(written, DeadLetterHeaders.TIMESTAMP)).isNull();
        assertThat(header(written, DeadLetterHeaders.GROUP)).isNull();
    }

    /** The value is left out first, because it is usually the largest part. */
    @Test
    void recordThatIsTooLarge_isCutInTwoSteps() {
        FailedRecord failed = failed(record(new byte[2], new byte[5]));
        ProducerRecord<byte[], byte[]> withoutValue = writer.propose(failed, 1);
        assertThat(withoutValue.key()).hasSize(2);
        assertThat(withoutValue.value()).isNull();
        assertThat(header(withoutValue, "own")).isNotNull();
        assertThat(header(withoutValue, DeadLetterHeaders.CUT)).isEqualTo("value of 5 bytes");
        ProducerRecord<byte[], byte[]> bare = writer.propose(failed, 2);
        assertThat(bare.key()).isNull();
        assertThat(bare.value()).isNull();
        assertThat(header(bare, "own")).isNull();
        assertThat(header(bare, DeadLetterHeaders.OFFSET)).isEqualTo("17");
        assertThat(header(bare, DeadLetterHeaders.CUT)).isEqualTo("value of 5 bytes, key of 2 bytes, all headers");
        assertThat(header(writer.propose(failed(record(null, null)), 2), DeadLetterHeaders.CUT))
                .isEqualTo("value of 0 bytes, key of 0 bytes, all headers");
    }

    @Test
    void recordThatMayNotBeCut_isRefusedWithItsPlaceAndSize() {
        DeadLetterWriter strict =
                new DeadLetterWriter(DeadLetterTopic.of("dead", SETTINGS).whenTooLarge(DeadLetterTopic.TooLarge.FAIL));
        FailedRecord failed = failed(record(null, new byte[5]));
        assertThat(strict.propose(failed, 0).value()).hasSize(5);
        assertThatExceptionOfType(KafkaPipelineException.class)
                .isThrownBy(() -> strict.propose(failed, 1))
                .withMessageContaining("orders-3@17, with a value of 5 bytes, is too large for topic dead");
    }

    @Test
    void longMessages_areCut() {
        String longest = "x".repeat(DeadLetterWriter.MAX_MESSAGE);
        ConsumerRecord<byte[], byte[]> raw = record(null, null);
        assertThat(header(
                        writer.propose(failed(raw, new IllegalStateException(longest)), 0), DeadLetterHeaders.MESSAGE))
                .isEqualTo(longest);
        ProducerRecord<byte[], byte[]> cut = writer.propose(failed(raw, new IllegalStateException(longest + "y")), 0);
        assertThat(header(cut, DeadLetterHeaders.MESSAGE)).isEqualTo(longest + "...");
        assertThat(header(cut, DeadLetterHeaders.STACK)).hasSizeLessThanOrEqualTo(4_096 + 3);
    }

    @Test
    void unwrittenOutput_namesItsTopic_andItsMissingParts() {
        UnwrittenRecord complete =
                new UnwrittenRecord("orders", 3, 17, 123, null, new byte[4], new RecordHeaders(), "results", "");
        assertThat(complete.serializedKeySize()).isEqualTo(-1);
        assertThat(complete.serializedValueSize()).isEqualTo(4);
        ProducerRecord<byte[], byte[]> written = writer.propose(failed(complete), 0);
        assertThat(header(written, DeadLetterHeaders.OUTPUT)).isEqualTo("results");
        assertThat(header(written, DeadLetterHeaders.CUT)).isNull();
        UnwrittenRecord partial =
                new UnwrittenRecord("orders", 3, 17, 123, new byte[2], null, new RecordHeaders(), "results", "value");
        assertThat(partial.serializedKeySize()).isEqualTo(2);
        assertThat(partial.serializedValueSize()).isEqualTo(-1);
        assertThat(header(writer.propose(failed(partial), 0), DeadLetterHeaders.CUT))
                .isEqualTo("value");
    }
}
