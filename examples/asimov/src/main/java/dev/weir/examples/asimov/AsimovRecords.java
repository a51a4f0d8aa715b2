package dev.weir.examples.asimov;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.weir.kafka.deadletter.DeadLetterHeaders;
import dev.weir.kafka.produce.RecordTimestamps;
import java.util.ArrayList;
import java.util.List;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.header.internals.RecordHeader;

/** Makes the record to produce from a source record and the outcome of its translation. Thread-safe. */
public final class AsimovRecords {
    /** Header of a dead-letter record: the name of its {@link Reason}. */
    public static final String DLQ_REASON = "weir-dlq-reason";
    /** Header of a dead-letter record: the human-readable message. */
    public static final String DLQ_MESSAGE = "weir-dlq-message";
    /** Header of a dead-letter record: the source's topic. */
    public static final String DLQ_TOPIC = "weir-dlq-topic";
    /** Header of a dead-letter record: the source's partition, in decimal. */
    public static final String DLQ_PARTITION = "weir-dlq-partition";
    /** Header of a dead-letter record: the source's offset, in decimal. */
    public static final String DLQ_OFFSET = "weir-dlq-offset";

    private AsimovRecords() {}

    /**
     * Returns the record for {@code translation}. It goes to {@code outputTopic}, or to {@code deadLetterTopic} if the
     * event is malformed.
     */
    public static ProducerRecord<byte[], byte[]> toProduce(
            ConsumerRecord<byte[], byte[]> source,
            Translation translation,
            String outputTopic,
            String deadLetterTopic) {
        return switch (translation) {
            case Translated translated -> output(source, translated, outputTopic);
            case Malformed malformed -> deadLetter(source, malformed, deadLetterTopic);
        };
    }

    /** Returns the record for a translated event: keyed by session, with the source's timestamp and headers. */
    public static ProducerRecord<byte[], byte[]> output(
            ConsumerRecord<byte[], byte[]> source, Translated translated, String topic) {
        return new ProducerRecord<>(
                topic, null, RecordTimestamps.of(source), translated.key(), translated.protobuf(), source.headers());
    }

    /**
     * Returns a record with the source's key, value, timestamp and headers, and with headers for the failure and the
     * origin. Weir's headers of an earlier failure or retry are left out.
     */
    public static ProducerRecord<byte[], byte[]> deadLetter(
            ConsumerRecord<byte[], byte[]> source, Malformed malformed, String topic) {
        return deadLetter(source, malformed.reason().name(), malformed.message(), topic);
    }

    /** Does the same as {@link #deadLetter(ConsumerRecord, Malformed, String)}, for a reason given as text. */
    public static ProducerRecord<byte[], byte[]> deadLetter(
            ConsumerRecord<byte[], byte[]> source, String reason, String message, String topic) {
        List<Header> headers = new ArrayList<>();
        for (Header header : source.headers()) {
            // Headers of an earlier failure would be mistaken for headers of this failure.
            if (!DeadLetterHeaders.isOurs(header.key())) {
                headers.add(header);
            }
        }
        add(headers, DLQ_REASON, reason);
        add(headers, DLQ_MESSAGE, message);
        add(headers, DLQ_TOPIC, source.topic());
        add(headers, DLQ_PARTITION, Integer.toString(source.partition()));
        add(headers, DLQ_OFFSET, Long.toString(source.offset()));
        return new ProducerRecord<>(topic, null, RecordTimestamps.of(source), source.key(), source.value(), headers);
    }

    private static void add(List<Header> headers, String name, String value) {
        headers.add(new RecordHeader(name, value.getBytes(UTF_8)));
    }
}
