package dev.weir.examples.asimov;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.kafka.RetryTopics;
import dev.weir.kafka.deadletter.DeadLetterHeaders;
import java.util.List;
import java.util.Optional;
import java.util.stream.StreamSupport;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.header.internals.RecordHeader;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.apache.kafka.common.record.TimestampType;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class AsimovRecordsTest {
    private static final byte[] KEY = {1};
    private static final byte[] VALUE = {2};

    private static ConsumerRecord<byte[], byte[]> source(long timestamp) {
        RecordHeaders headers = new RecordHeaders(List.of(
                new RecordHeader("trace", "t-1".getBytes(UTF_8)),
                new RecordHeader(AsimovRecords.DLQ_REASON, "an earlier death".getBytes(UTF_8))));
        return new ConsumerRecord<>(
                "in", 3, 77, timestamp, TimestampType.CREATE_TIME, 1, 1, KEY, VALUE, headers, Optional.empty());
    }

    private static List<String> headers(ProducerRecord<byte[], byte[]> record) {
        return StreamSupport.stream(record.headers().spliterator(), false)
                .map(header -> header.key() + "=" + new String(header.value(), UTF_8))
                .toList();
    }

    @Test
    void toProduce_translated_goesToOutputKeyedBySession() {
        Translated translated = new Translated("s-1".getBytes(UTF_8), new byte[] {9});

        ProducerRecord<byte[], byte[]> record = AsimovRecords.toProduce(source(123), translated, "out", "dead");

        assertThat(record.topic()).isEqualTo("out");
        assertThat(record.partition()).isNull();
        assertThat(record.key()).isEqualTo("s-1".getBytes(UTF_8));
        assertThat(record.value()).containsExactly(9);
        assertThat(record.timestamp()).isEqualTo(123);
        assertThat(headers(record)).containsExactly("trace=t-1", "weir-dlq-reason=an earlier death");
    }

    @Test
    void toProduce_malformed_goesToDeadLettersRawWithItsReason() {
        ConsumerRecord<byte[], byte[]> source = source(123);
        Malformed malformed = new Malformed(Reason.INVALID_URL, "no h\u00f6st");

        ProducerRecord<byte[], byte[]> record = AsimovRecords.toProduce(source, malformed, "out", "dead");

        assertThat(record.topic()).isEqualTo("dead");
        assertThat(record.key()).isSameAs(KEY);
        assertThat(record.value()).isSameAs(VALUE);
        assertThat(record.timestamp()).isEqualTo(123);
        assertThat(headers(record))
                .containsExactly(
                        "trace=t-1",
                        "weir-dlq-reason=INVALID_URL",
                        "weir-dlq-message=no h\u00f6st",
                        "weir-dlq-topic=in",
                        "weir-dlq-partition=3",
                        "weir-dlq-offset=77");
        assertThat(source.headers()).as("the source is left alone").hasSize(2);
    }

    @ParameterizedTest
    @ValueSource(longs = {ConsumerRecord.NO_TIMESTAMP, -2, -62_135_596_800_000L})
    void toProduce_sourceWithoutTimestamp_leavesItToTheProducer(long none) {
        Translated translated = new Translated(KEY, VALUE);
        Malformed malformed = new Malformed(Reason.INVALID_URL, "no host");

        assertThat(AsimovRecords.toProduce(source(none), translated, "out", "dead")
                        .timestamp())
                .isNull();
        assertThat(AsimovRecords.toProduce(source(none), malformed, "out", "dead")
                        .timestamp())
                .isNull();
    }

    /** Regression: a replay sent the record to the other flow's topic, or not at all. */
    @Test
    void deadLetter_ofARecordWithHeadersOfOtherDeaths_hasThoseOfThisOneOnly() {
        ConsumerRecord<byte[], byte[]> source = source(123);
        for (String name : List.of(
                DeadLetterHeaders.OUTPUT,
                DeadLetterHeaders.CUT,
                DeadLetterHeaders.TIMESTAMP,
                DeadLetterHeaders.TIME,
                RetryTopics.TOPIC)) {
            source.headers().add(name, "7".getBytes(UTF_8));
        }

        ProducerRecord<byte[], byte[]> record =
                AsimovRecords.deadLetter(source, new Malformed(Reason.INVALID_URL, "no host"), "dead");

        assertThat(headers(record))
                .containsExactly(
                        "trace=t-1",
                        "weir-dlq-reason=INVALID_URL",
                        "weir-dlq-message=no host",
                        "weir-dlq-topic=in",
                        "weir-dlq-partition=3",
                        "weir-dlq-offset=77");
    }
}
