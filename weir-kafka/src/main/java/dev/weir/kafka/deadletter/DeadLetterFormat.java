package dev.weir.kafka.deadletter;

import static dev.weir.kafka.deadletter.DeadLetterFormat.Field.ATTEMPTS;
import static dev.weir.kafka.deadletter.DeadLetterFormat.Field.CAUSE;
import static dev.weir.kafka.deadletter.DeadLetterFormat.Field.GROUP;
import static dev.weir.kafka.deadletter.DeadLetterFormat.Field.MESSAGE;
import static dev.weir.kafka.deadletter.DeadLetterFormat.Field.OFFSET;
import static dev.weir.kafka.deadletter.DeadLetterFormat.Field.PARTITION;
import static dev.weir.kafka.deadletter.DeadLetterFormat.Field.REASON;
import static dev.weir.kafka.deadletter.DeadLetterFormat.Field.TIME;
import static dev.weir.kafka.deadletter.DeadLetterFormat.Field.TIMESTAMP;
import static dev.weir.kafka.deadletter.DeadLetterFormat.Field.TOPIC;
import static java.nio.charset.StandardCharsets.UTF_8;

import dev.weir.kafka.RetryTopics;
import java.nio.ByteBuffer;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.header.Headers;
import org.jspecify.annotations.Nullable;

/**
 * The format of a program's dead-letter records: the headers for a record's origin and failure. Immutable.
 *
 * <p>Values are UTF-8 text. In the formats of Spring Kafka and Spring Cloud Stream, and in custom formats, a number may
 * also be binary: four or eight bytes, big-endian.
 */
public final class DeadLetterFormat {

    // A header may occur more than once, for example because a Spring Kafka record passed through several topics. The
    // first occurrence describes the original record and is therefore used. In Weir's own format, the last occurrence
    // is used.
    //
    // The header names are taken from DeadLetterPublishingRecoverer, DeadLetterPublishingRecovererFactory and
    // KafkaHeaders of Spring Kafka 4.1; KafkaMessageChannelBinder of Spring Cloud Stream 5.0; DeadLetterQueueReporter
    // of Kafka Connect 4.4; ShareGroupDLQStateManager of Kafka's brokers 4.4 (KIP-1191).

    /** A field that a dead-letter record may contain. */
    public enum Field {
        /** The topic from which the record was consumed; required. */
        TOPIC,

        /** The partition from which the record was consumed. */
        PARTITION,

        /** The record's offset in this partition. */
        OFFSET,

        /** The record's own timestamp, in milliseconds since the Unix epoch. */
        TIMESTAMP,

        /** The step that failed. */
        REASON,

        /** The class of the exception. */
        CAUSE,

        /** The message of the exception. */
        MESSAGE,

        /** The number of attempts. */
        ATTEMPTS,

        /** The consumer group that gave up on the record. */
        GROUP,

        /**
         * The time when the group gave up on the record: ISO 8601 with a time zone, or milliseconds since the Unix
         * epoch.
         */
        TIME
    }

    /** Weir's own format; see {@link DeadLetterRecord}. */
    public static final DeadLetterFormat WEIR = new DeadLetterFormat(
            "weir",
            Map.of(
                    TOPIC, List.of(DeadLetterHeaders.TOPIC),
                    PARTITION, List.of(DeadLetterHeaders.PARTITION),
                    OFFSET, List.of(DeadLetterHeaders.OFFSET),
                    TIMESTAMP, List.of(DeadLetterHeaders.TIMESTAMP),
                    REASON, List.of(DeadLetterHeaders.REASON),
                    CAUSE, List.of(DeadLetterHeaders.CAUSE),
                    MESSAGE, List.of(DeadLetterHeaders.MESSAGE),
                    ATTEMPTS, List.of(DeadLetterHeaders.ATTEMPTS),
                    GROUP, List.of(DeadLetterHeaders.GROUP),
                    TIME, List.of(DeadLetterHeaders.TIME)),
            List.of(DeadLetterHeaders.PREFIX, RetryTopics.PREFIX));

    /**
     * Dead-letter records of Spring Kafka, from {@code DeadLetterPublishingRecoverer} and {@code @RetryableTopic}.
     * Spring's {@code KafkaTemplate} serializes the key and the value.
     */
    public static final DeadLetterFormat SPRING = new DeadLetterFormat(
            "spring",
            Map.of(
                    TOPIC, List.of("kafka_dlt-original-topic", "kafka_original-topic"),
                    PARTITION, List.of("kafka_dlt-original-partition", "kafka_original-partition"),
                    OFFSET, List.of("kafka_dlt-original-offset", "kafka_original-offset"),
                    TIMESTAMP, List.of("kafka_dlt-original-timestamp", "kafka_original-timestamp"),
                    CAUSE,
                            List.of(
                                    "kafka_dlt-exception-cause-fqcn",
                                    "kafka_exception-cause-fqcn",
                                    "kafka_dlt-exception-fqcn",
                                    "kafka_exception-fqcn",
                                    "kafka_dlt-key-exception-fqcn",
                                    "kafka_key-exception-fqcn"),
                    MESSAGE,
                            List.of(
                                    "kafka_dlt-exception-message",
                                    "kafka_exception-message",
                                    "kafka_dlt-key-exception-message",
                                    "kafka_key-exception-message"),
                    ATTEMPTS, List.of("retry_topic-attempts"),
                    GROUP, List.of("kafka_dlt-original-consumer-group")),
            List.of(
                    "kafka_dlt-",
                    "kafka_original-",
                    "kafka_exception-",
                    "kafka_key-exception-",
                    "retry_topic-",
                    "springDeserializerException"));

    /**
     * Dead-letter records of Spring Cloud Stream's Kafka binder with {@code enableDlq}, with the original key and
     * value.
     */
    public static final DeadLetterFormat SPRING_CLOUD_STREAM = new DeadLetterFormat(
            "spring-cloud-stream",
            Map.of(
                    TOPIC, List.of("x-original-topic"),
                    PARTITION, List.of("x-original-partition"),
                    OFFSET, List.of("x-original-offset"),
                    TIMESTAMP, List.of("x-original-timestamp"),
                    CAUSE, List.of("x-exception-fqcn"),
                    MESSAGE, List.of("x-exception-message")),
            List.of("x-original-timestamp-type", "x-exception-stacktrace"));

    /**
     * Dead-letter records of Kafka Connect's sink connectors with
     * {@code errors.deadletterqueue.context.headers.enable=true}.
     */
    public static final DeadLetterFormat CONNECT = new DeadLetterFormat(
            "connect",
            Map.of(
                    TOPIC, List.of("__connect.errors.topic"),
                    PARTITION, List.of("__connect.errors.partition"),
                    OFFSET, List.of("__connect.errors.offset"),
                    REASON, List.of("__connect.errors.stage"),
                    CAUSE, List.of("__connect.errors.exception.class.name"),
                    MESSAGE, List.of("__connect.errors.exception.message")),
            List.of("__connect.errors."));

    /**
     * Dead-letter records written by brokers for share groups ({@code errors.deadletterqueue.topic.name}). They contain
     * the key and value only if the group is configured so, and never the original headers. {@link OriginalRecords}
     * fetches the original record.
     */
    public static final DeadLetterFormat SHARE_GROUP = new DeadLetterFormat(
            "share-group",
            Map.of(
                    TOPIC, List.of("__dlq.errors.topic"),
                    PARTITION, List.of("__dlq.errors.partition"),
                    OFFSET, List.of("__dlq.errors.offset"),
                    MESSAGE, List.of("__dlq.errors.message"),
                    ATTEMPTS, List.of("__dlq.errors.delivery.count"),
                    GROUP, List.of("__dlq.errors.group")),
            List.of("__dlq.errors."));

    private static final List<DeadLetterFormat> KNOWN =
            List.of(WEIR, SPRING, SPRING_CLOUD_STREAM, CONNECT, SHARE_GROUP);

    /** The result of {@link #number} for a value that is not a number. */
    static final long NO_NUMBER = Long.MIN_VALUE;

    private final String name;
    private final Map<Field, List<String>> headers;
    private final List<String> prefixes;

    private DeadLetterFormat(String name, Map<Field, List<String>> headers, List<String> prefixes) {
        this.name = name;
        this.headers = headers;
        this.prefixes = prefixes;
    }

    /** Returns the formats that Weir recognizes. */
    public static List<DeadLetterFormat> known() {
        return KNOWN;
    }

    /**
     * Creates a custom format from its header names. Without a timestamp header, the dead-letter record's own timestamp
     * counts as the original's. Without a partition header, a restored record's key determines its partition.
     *
     * @throws IllegalArgumentException if the topic has no header name, a name is blank, or two fields have the same
     *     name
     */
    public static DeadLetterFormat headers(Map<Field, String> names) {
        Map<Field, List<String>> lists = new EnumMap<>(Field.class);
        names.forEach((field, header) -> {
            if (header.isBlank() || lists.containsValue(List.of(header))) {
                throw new IllegalArgumentException("each field needs its own header: " + field + "=" + header);
            }
            lists.put(field, List.of(header));
        });
        if (!lists.containsKey(TOPIC)) {
            throw new IllegalArgumentException("there must be a header that names the topic: headers=" + names);
        }
        return new DeadLetterFormat("headers", lists, List.of());
    }

    /**
     * Returns the name of the format: {@code weir}, {@code spring}, {@code spring-cloud-stream}, {@code connect} or
     * {@code share-group}; {@code headers} for a custom format.
     */
    public String name() {
        return name;
    }

    /** Returns whether dead-letter records omit parts of the original, which must then be fetched. */
    boolean lacksRecord() {
        return equals(SHARE_GROUP);
    }

    /**
     * Returns whether a record has the headers of this format. The topic is always required. In a custom format,
     * numeric headers must also be valid.
     */
    public boolean fits(ConsumerRecord<byte[], byte[]> record) {
        Header topic = header(Objects.requireNonNull(record, "record"), TOPIC);
        return topic != null
                && topic.value().length > 0
                && (KNOWN.contains(this)
                        || Stream.of(PARTITION, OFFSET, TIMESTAMP)
                                .map(field -> header(record, field))
                                .allMatch(each -> each == null || number(each.value()) != NO_NUMBER));
    }

    /**
     * Parses a decimal or, if the format allows it, binary number; otherwise returns {@link #NO_NUMBER}. Plausible
     * binary numbers start with the byte 0 or -1, and UTF-8 text does not.
     */
    long number(byte[] value) {
        try {
            return Long.parseLong(new String(value, UTF_8));
        } catch (NumberFormatException noText) {
            boolean isBinary = mayBeBinary() && value.length > 0 && (value[0] == 0 || value[0] == -1);
            return switch (isBinary ? value.length : 0) {
                case Integer.BYTES -> ByteBuffer.wrap(value).getInt();
                case Long.BYTES -> ByteBuffer.wrap(value).getLong();
                default -> NO_NUMBER;
            };
        }
    }

    private boolean mayBeBinary() {
        return equals(SPRING) || equals(SPRING_CLOUD_STREAM) || !KNOWN.contains(this);
    }

    /** Returns whether a dead-letter record's timestamp is the time of writing, and not the original's timestamp. */
    boolean hasTimestampOfItsOwn() {
        return equals(SPRING) || equals(SPRING_CLOUD_STREAM);
    }

    /** Returns whether a header belongs to the format, and not to the original record. */
    boolean isOurs(String header) {
        return prefixes.stream().anyMatch(header::startsWith)
                || headers.values().stream().anyMatch(names -> names.contains(header));
    }

    List<String> topicHeaders() {
        return Objects.requireNonNull(headers.get(TOPIC));
    }

    /** Returns the index of the last topic header, which is the newest, or -1. */
    int place(Headers of) {
        Header[] all = of.toArray();
        for (int i = all.length - 1; i >= 0; i--) {
            if (topicHeaders().contains(all[i].key())) {
                return i;
            }
        }
        return -1;
    }

    @Nullable
    Header header(ConsumerRecord<byte[], byte[]> deadLetter, Field field) {
        for (String header : headers.getOrDefault(field, List.of())) {
            if (equals(WEIR)) {
                Header last = deadLetter.headers().lastHeader(header);
                return last == null || last.value() == null ? null : last;
            }
            for (Header each : deadLetter.headers().headers(header)) {
                if (each.value() != null) {
                    return each;
                }
            }
        }
        return null;
    }

    @Override
    public String toString() {
        return name;
    }
}
