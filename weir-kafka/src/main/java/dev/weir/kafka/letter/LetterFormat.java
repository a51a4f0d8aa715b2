package dev.weir.kafka.letter;

import static dev.weir.kafka.letter.LetterFormat.Field.ATTEMPTS;
import static dev.weir.kafka.letter.LetterFormat.Field.CAUSE;
import static dev.weir.kafka.letter.LetterFormat.Field.GROUP;
import static dev.weir.kafka.letter.LetterFormat.Field.MESSAGE;
import static dev.weir.kafka.letter.LetterFormat.Field.OFFSET;
import static dev.weir.kafka.letter.LetterFormat.Field.PARTITION;
import static dev.weir.kafka.letter.LetterFormat.Field.REASON;
import static dev.weir.kafka.letter.LetterFormat.Field.TIME;
import static dev.weir.kafka.letter.LetterFormat.Field.TIMESTAMP;
import static dev.weir.kafka.letter.LetterFormat.Field.TOPIC;
import static java.nio.charset.StandardCharsets.UTF_8;

import dev.weir.kafka.DeadLetter;
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
 * Format of a writer's dead-letter records: the headers that say where a record came from and why it failed. Immutable.
 *
 * <p>Values are text in UTF-8. In letters of Spring Kafka, of Spring Cloud Stream and of a format of your own, a number
 * may be binary as well: four or eight bytes, the highest first.
 */
public final class LetterFormat {

    // Where a letter has a header twice, as Spring Kafka's have that went through several topics, the first counts:
    // it is of the topic in which the record was first.
    //
    // Sources: DeadLetterPublishingRecoverer, DeadLetterPublishingRecovererFactory and KafkaHeaders of Spring Kafka
    // 4.1; KafkaMessageChannelBinder of Spring Cloud Stream 5.0; DeadLetterQueueReporter of Kafka Connect 4.4;
    // ShareGroupDLQStateManager of Kafka's brokers 4.4 (KIP-1191).

    /** One thing that a letter may say. */
    public enum Field {
        /** The topic that the record came from; a letter without it cannot be read. */
        TOPIC,

        /** The partition that it came from. */
        PARTITION,

        /** Its offset there. */
        OFFSET,

        /** Its own timestamp, in milliseconds since 1970. */
        TIMESTAMP,

        /** The step that failed. */
        REASON,

        /** The class of the exception. */
        CAUSE,

        /** The message of the exception. */
        MESSAGE,

        /** The number of attempts. */
        ATTEMPTS,

        /** The consumer group that gave it up. */
        GROUP,

        /** The time when that was: ISO 8601 with a zone, or milliseconds since 1970. */
        TIME
    }

    /** Letters of Weir; {@link DeadLetter}. */
    public static final LetterFormat WEIR = new LetterFormat(
            "weir",
            Map.of(
                    TOPIC, List.of(DeadLetter.TOPIC),
                    PARTITION, List.of(DeadLetter.PARTITION),
                    OFFSET, List.of(DeadLetter.OFFSET),
                    TIMESTAMP, List.of(DeadLetter.TIMESTAMP),
                    REASON, List.of(DeadLetter.REASON),
                    CAUSE, List.of(DeadLetter.CAUSE),
                    MESSAGE, List.of(DeadLetter.MESSAGE),
                    ATTEMPTS, List.of(DeadLetter.ATTEMPTS),
                    GROUP, List.of(DeadLetter.GROUP),
                    TIME, List.of(DeadLetter.TIME)),
            List.of(DeadLetter.PREFIX, RetryTopics.PREFIX));

    /**
     * Letters of Spring Kafka: of {@code DeadLetterPublishingRecoverer}, and of {@code @RetryableTopic}. Key and
     * value are what its template's serializers have made of the record.
     */
    public static final LetterFormat SPRING = new LetterFormat(
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
     * Letters of the Kafka binder of Spring Cloud Stream with {@code enableDlq}. Key and value are those of the record.
     */
    public static final LetterFormat SPRING_CLOUD_STREAM = new LetterFormat(
            "spring-cloud-stream",
            Map.of(
                    TOPIC, List.of("x-original-topic"),
                    PARTITION, List.of("x-original-partition"),
                    OFFSET, List.of("x-original-offset"),
                    TIMESTAMP, List.of("x-original-timestamp"),
                    CAUSE, List.of("x-exception-fqcn"),
                    MESSAGE, List.of("x-exception-message")),
            List.of("x-original-timestamp-type", "x-exception-stacktrace"));

    /** Letters of sink connectors of Kafka Connect with {@code errors.deadletterqueue.context.headers.enable=true}. */
    public static final LetterFormat CONNECT = new LetterFormat(
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
     * Letters that brokers write for share groups ({@code errors.deadletterqueue.topic.name}). They have none of the
     * record's headers, and its key and value only if the group copies them: {@link Originals} fetches the record
     * itself.
     */
    public static final LetterFormat SHARE_GROUP = new LetterFormat(
            "share-group",
            Map.of(
                    TOPIC, List.of("__dlq.errors.topic"),
                    PARTITION, List.of("__dlq.errors.partition"),
                    OFFSET, List.of("__dlq.errors.offset"),
                    MESSAGE, List.of("__dlq.errors.message"),
                    ATTEMPTS, List.of("__dlq.errors.delivery.count"),
                    GROUP, List.of("__dlq.errors.group")),
            List.of("__dlq.errors."));

    private static final List<LetterFormat> KNOWN = List.of(WEIR, SPRING, SPRING_CLOUD_STREAM, CONNECT, SHARE_GROUP);

    /** The answer of {@link #number} for a value that is no number. */
    static final long NO_NUMBER = Long.MIN_VALUE;

    private final String name;
    private final Map<Field, List<String>> headers;
    private final List<String> prefixes;

    private LetterFormat(String name, Map<Field, List<String>> headers, List<String> prefixes) {
        this.name = name;
        this.headers = headers;
        this.prefixes = prefixes;
    }

    /** The formats that are recognised by themselves. */
    public static List<LetterFormat> known() {
        return KNOWN;
    }

    /**
     * A format of your own: the names of its headers. Without a header for the timestamp the letter's own is the
     * record's; without one for the partition, or a letter without it, the key chooses the partition.
     *
     * @throws IllegalArgumentException if there is none for the topic, one is blank, or two fields have the same
     */
    public static LetterFormat headers(Map<Field, String> names) {
        Map<Field, List<String>> lists = new EnumMap<>(Field.class);
        names.forEach((field, header) -> {
            if (header.isBlank() || lists.containsValue(List.of(header))) {
                throw new IllegalArgumentException("each field needs a header of its own: " + field + "=" + header);
            }
            lists.put(field, List.of(header));
        });
        if (!lists.containsKey(TOPIC)) {
            throw new IllegalArgumentException("there must be a header that names the topic: headers=" + names);
        }
        return new LetterFormat("headers", lists, List.of());
    }

    /**
     * One word: {@code weir}, {@code spring}, {@code spring-cloud-stream}, {@code connect}, {@code share-group};
     * {@code headers} for your own.
     */
    public String name() {
        return name;
    }

    /** Returns whether letters lack what the record had, so that it is to be fetched where it came from. */
    boolean lacksRecord() {
        return equals(SHARE_GROUP);
    }

    /**
     * Returns true if a record carries the headers of this format: the topic, and numbers where a format of your own
     * names headers with numbers. If it does and {@link Letter#read} still refuses it, the record is at fault; if it
     * does not, the format may be the wrong one.
     */
    public boolean fits(ConsumerRecord<byte[], byte[]> record) {
        Header topic = header(record, TOPIC);
        return topic != null
                && topic.value().length > 0
                && (KNOWN.contains(this)
                        || Stream.of(PARTITION, OFFSET, TIMESTAMP)
                                .map(field -> header(record, field))
                                .allMatch(each -> each == null || number(each.value()) != NO_NUMBER));
    }

    /**
     * A number in decimal, or in binary where the format may have that; {@link #NO_NUMBER} if it is neither. Four or
     * eight letters of text are no binary number: the highest byte of a plausible one is 0, or -1 if it is negative,
     * and text in UTF-8 begins with neither.
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

    /** Returns whether the timestamp of a letter is the time at which it was written, and not that of its record. */
    boolean hasTimestampOfItsOwn() {
        return equals(SPRING) || equals(SPRING_CLOUD_STREAM);
    }

    /** Returns whether the writer of letters has put in a header of this name. */
    boolean isOurs(String header) {
        return prefixes.stream().anyMatch(header::startsWith)
                || headers.values().stream().anyMatch(names -> names.contains(header));
    }

    /** The headers that may name the topic, for messages. */
    List<String> topicHeaders() {
        return Objects.requireNonNull(headers.get(TOPIC));
    }

    /** The index of the header with the topic among all of a letter, or -1: the last writer's is behind the others. */
    int place(Headers of) {
        Header[] all = of.toArray();
        for (int i = all.length - 1; i >= 0; i--) {
            if (topicHeaders().contains(all[i].key())) {
                return i;
            }
        }
        return -1;
    }

    /** The header with a field, or null. */
    @Nullable
    Header header(ConsumerRecord<byte[], byte[]> letter, Field field) {
        for (String header : headers.getOrDefault(field, List.of())) {
            for (Header each : letter.headers().headers(header)) {
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
