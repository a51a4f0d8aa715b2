package dev.weir.kafka.internal.handler;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.kafka.ConsumerSettings;
import dev.weir.kafka.RetryTopics;
import dev.weir.kafka.deadletter.DeadLetterHeaders;
import dev.weir.kafka.deadletter.DeadLetterRecord;
import dev.weir.kafka.deadletter.DeadLetterTopic;
import dev.weir.kafka.deadletter.FailedRecord;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.apache.kafka.common.record.TimestampType;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests that retry headers count only in the flow's own retry topics. */
class RetryTiersTest {

    private static final DeadLetterTopic DEAD = DeadLetterTopic.of(
            "dead",
            ConsumerSettings.builder(new ByteArrayDeserializer(), new ByteArrayDeserializer())
                    .bootstrapServers("localhost:1")
                    .groupId("g")
                    .build());

    private final RetryTiers tiers = new RetryTiers(
            RetryTopics.of("retry-1", Duration.ofMinutes(1)).then("retry-2", Duration.ofMinutes(10)), DEAD);

    private static Map<String, String> headersOfAnotherFlow() {
        Map<String, String> headers = new LinkedHashMap<>();
        headers.put(RetryTopics.TOPIC, "elsewhere");
        headers.put(RetryTopics.PARTITION, "7");
        headers.put(RetryTopics.OFFSET, "99");
        headers.put(RetryTopics.TIMESTAMP, "5");
        headers.put(RetryTopics.ATTEMPTS, "40");
        headers.put(RetryTopics.TIER, "2");
        headers.put(RetryTopics.DUE, "4102444800000");
        headers.put(DeadLetterHeaders.OUTPUT, "elsewhere-too");
        headers.put(DeadLetterHeaders.CUT, "value of 3 bytes");
        return headers;
    }

    private static ConsumerRecord<byte[], byte[]> record(String topic, Map<String, String> headers) {
        RecordHeaders own = new RecordHeaders();
        headers.forEach((name, value) -> own.add(name, value.getBytes(UTF_8)));
        return new ConsumerRecord<>(
                topic, 3, 17, 123, TimestampType.CREATE_TIME, 0, 1, null, new byte[1], own, Optional.empty());
    }

    private static FailedRecord failed(ConsumerRecord<byte[], byte[]> record) {
        return new FailedRecord(record, FailedRecord.Reason.HANDLER, new IllegalStateException("no"), 1, true);
    }

    private static @Nullable String header(ProducerRecord<?, ?> record, String name) {
        Header header = record.headers().lastHeader(name);
        return header == null ? null : new String(header.value(), UTF_8);
    }

    private static ConsumerRecord<byte[], byte[]> consumed(ProducerRecord<byte[], byte[]> written) {
        return new ConsumerRecord<>(
                written.topic(),
                0,
                1,
                written.timestamp(),
                TimestampType.CREATE_TIME,
                0,
                1,
                written.key(),
                written.value(),
                written.headers(),
                Optional.empty());
    }

    @Test
    void recordOfTheMainTopic_withRetryHeadersOfAnotherFlow_goesThroughAllTiersUnderItsOwnOrigin() {
        ConsumerRecord<byte[], byte[]> first = record("orders", headersOfAnotherFlow());

        ProducerRecord<byte[], byte[]> once = tiers.propose(failed(first), 0);
        ConsumerRecord<byte[], byte[]> retried = RetriedRecord.of(consumed(once), 1);
        ProducerRecord<byte[], byte[]> twice = tiers.propose(failed(retried), 0);
        ProducerRecord<byte[], byte[]> deadLetter = tiers.propose(failed(RetriedRecord.of(consumed(twice), 2)), 0);

        assertThat(once.topic()).isEqualTo("retry-1");
        assertThat(header(once, RetryTopics.ATTEMPTS)).isEqualTo("1");
        assertThat(retried.topic() + retried.partition() + retried.offset()).isEqualTo("orders317");
        assertThat(retried.timestamp()).isEqualTo(123);
        assertThat(twice.topic()).isEqualTo("retry-2");
        DeadLetterRecord read = DeadLetterRecord.read(consumed(deadLetter));
        assertThat(read.record().topic()).isEqualTo("dead");
        assertThat(read.topic() + read.partition() + read.offset()).isEqualTo("orders317");
        assertThat(read.timestamp()).isEqualTo(123);
        assertThat(read.header(DeadLetterHeaders.ATTEMPTS)).isEqualTo("3");
        assertThat(read.isWhole()).isTrue();
        assertThat(read.restored().topic()).isEqualTo("orders");
    }

    // Regression: the run failed at this record after every start.
    @Test
    void exceptionWhoseMessageCannotBeRead_goesToARetryTopic() {
        var unreadable = new IllegalStateException() {
            private static final long serialVersionUID = 1L;

            @Override
            public String getMessage() {
                throw new UnsupportedOperationException("no message");
            }
        };
        var failed = new FailedRecord(record("orders", Map.of()), FailedRecord.Reason.HANDLER, unreadable, 1, true);
        ProducerRecord<byte[], byte[]> retry = tiers.propose(failed, 0);
        assertThat(retry.topic()).isEqualTo("retry-1");
        assertThat(header(retry, RetryTopics.CAUSE)).contains(RetryTiersTest.class.getName());
    }

    @Test
    void letter_ofARecordWithRetryHeadersOfAnotherFlow_namesWhereTheRecordWasConsumed() {
        ProducerRecord<byte[], byte[]> deadLetter =
                new DeadLetterWriter(DEAD).propose(failed(record("orders", headersOfAnotherFlow())), 0);

        DeadLetterRecord read = DeadLetterRecord.read(consumed(deadLetter));
        assertThat(read.topic() + read.partition() + read.offset()).isEqualTo("orders317");
        assertThat(read.header(DeadLetterHeaders.ATTEMPTS)).isEqualTo("1");
    }

    @ParameterizedTest
    @CsvSource({"weir-retry-partition, -1", "weir-retry-partition, x", "weir-retry-offset, -5", "weir-retry-topic, ''"})
    void recordOfARetryTopic_thatDoesNotSayWhereItCameFrom_isOneOfThatTopic(String name, String value) {
        Map<String, String> headers = headersOfAnotherFlow();
        headers.put(name, value);
        ConsumerRecord<byte[], byte[]> foreign = record("retry-1", headers);

        assertThat(RetriedRecord.of(foreign, 1)).isSameAs(foreign);
        assertThat(tiers.propose(failed(foreign), 0).topic()).isEqualTo("retry-1");
    }

    @Test
    void recordThatMustNotBeRetried_orIsTooLargeForItsTier_goesToTheDeadLetterTopic() {
        ConsumerRecord<byte[], byte[]> record = record("orders", Map.of());
        FailedRecord permanent =
                new FailedRecord(record, FailedRecord.Reason.HANDLER, new IllegalStateException("no"), 1, false);
        assertThat(tiers.propose(permanent, 0).topic()).isEqualTo("dead");
        ProducerRecord<byte[], byte[]> whole = tiers.propose(failed(record), 1);
        assertThat(whole.topic()).isEqualTo("dead");
        assertThat(whole.value()).isEqualTo(new byte[1]);
        assertThat(header(whole, DeadLetterHeaders.CUT)).isNull();
        ProducerRecord<byte[], byte[]> cut = tiers.propose(failed(record), 2);
        assertThat(cut.value()).isNull();
        assertThat(header(cut, DeadLetterHeaders.CUT)).isEqualTo("value of 1 bytes");
        assertThat(tiers.topics()).containsExactly("retry-1", "retry-2");
    }

    @Test
    void recordOfATier_saysWhenItIsDue_andWhereItCameFrom() {
        ProducerRecord<byte[], byte[]> once = tiers.propose(failed(record("orders", Map.of("own", "header"))), 0);
        assertThat(header(once, "own")).isEqualTo("header");
        assertThat(header(once, RetryTopics.TOPIC)).isEqualTo("orders");
        assertThat(header(once, RetryTopics.PARTITION)).isEqualTo("3");
        assertThat(header(once, RetryTopics.OFFSET)).isEqualTo("17");
        assertThat(header(once, RetryTopics.TIMESTAMP)).isEqualTo("123");
        assertThat(header(once, RetryTopics.TIER)).isEqualTo("1");
        assertThat(header(once, RetryTopics.CAUSE)).contains("no");
        assertThat(RecordOrigin.dueMillis(consumed(once)))
                .isEqualTo(once.timestamp() + Duration.ofMinutes(1).toMillis());
        assertThat(RecordOrigin.dueMillis(record("orders", Map.of()))).isZero();
        ConsumerRecord<byte[], byte[]> timeless = new ConsumerRecord<>("orders", 3, 17, new byte[1], new byte[1]);
        assertThat(header(tiers.propose(failed(timeless), 0), RetryTopics.TIMESTAMP))
                .isNull();
    }

    /** Other writers may have set these headers. */
    @ParameterizedTest
    @CsvSource({"0, 0", "7, 7", "-1, 0", "99999999999, 1073741823", "x, 0"})
    void attemptsBeforeARecord_areANumberThatCanGrow(String header, int attempts) {
        Map<String, String> headers = headersOfAnotherFlow();
        headers.put(RetryTopics.ATTEMPTS, header);
        assertThat(RecordOrigin.of(RetriedRecord.of(record("retry-1", headers), 1))
                        .attempts())
                .isEqualTo(attempts);
    }

    /** Partition and offset 0 are as good as others. */
    @ParameterizedTest
    @CsvSource({"0, 0", "2147483647, 9223372036854775807"})
    void originOfARecord_mayBeAnyPlace(String partition, String offset) {
        Map<String, String> headers = headersOfAnotherFlow();
        headers.put(RetryTopics.PARTITION, partition);
        headers.put(RetryTopics.OFFSET, offset);
        ConsumerRecord<byte[], byte[]> retried = RetriedRecord.of(record("retry-1", headers), 1);
        assertThat(RecordOrigin.of(retried).place()).isEqualTo("elsewhere-" + partition + "@" + offset);
        assertThat(RetriedRecord.tiersOf(retried)).isEqualTo(1);
        headers.put(RetryTopics.PARTITION, "2147483648");
        ConsumerRecord<byte[], byte[]> foreign = record("retry-1", headers);
        assertThat(RetriedRecord.of(foreign, 1)).isSameAs(foreign);
    }
}
