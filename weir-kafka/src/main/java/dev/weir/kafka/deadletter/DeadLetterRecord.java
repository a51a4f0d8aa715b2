package dev.weir.kafka.deadletter;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.weir.kafka.deadletter.DeadLetterFormat.Field;
import dev.weir.kafka.produce.RecordTimestamps;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.header.Header;
import org.jspecify.annotations.Nullable;

/**
 * A dead-letter record in any supported format: its origin, the failure, and the original record. Immutable, except for
 * the byte arrays, which must not be modified.
 *
 * {@snippet :
 * // Written by Weir, Spring Kafka, Kafka Connect or a broker for a share group.
 * DeadLetterRecord deadLetter = DeadLetterRecord.read(consumed);
 * if (deadLetter.lacksRecord()) {
 *     switch (originals.find(deadLetter)) { // a broker's dead-letter record is little more than an offset
 *         case OriginalRecords.Found found -> deadLetter = found.deadLetter();
 *         case OriginalRecords.Gone gone -> throw new NoSuchElementException(gone.why());
 *     }
 * }
 * producer.send(deadLetter.restored());
 * }
 */
public final class DeadLetterRecord {

    /** The value of {@link #partition} and {@link #offset} if the dead-letter record does not contain them. */
    public static final int UNKNOWN = -1;

    private final ConsumerRecord<byte[], byte[]> record;
    private final DeadLetterFormat format;
    private final String topic;
    private final int partition;
    private final long offset;
    private final @Nullable ConsumerRecord<byte[], byte[]> original;

    private DeadLetterRecord(
            ConsumerRecord<byte[], byte[]> record,
            DeadLetterFormat format,
            String topic,
            int partition,
            long offset,
            @Nullable ConsumerRecord<byte[], byte[]> original) {
        this.record = record;
        this.format = format;
        this.topic = topic;
        this.partition = partition;
        this.offset = offset;
        this.original = original;
    }

    /**
     * Reads a dead-letter record in any {@linkplain DeadLetterFormat#known known format}. If it has headers of several
     * formats, the format with the last topic header is used.
     *
     * @param record the record consumed from the dead-letter topic
     * @throws IllegalArgumentException if no format matches, a header for the origin is missing or invalid, or a time
     *     in a header cannot be parsed
     */
    public static DeadLetterRecord read(ConsumerRecord<byte[], byte[]> record) {
        Objects.requireNonNull(record, "record");
        DeadLetterFormat last = DeadLetterFormat.known().stream()
                .max(Comparator.comparingInt(format -> format.place(record.headers())))
                .orElseThrow();
        if (last.place(record.headers()) < 0) {
            throw new IllegalArgumentException(
                    place(record) + " is not a dead-letter record of a known format: it has none of the"
                            + " headers "
                            + String.join(
                                    ", ",
                                    DeadLetterFormat.known().stream()
                                            .flatMap(format -> format.topicHeaders().stream())
                                            .toList()));
        }
        return read(record, last);
    }

    /**
     * Reads a dead-letter record in the given format.
     *
     * @throws IllegalArgumentException if a header for the origin is missing or invalid, or a time in a header cannot
     *     be parsed
     */
    public static DeadLetterRecord read(ConsumerRecord<byte[], byte[]> record, DeadLetterFormat format) {
        Objects.requireNonNull(record, "record");
        Objects.requireNonNull(format, "format");
        Header topic = format.header(record, Field.TOPIC);
        if (topic == null || topic.value().length == 0) {
            throw new IllegalArgumentException(place(record) + " is not a dead-letter record of format " + format
                    + ": it has no header " + String.join(" or ", format.topicHeaders()));
        }
        long partition = number(record, format, Field.PARTITION, Integer.MAX_VALUE);
        long offset = number(record, format, Field.OFFSET, Long.MAX_VALUE);
        boolean mustSayWhere = format.lacksRecord() || format.equals(DeadLetterFormat.WEIR);
        if (mustSayWhere && (partition == UNKNOWN || offset == UNKNOWN)) {
            throw new IllegalArgumentException(place(record) + " is a dead-letter record of format " + format
                    + " that does not say from which partition and offset");
        }
        checkTimes(record, format);
        return new DeadLetterRecord(record, format, new String(topic.value(), UTF_8), (int) partition, offset, null);
    }

    private static long number(ConsumerRecord<byte[], byte[]> record, DeadLetterFormat format, Field field, long max) {
        Header header = format.header(record, field);
        if (header == null) {
            return UNKNOWN;
        }
        long number = format.number(header.value());
        if (number < 0 || number > max) {
            throw new IllegalArgumentException(place(record) + " cannot be read: its header " + header.key()
                    + " is not a number from 0 to " + max);
        }
        return number;
    }

    /** Rejects times that cannot be parsed. Ignoring them would give the original record a wrong time. */
    private static void checkTimes(ConsumerRecord<byte[], byte[]> record, DeadLetterFormat format) {
        Header timestamp = format.header(record, Field.TIMESTAMP);
        if (timestamp != null && format.number(timestamp.value()) == DeadLetterFormat.NO_NUMBER) {
            throw new IllegalArgumentException(place(record) + " cannot be read: its header " + timestamp.key()
                    + " is not a timestamp in milliseconds since 1970");
        }
        Header time = format.header(record, Field.TIME);
        // Weir's own time header is only informational.
        if (time != null && !format.equals(DeadLetterFormat.WEIR)) {
            try {
                instant(time.value(), format);
            } catch (DateTimeException wrong) {
                throw new IllegalArgumentException(
                        place(record) + " cannot be read: its header " + time.key()
                                + " is not a time: ISO 8601 as in 2026-11-23T08:00:00Z, or milliseconds since 1970",
                        wrong);
            }
        }
    }

    private static Instant instant(byte[] value, DeadLetterFormat format) {
        long millis = format.number(value);
        return millis < 0 ? Instant.parse(new String(value, UTF_8)) : Instant.ofEpochMilli(millis);
    }

    private static String place(ConsumerRecord<byte[], byte[]> record) {
        return record.topic() + "-" + record.partition() + "@" + record.offset();
    }

    /** Returns a copy that also contains the original record. */
    DeadLetterRecord with(ConsumerRecord<byte[], byte[]> found) {
        return new DeadLetterRecord(record, format, topic, partition, offset, found);
    }

    /** The dead-letter record as it was consumed. */
    public ConsumerRecord<byte[], byte[]> record() {
        return record;
    }

    /** The format, which shows the writer. */
    public DeadLetterFormat format() {
        return format;
    }

    /** The topic from which the record was consumed. */
    public String topic() {
        return topic;
    }

    /** The partition from which the record was consumed, or {@link #UNKNOWN}. */
    public int partition() {
        return partition;
    }

    /** The record's offset in this partition, or {@link #UNKNOWN}. */
    public long offset() {
        return offset;
    }

    /** Returns the origin of the record as text, such as {@code orders-3@17}. */
    public String origin() {
        return topic + "-" + (partition == UNKNOWN ? "?" : partition) + "@" + (offset == UNKNOWN ? "?" : offset);
    }

    /** Returns the text of a field, or null if the dead-letter record does not contain it. */
    public @Nullable String text(Field field) {
        Header header = format.header(record, Objects.requireNonNull(field, "field"));
        if (header == null) {
            return null;
        }
        return switch (field) {
            case PARTITION, OFFSET, TIMESTAMP, ATTEMPTS -> {
                long number = format.number(header.value());
                yield number < 0 ? null : Long.toString(number);
            }
            case TIME -> {
                String said = new String(header.value(), UTF_8);
                long millis = format.number(header.value());
                boolean isBinary = millis >= 0 && !said.equals(Long.toString(millis));
                yield isBinary ? Instant.ofEpochMilli(millis).toString() : said;
            }
            default -> new String(header.value(), UTF_8);
        };
    }

    /**
     * Returns the text of the last header with this name, or null. Searches the dead-letter record, and then the
     * original if it was found.
     */
    public @Nullable String header(String name) {
        Objects.requireNonNull(name, "name");
        Header header = record.headers().lastHeader(name);
        if (header == null && original != null) {
            header = original.headers().lastHeader(name);
        }
        return header == null || header.value() == null ? null : new String(header.value(), UTF_8);
    }

    /**
     * Returns the time when the record failed permanently; without such a header, the timestamp of the dead-letter
     * record, which some writers, such as Kafka Connect, copy from the original record.
     */
    public Instant time() {
        Header said = format.header(record, Field.TIME);
        if (said != null) {
            try {
                return instant(said.value(), format);
            } catch (DateTimeException wrong) {
                // Only Weir's own format can have an invalid time here. Treat it as absent.
            }
        }
        return Instant.ofEpochMilli(record.timestamp());
    }

    /** Returns whether {@link OriginalRecords} must complete the dead-letter record before it can be restored. */
    public boolean lacksRecord() {
        return format.lacksRecord() && original == null;
    }

    /** Returns a description of missing parts of the original, or null if it is complete. */
    public @Nullable String missing() {
        if (!format.equals(DeadLetterFormat.WEIR)) {
            return null;
        }
        String batch = header(DeadLetterHeaders.BATCH);
        return batch == null
                ? header(DeadLetterHeaders.CUT)
                : "its records, of offsets " + batch + ": it is their batch";
    }

    /** Returns whether no part of the record is {@linkplain #missing missing}. */
    public boolean isWhole() {
        return missing() == null;
    }

    /** Returns the record's key; null if it has none, or if {@linkplain #lacksRecord the original is missing}. */
    public byte @Nullable [] key() {
        return whole().key();
    }

    private ConsumerRecord<byte[], byte[]> whole() {
        return original == null ? record : original;
    }

    /** Returns the headers of the original record. */
    public List<Header> originalHeaders() {
        List<Header> headers = new ArrayList<>();
        for (Header header : whole().headers()) {
            if (original != null || !format.isOurs(header.key())) {
                headers.add(header);
            }
        }
        return headers;
    }

    /**
     * Returns the original timestamp in milliseconds, or null if it is unknown or negative. Brokers store negative
     * timestamps, but producers reject them.
     */
    public @Nullable Long timestamp() {
        String said = text(Field.TIMESTAMP);
        if (said != null) {
            return RecordTimestamps.orNone(Long.parseLong(said));
        }
        // Spring, the brokers and Weir set the timestamp to the time of writing. Records written by Weir have a
        // timestamp or time header.
        boolean isTimeOfWriting = format.hasTimestampOfItsOwn()
                || lacksRecord()
                || (format.equals(DeadLetterFormat.WEIR) && (has(Field.TIMESTAMP) || has(Field.TIME)));
        return isTimeOfWriting ? null : RecordTimestamps.of(whole());
    }

    private boolean has(Field field) {
        return format.header(record, field) != null;
    }

    /**
     * Returns the original record, addressed to its original topic and partition. An
     * {@linkplain DeadLetterHeaders#OUTPUT output record} is addressed to its output topic, and its key determines the
     * partition.
     *
     * @throws IllegalStateException if the dead-letter record {@linkplain #lacksRecord does not contain the original}
     */
    public ProducerRecord<byte[], byte[]> restored() {
        String output = format.equals(DeadLetterFormat.WEIR) ? header(DeadLetterHeaders.OUTPUT) : null;
        return output == null ? restored(topic, partition == UNKNOWN ? null : partition) : restoredTo(output);
    }

    /**
     * Returns the original record, addressed to another topic. Its key determines the partition.
     *
     * @throws IllegalStateException if the dead-letter record {@linkplain #lacksRecord does not contain the original}
     */
    public ProducerRecord<byte[], byte[]> restoredTo(String otherTopic) {
        return restored(Objects.requireNonNull(otherTopic, "otherTopic"), null);
    }

    private ProducerRecord<byte[], byte[]> restored(String to, @Nullable Integer toPartition) {
        if (lacksRecord()) {
            throw new IllegalStateException("the dead-letter record of " + origin()
                    + " lacks its original: complete it by OriginalRecords.find");
        }
        return new ProducerRecord<>(to, toPartition, timestamp(), whole().key(), whole().value(), originalHeaders());
    }

    @Override
    public String toString() {
        return "dead-letter record of " + origin() + " (" + format + ")";
    }
}
