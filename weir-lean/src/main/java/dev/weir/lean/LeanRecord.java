package dev.weir.lean;

import dev.weir.lean.internal.encode.RecordBytes;
import dev.weir.lean.internal.encode.RecordPart;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A record to be sent: its destination, and references to its key and value. Confined to one thread. Meant to be reused
 * for the next record, which keeps every field that is not set again.
 *
 * <p>Keys and values are copied by {@link LeanProducer#send}; after it returns their bytes may be overwritten. Headers
 * are copied at once, and so is a key written by an encoder.
 */
public final class LeanRecord {

    /** Chooses the partition by key, as the official client does; without a key, one partition per batch. */
    public static final int ANY_PARTITION = -1;

    /**
     * Uses the time of sending. The clock is read at the start of a batch and for every 16th record, so the time may be
     * late by the duration of 16 records.
     */
    public static final long NOW = -1;

    private final RecordBytes bytes = new RecordBytes();
    private String topic;
    private int partition = ANY_PARTITION;
    private long timestampMillis = NOW;

    /** Creates a record without key, value and headers, for any partition of the topic. */
    public LeanRecord(String topic) {
        this.topic = Objects.requireNonNull(topic, "topic");
    }

    public LeanRecord topic(String name) {
        topic = Objects.requireNonNull(name, "name");
        return this;
    }

    /**
     * Chooses the partition.
     *
     * @param number from 0 on, or {@link #ANY_PARTITION}
     */
    public LeanRecord partition(int number) {
        if (number < ANY_PARTITION) {
            throw new IllegalArgumentException("partition must be at least 0, or ANY_PARTITION: partition=" + number);
        }
        partition = number;
        return this;
    }

    /**
     * Sets the record's time.
     *
     * @param millis since 1970, or {@link #NOW}; any other negative number counts as {@link #NOW}, since brokers accept
     *     records with such timestamps
     */
    public LeanRecord timestamp(long millis) {
        timestampMillis = Math.max(millis, NOW);
        return this;
    }

    public LeanRecord key(byte[] key) {
        wrap(bytes.key, Objects.requireNonNull(key, "key"));
        return this;
    }

    public LeanRecord key(byte[] array, int offset, int length) {
        bytes.key.wrap(Objects.requireNonNull(array, "array"), offset, length);
        return this;
    }

    /** Sets the key: the bytes from the buffer's position to its limit; neither moves. */
    public LeanRecord key(ByteBuffer key) {
        wrap(bytes.key, Objects.requireNonNull(key, "key"));
        return this;
    }

    /** Sets the key to a slice, such as one from a {@link LeanConsumer}; may be a null key. */
    public LeanRecord key(Slice key) {
        bytes.key.wrap(Objects.requireNonNull(key, "key"));
        return this;
    }

    /** Sets the key to an object's encoded bytes, written at once because they choose the partition. */
    public <T> LeanRecord key(T object, RecordEncoder<? super T> encoder) {
        bytes.encodeKey(Objects.requireNonNull(object, "object"), Objects.requireNonNull(encoder, "encoder"));
        return this;
    }

    public LeanRecord noKey() {
        bytes.key.clear();
        return this;
    }

    public LeanRecord value(byte[] value) {
        wrap(bytes.value, Objects.requireNonNull(value, "value"));
        return this;
    }

    public LeanRecord value(byte[] array, int offset, int length) {
        bytes.value.wrap(Objects.requireNonNull(array, "array"), offset, length);
        return this;
    }

    /** Sets the value: the bytes from the buffer's position to its limit; neither moves. */
    public LeanRecord value(ByteBuffer value) {
        wrap(bytes.value, Objects.requireNonNull(value, "value"));
        return this;
    }

    /** Sets the value to a slice, such as one from a {@link LeanConsumer}; may be a null value. */
    public LeanRecord value(Slice value) {
        bytes.value.wrap(Objects.requireNonNull(value, "value"));
        return this;
    }

    /**
     * Sets the value to an object, which the encoder writes directly into the batch: within {@link LeanProducer#send},
     * and again whenever the record is sent again.
     */
    public <T> LeanRecord value(T object, RecordEncoder<? super T> encoder) {
        bytes.value.wrap(Objects.requireNonNull(object, "object"), Objects.requireNonNull(encoder, "encoder"));
        return this;
    }

    /** Sets a null value, which deletes the key in a compacted topic. */
    public LeanRecord noValue() {
        bytes.value.clear();
        return this;
    }

    /** Adds a header, whose value may be null. */
    public LeanRecord header(String name, byte @Nullable [] value) {
        wrap(bytes.headerName(), Objects.requireNonNull(name, "name").getBytes(StandardCharsets.UTF_8));
        if (value == null) {
            bytes.headerValue().clear();
        } else {
            wrap(bytes.headerValue(), value);
        }
        bytes.addHeader();
        return this;
    }

    /** Adds a header of another record without allocating; the value may be null. */
    public LeanRecord header(Slice name, Slice value) {
        Objects.requireNonNull(value, "value");
        if (Objects.requireNonNull(name, "name").isNull()) {
            throw new IllegalArgumentException("a header's name must not be null");
        }
        bytes.headerName().wrap(name);
        bytes.headerValue().wrap(value);
        bytes.addHeader();
        return this;
    }

    /**
     * Sets key, value and headers from another record, by reference except for the headers, which are copied at once.
     */
    public LeanRecord content(RecordView record) {
        bytes.show(Objects.requireNonNull(record, "record"));
        return this;
    }

    /** Resets everything but the topic: no key, value or headers, any partition, time of sending. */
    public LeanRecord reset() {
        partition = ANY_PARTITION;
        timestampMillis = NOW;
        return noKey().noValue().noHeaders();
    }

    /** Removes all headers. */
    public LeanRecord noHeaders() {
        bytes.clearHeaders();
        return this;
    }

    String topic() {
        return topic;
    }

    int partition() {
        return partition;
    }

    long timestampMillis() {
        return timestampMillis;
    }

    RecordBytes bytes() {
        return bytes;
    }

    private static void wrap(RecordPart part, byte[] array) {
        part.wrap(array, 0, array.length);
    }

    private static void wrap(RecordPart part, ByteBuffer buffer) {
        part.wrap(buffer, buffer.position(), buffer.remaining());
    }
}
