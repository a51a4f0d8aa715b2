package dev.weir.kafka;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.weir.kafka.produce.RecordTimestamps;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.header.Header;
import org.jspecify.annotations.Nullable;

/**
 * A record read from a dead-letter topic: the original record, its origin, and the reason. Immutable, except for the
 * byte arrays, which must not be changed. Header values are UTF-8 text, numbers in decimal.
 *
 * @param letter the dead-letter record as consumed
 * @param topic where the record came from
 * @param partition where the record came from
 * @param offset where the record came from
 * @param timestamp the record's own, or null if it had none
 */
public record DeadLetter(
        ConsumerRecord<byte[], byte[]> letter,
        String topic,
        int partition,
        long offset,
        @Nullable Long timestamp) {

    /** Prefix of the headers that Weir adds to the original ones. */
    public static final String PREFIX = "weir-dlq-";

    /**
     * Header: the step that failed, a name of {@link FailedRecord.Reason}, or the text of another writer of dead-letter
     * records.
     */
    public static final String REASON = PREFIX + "reason";

    /** Header: the class of the exception. */
    public static final String CAUSE = PREFIX + "cause";

    /** Header: the exception's message, cut after 1,024 characters. */
    public static final String MESSAGE = PREFIX + "message";

    /** Header: the stack trace, cut after 4,096 characters. */
    public static final String STACK = PREFIX + "stack";

    /** Header: how often the handler was called for the record, over all deliveries. */
    public static final String ATTEMPTS = PREFIX + "attempts";

    /** Header: the topic that the record came from. */
    public static final String TOPIC = PREFIX + "topic";

    /** Header: the partition that the record came from. */
    public static final String PARTITION = PREFIX + "partition";

    /** Header: the record's offset there. */
    public static final String OFFSET = PREFIX + "offset";

    /** Header: the record's timestamp, in milliseconds; absent if it had none, or a negative one. */
    public static final String TIMESTAMP = PREFIX + "timestamp";

    /** Header: the consumer group that gave up on the record; absent if not known. */
    public static final String GROUP = PREFIX + "group";

    /** Header: when it was given up, as ISO 8601 in UTC. */
    public static final String TIME = PREFIX + "time";

    /**
     * Header: the sizes of the parts left out because the dead-letter record was too large for its topic; absent if it
     * is whole.
     */
    public static final String CUT = PREFIX + "cut";

    /**
     * Header: the output topic, if the dead-letter record contains an output record made from the consumed one; absent
     * otherwise.
     */
    public static final String OUTPUT = PREFIX + "output";

    /**
     * Header: the first and last offset of a batch that could not be read, as {@code 5-204}. The value is then the
     * batch as the broker stored it, or null if it was too large. Such a dead-letter record must not be sent back.
     * Absent otherwise.
     */
    public static final String BATCH = PREFIX + "batch";

    /** Refuses null in every component except the timestamp. */
    public DeadLetter {
        Objects.requireNonNull(letter, "letter");
        Objects.requireNonNull(topic, "topic");
    }

    /**
     * Reads a dead-letter record.
     *
     * @throws IllegalArgumentException if a header for the origin is missing, is not a number, or is out of range
     */
    public static DeadLetter read(ConsumerRecord<byte[], byte[]> letter) {
        String timestamp = text(letter, TIMESTAMP);
        // Writers that do not record the time of failure keep the record's own timestamp.
        Long otherwise = text(letter, TIME) == null ? RecordTimestamps.of(letter) : null;
        return new DeadLetter(
                letter,
                required(letter, TOPIC),
                partition(letter),
                number(letter, OFFSET, required(letter, OFFSET)),
                timestamp == null ? otherwise : RecordTimestamps.orNone(number(letter, TIMESTAMP, timestamp)));
    }

    private static int partition(ConsumerRecord<byte[], byte[]> letter) {
        String text = required(letter, PARTITION);
        long number = number(letter, PARTITION, text);
        if (number < 0 || number > Integer.MAX_VALUE) {
            throw new IllegalArgumentException(place(letter) + " cannot be read: its header " + PARTITION
                    + " is no number from 0 to " + Integer.MAX_VALUE + ": " + text);
        }
        return (int) number;
    }

    private static String required(ConsumerRecord<byte[], byte[]> letter, String name) {
        String text = text(letter, name);
        if (text == null) {
            throw new IllegalArgumentException(place(letter) + " is no dead letter of Weir: it has no header " + name);
        }
        return text;
    }

    private static long number(ConsumerRecord<byte[], byte[]> letter, String name, String text) {
        try {
            return Long.parseLong(text);
        } catch (NumberFormatException e) {
            throw new IllegalArgumentException(
                    place(letter) + " is no dead letter of Weir: its header " + name + " is no number: " + text, e);
        }
    }

    private static String place(ConsumerRecord<byte[], byte[]> letter) {
        return letter.topic() + "-" + letter.partition() + "@" + letter.offset();
    }

    private static @Nullable String text(ConsumerRecord<byte[], byte[]> letter, String name) {
        Header header = letter.headers().lastHeader(name);
        return header == null || header.value() == null ? null : new String(header.value(), UTF_8);
    }

    /** The value of one of the headers above, or null if the dead-letter record has no such header. */
    public @Nullable String header(String name) {
        return text(letter, Objects.requireNonNull(name, "name"));
    }

    /**
     * Returns whether the dead-letter record has everything the original had. If not, its value can be read only at its
     * origin, or it is a {@linkplain #BATCH batch}.
     */
    public boolean isWhole() {
        return header(CUT) == null && header(BATCH) == null;
    }

    /** The headers of the original record. */
    public List<Header> originalHeaders() {
        List<Header> original = new ArrayList<>();
        for (Header header : letter.headers()) {
            if (!isOurs(header.key())) {
                original.add(header);
            }
        }
        return original;
    }

    /** Returns whether Weir added a header of this name. */
    public static boolean isOurs(String header) {
        return header.startsWith(PREFIX) || header.startsWith(RetryTopics.PREFIX);
    }

    /**
     * The original record, for the partition it came from; an {@linkplain #OUTPUT output record}, for its output topic.
     */
    public ProducerRecord<byte[], byte[]> restored() {
        String output = header(OUTPUT);
        if (output != null) {
            return restoredTo(output);
        }
        return new ProducerRecord<>(topic, partition, timestamp, letter.key(), letter.value(), originalHeaders());
    }

    /** The original record, for another topic; its key chooses the partition. */
    public ProducerRecord<byte[], byte[]> restoredTo(String otherTopic) {
        return new ProducerRecord<>(
                Objects.requireNonNull(otherTopic, "otherTopic"),
                null,
                timestamp,
                letter.key(),
                letter.value(),
                originalHeaders());
    }
}
