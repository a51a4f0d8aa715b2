package dev.weir.lean;

import dev.weir.lean.internal.encode.RecordBytes;
import dev.weir.lean.internal.encode.RecordPart;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A record to be sent: its destination, and references to its key and value. Confined to one thread. Meant to be
 * reused: each field keeps its value until it is set again.
 *
 * <p>{@link LeanProducer#send} copies the key and the value, so their bytes may be overwritten once it has returned.
 * Headers, and a key written by an encoder, are copied when they are set.
 */
public final class LeanRecord {

    /**
     * Lets the producer choose the partition. A record with a key goes to the partition determined by the key's hash,
     * as with the official client. Records without a key all go to one partition until its batch is full or has been
     * sent; then the producer switches to another partition.
     */
    public static final int ANY_PARTITION = -1;

    /** Uses the time of sending. Up to 16 consecutive records of a batch get the same time. */
    public static final long NOW = -1;

    private final RecordBytes bytes = new RecordBytes();
    private String topic;
    private int partition = ANY_PARTITION;
    private long timestampMillis = NOW;

    /** Creates a record for any partition of the topic, without key, value or headers. */
    public LeanRecord(String topic) {
        this.topic = Objects.requireNonNull(topic, "topic");
    }

    public LeanRecord topic(String name) {
        topic = Objects.requireNonNull(name, "name");
        return this;
    }

    /**
     * Sets the partition.
     *
     * @param number 0 or more, or {@link #ANY_PARTITION}
     */
    public LeanRecord partition(int number) {
        if (number < ANY_PARTITION) {
            throw new IllegalArgumentException("partition must be at least 0, or ANY_PARTITION: partition=" + number);
        }
        partition = number;
        return this;
    }

    /**
     * Sets the record's timestamp.
     *
     * @param millis milliseconds since the Unix epoch; {@link #NOW} or any negative number for the time of sending
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

    /** Sets the key to the bytes between the buffer's position and limit. Does not change the position or limit. */
    public LeanRecord key(ByteBuffer key) {
        wrap(bytes.key, Objects.requireNonNull(key, "key"));
        return this;
    }

    /**
     * Sets the key to the bytes of a slice, for example one from a {@link LeanConsumer}. If {@code key.isNull()}, the
     * record has no key.
     */
    public LeanRecord key(Slice key) {
        bytes.key.wrap(Objects.requireNonNull(key, "key"));
        return this;
    }

    /**
     * Sets the key to an object. The encoder writes its bytes during this call, because they determine the partition.
     */
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

    /** Sets the value to the bytes between the buffer's position and limit. Does not change the position or limit. */
    public LeanRecord value(ByteBuffer value) {
        wrap(bytes.value, Objects.requireNonNull(value, "value"));
        return this;
    }

    /**
     * Sets the value to the bytes of a slice, for example one from a {@link LeanConsumer}. If {@code value.isNull()},
     * the record has no value.
     */
    public LeanRecord value(Slice value) {
        bytes.value.wrap(Objects.requireNonNull(value, "value"));
        return this;
    }

    /**
     * Sets the value to an object. The encoder writes the object directly into the batch each time this record is
     * passed to {@link LeanProducer#send}.
     */
    public <T> LeanRecord value(T object, RecordEncoder<? super T> encoder) {
        bytes.value.wrap(Objects.requireNonNull(object, "object"), Objects.requireNonNull(encoder, "encoder"));
        return this;
    }

    /** Sets the value to null, which deletes the key in a compacted topic. */
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

    /** Adds a copy of another record's header without allocating. The header's value may be null. */
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
     * Sets key, value and headers from another record. Key and value are kept by reference; headers are copied during
     * this call.
     */
    public LeanRecord content(RecordView record) {
        bytes.show(Objects.requireNonNull(record, "record"));
        return this;
    }

    /**
     * Resets everything except the topic. Afterwards the record has no key, value or headers, its partition is
     * {@link #ANY_PARTITION}, and its timestamp is the time of sending.
     */
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
