package dev.weir.kafka.internal.handler;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import dev.weir.kafka.Decoded;
import dev.weir.stream.spi.AckTarget;
import dev.weir.stream.spi.FailedElement;
import java.util.Arrays;
import java.util.List;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class RecordDescriberTest {

    private static final AckTarget SOURCE = new AckTarget() {
        @Override
        public void ack(long token) {}

        @Override
        public void retain(long token, int count) {}

        @Override
        public String placeOf(long token) {
            return "orders-0@" + token;
        }
    };

    private record Hostile(Throwable thrown) {

        @Override
        public String toString() {
            if (thrown instanceof Error error) {
                throw error;
            }
            throw (RuntimeException) thrown;
        }
    }

    private static void note(Throwable failure, Object key) {
        FailedElement.note(failure, "map", SOURCE, 7, new ConsumerRecord<>("orders", 0, 7, key, "value"));
    }

    @Test
    void failure_ofARecordWhoseKeyOverflowsTheStack_isKept() {
        IllegalStateException failure = new IllegalStateException("planted");
        StackOverflowError tooDeep = new StackOverflowError();
        assertThatCode(() -> note(failure, new Hostile(tooDeep))).doesNotThrowAnyException();
        assertThat(failure.getSuppressed()).containsExactly(tooDeep);
    }

    @Test
    void failure_thatTheKeyThrowsAgain_isKept() {
        IllegalStateException failure = new IllegalStateException("planted");
        assertThatCode(() -> note(failure, new Hostile(failure))).doesNotThrowAnyException();
        assertThat(failure.getSuppressed()).isEmpty();
    }

    @Test
    void failure_ofARecord_namesItsKey() {
        IllegalStateException failure = new IllegalStateException("planted");
        note(failure, "k");
        assertThat(failure.getSuppressed())
                .singleElement()
                .satisfies(note -> assertThat(note).hasMessage("stage map failed at orders-0@7, key \"k\""));
    }

    // ---- Texts -----------------------------------------------------------------------------------------------------

    private final RecordDescriber describer = new RecordDescriber();

    private @Nullable String describe(@Nullable Object key) {
        return describer.describe(new ConsumerRecord<>("orders", 3, 7, key, "value"));
    }

    @Test
    void keys_areQuoted_escapedAndShortened() {
        assertThat(describe(null)).isEqualTo("key null");
        assertThat(describe(42)).isEqualTo("key \"42\"");
        assertThat(describe("a\"b\\c")).isEqualTo("key \"a\\\"b\\\\c\"");
        assertThat(describe("\n ~\u007f\u00fc\u2028")).isEqualTo("key \"\\u000a ~\\u007f\u00fc\\u2028\"");
        assertThat(describe("x".repeat(40))).isEqualTo("key \"" + "x".repeat(40) + "\"");
        assertThat(describe("x".repeat(41))).isEqualTo("key \"" + "x".repeat(40) + "\"...");
    }

    @Test
    void keysOfBytes_areText_orHexadecimal() {
        assertThat(describe("key".getBytes(UTF_8))).isEqualTo("key \"key\"");
        byte[] binary = new byte[21];
        Arrays.fill(binary, (byte) 0xff);
        assertThat(describe(Arrays.copyOf(binary, 20))).isEqualTo("key 0x" + "ff".repeat(20));
        assertThat(describe(binary)).isEqualTo("key 0x" + "ff".repeat(20) + "...");
    }

    @Test
    void elementsOfARecord_areDescribedByIt() {
        ConsumerRecord<byte[], byte[]> raw = new ConsumerRecord<>("orders", 3, 7, "k".getBytes(UTF_8), new byte[0]);
        Decoded<byte[], byte[]> decoded = new Decoded.Read<>(raw, raw);
        HandlerJob<byte[], byte[]> job = new HandlerJob<>(decoded);
        for (Object element : List.of(raw, decoded, job, new HandlerOutcome.Rejected<String>(raw))) {
            assertThat(describer.describe(element)).isEqualTo("key \"k\"");
            assertThat(describer.place(element)).isEqualTo("orders-3@7");
        }
        BatchJob<byte[], byte[]> batch = new BatchJob<>(List.of(new BatchMember<>(job, SOURCE, 7, 0)), 0);
        assertThat(describer.describe(batch)).isEqualTo("key \"k\"");
        assertThat(batch.placeOf(0)).isEqualTo("orders-0@7");
        BatchMember<byte[], byte[]> another = new BatchMember<>(job, SOURCE, 8, 0);
        assertThat(new BatchJob<>(List.of(another, another, another), 0).placeOf(0))
                .isEqualTo("orders-0@8 and 2 more");
        assertThat(describer.describe("another element")).isNull();
        assertThat(describer.place("another element")).isNull();
    }

    @Test
    void groupsOfRecords_haveThePlaceOfTheirFirst() {
        ConsumerRecord<byte[], byte[]> raw = new ConsumerRecord<>("orders", 3, 7, new byte[0], new byte[0]);
        assertThat(describer.place(List.of(raw))).isEqualTo("orders-3@7");
        assertThat(describer.place(List.of(raw, raw, raw))).isEqualTo("orders-3@7 and 2 more");
        assertThat(describer.place(List.of())).isNull();
        assertThat(describer.place(List.of("a", "b"))).isNull();
    }
}
