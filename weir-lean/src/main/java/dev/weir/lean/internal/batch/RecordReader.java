package dev.weir.lean.internal.batch;

import dev.weir.lean.CorruptBatchException;
import dev.weir.lean.HeadersView;
import dev.weir.lean.RecordView;
import dev.weir.lean.Slice;
import dev.weir.lean.internal.wire.VarInts;
import java.nio.ByteBuffer;
import java.util.Optional;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.apache.kafka.common.record.TimestampType;
import org.jspecify.annotations.Nullable;

/**
 * Iterates over the records of one batch. Provides access to the current record as a {@link RecordView}. {@link
 * BatchLayout} describes the layout of a record. All lengths in a record are checked before the record can be read.
 * Confined to one thread; allocates nothing.
 */
public final class RecordReader implements RecordView {

    private static final ByteBuffer NOTHING = ByteBuffer.allocateDirect(0);

    private static final int BITS = 7;
    private static final int LOW = 0x7f;

    /** Shift distance from the highest byte of a long to its lowest byte. */
    private static final int TOP = Long.SIZE - Byte.SIZE;

    /** Encoded length of a null key or value (-1). */
    private static final int NULL = 1;

    private final Slice key = new Slice();
    private final Slice value = new Slice();
    private final HeadersReader headers = new HeadersReader(this, NOTHING);

    // The partition
    private String topic = "";
    private int partition;
    private int index;

    // The batch
    private ByteBuffer bytes = NOTHING;
    private int begin;
    private int end;
    private int left;
    private long baseOffset;
    private int lastDelta;
    private long fromOffset;
    private long baseTimestamp;
    private long appendTimestamp;
    private TimestampType timestampType = TimestampType.NO_TIMESTAMP_TYPE;
    private int leaderEpoch;

    // The current record: its end, its offset, and the positions of fields that are decoded on access
    private int at;
    private long offset;
    private int timeAt;
    private int keyAt;
    private int headersAt;

    /** Position after the number that {@link #longer} decoded. */
    private int behind;

    void of(String newTopic, int newPartition, int newIndex) {
        this.topic = newTopic;
        this.partition = newPartition;
        this.index = newIndex;
    }

    /**
     * Starts reading a batch. The first call of {@link #next} moves to the first record at or after
     * {@code newFromOffset}.
     *
     * @param header contains the batch's header at {@code headerAt}
     * @param records contains the decompressed records from {@code from} to {@code to}
     */
    void start(ByteBuffer header, int headerAt, ByteBuffer records, int from, int to, long newFromOffset) {
        bytes = records;
        begin = from;
        at = from;
        end = to;
        left = BatchLayout.recordCount(header, headerAt);
        baseOffset = BatchLayout.baseOffset(header, headerAt);
        lastDelta = BatchLayout.lastOffsetDelta(header, headerAt);
        fromOffset = newFromOffset;
        baseTimestamp = BatchLayout.baseTimestamp(header, headerAt);
        appendTimestamp = BatchLayout.maxTimestamp(header, headerAt);
        boolean appended = (BatchLayout.attributes(header, headerAt) & BatchReader.APPEND_TIME) != 0;
        timestampType = appended ? TimestampType.LOG_APPEND_TIME : TimestampType.CREATE_TIME;
        leaderEpoch = BatchLayout.leaderEpoch(header, headerAt);
        offset = baseOffset - 1;
    }

    /** Size of all records in the batch, including skipped ones. */
    int allBytes() {
        return end - begin;
    }

    void copyAll(ByteBuffer to, int toAt) {
        to.put(toAt, bytes, begin, end - begin);
    }

    void stop() {
        left = 0;
        begin = 0;
        at = 0;
        end = 0;
        bytes = NOTHING;
        value.wrap(NOTHING, 0, -1);
    }

    /** Moves to the next record. Returns false if there is none. */
    public boolean next() {
        try {
            while (left > 0) {
                left--;
                at = parse(bytes, at, end);
                if (offset >= fromOffset) {
                    return true;
                }
            }
        } catch (IndexOutOfBoundsException e) {
            throw corrupt("a record beyond its batch", e);
        }
        if (at != end) {
            throw corrupt((end - at) + " bytes behind the last record", null);
        }
        return false;
    }

    private int parse(ByteBuffer from, int start, int limit) {
        int p = start;
        int raw = from.get(p++);
        if (raw < 0) {
            int second = from.get(p++);
            raw = (raw & LOW) | (second << BITS);
            if (second < 0) {
                long packed = VarInts.unsigned(from, start);
                raw = VarInts.value(packed);
                p = VarInts.next(packed);
            }
        }
        int length = zigZag(raw);
        if (length < 0 || length > limit - p) {
            throw corrupt("a record of " + length + " bytes in " + (limit - p), null);
        }
        int recordEnd = p + length;
        if (recordEnd != limit && left == 0) {
            throw corrupt((limit - recordEnd) + " bytes behind the last record", null);
        }
        timeAt = p + 1; // skips the attributes, which are unused so far
        if (length < Long.BYTES || !parseAtOnce(from, p, recordEnd)) {
            parseEach(from, p + 1, recordEnd);
        }
        return recordEnd;
    }

    /**
     * Parses a record in its most common form: one byte for the key length, at most two for each other number. Returns
     * false and changes nothing if the record has another form.
     *
     * <p>The first eight bytes of such a record contain all numbers before the key. The method reads these bytes as one
     * long and shifts each number out of it. It branches on the size of each number, because the CPU can predict a
     * branch but would have to wait for a computed size. An odd number encodes a negative value. Only the timestamp
     * delta and the length of a null key may be negative.
     */
    private boolean parseAtOnce(ByteBuffer from, int start, int recordEnd) {
        long rest = from.getLong(start) << Byte.SIZE;
        int p = start + 1;
        if (rest < 0) {
            rest <<= Byte.SIZE;
            p++;
        }
        if (rest < 0) {
            return false;
        }
        rest <<= Byte.SIZE;
        int delta = (int) (rest >>> TOP);
        p++;
        if (rest < 0) {
            rest <<= Byte.SIZE;
            delta = (delta & LOW) | ((int) (rest >>> TOP) << BITS);
            p++;
        }
        if (rest < 0) {
            return false;
        }
        rest <<= Byte.SIZE;
        p++;
        int newKeyAt = p++;
        if (rest >>> TOP == NULL) {
            rest <<= Byte.SIZE;
        } else if (rest < 0 || ((rest >>> TOP) & 1) != 0) {
            return false;
        } else {
            p += (int) (rest >>> (TOP + 1));
            rest = (long) from.getShort(p) << (TOP - Byte.SIZE);
        }
        int size = (int) (rest >>> TOP);
        p++;
        if (rest < 0) {
            rest <<= Byte.SIZE;
            size = (size & LOW) | ((int) (rest >>> TOP) << BITS);
            p++;
        }
        if (rest < 0 || ((size | delta) & 1) != 0) {
            return false;
        }
        keyAt = newKeyAt;
        show(from, p, size >>> 1, recordEnd);
        arrive(delta >>> 1);
        return true;
    }

    /** Parses a record field by field, starting at the timestamp. */
    private void parseEach(ByteBuffer from, int start, int recordEnd) {
        int p = start + VarInts.sizeOfLong(from, start);
        int delta = from.get(p++);
        if (delta < 0) {
            delta = longer(from, p, delta);
            p = behind;
        } else {
            delta = zigZag(delta);
        }
        keyAt = p;
        int size = from.get(p++);
        if (size < 0) {
            size = longer(from, p, size);
            p = behind;
        } else {
            size = zigZag(size);
        }
        p = skip(p, size, recordEnd);
        size = from.get(p++);
        if (size < 0) {
            size = longer(from, p, size);
            p = behind;
        } else {
            size = zigZag(size);
        }
        if (size < -1) {
            throw corrupt("a value of " + size + " bytes", null);
        }
        show(from, p, size, recordEnd);
        arrive(delta);
    }

    /** Sets the value and the position of the headers, after checking that both fit into the record. */
    private void show(ByteBuffer from, int valueAt, int size, int recordEnd) {
        int p = valueAt + Math.max(0, size);
        if (p != recordEnd - 1 || from.get(p) != 0) {
            checkHeaders(from, skip(valueAt, size, recordEnd), recordEnd);
        }
        value.wrap(from, valueAt, size);
        headersAt = p;
    }

    private void checkHeaders(ByteBuffer from, int start, int recordEnd) {
        long packed = VarInts.signed(from, start);
        int count = VarInts.value(packed);
        int p = VarInts.next(packed);
        // A header takes at least two bytes.
        if (count < 0 || count > recordEnd - p || (count == 0 && p != recordEnd)) {
            throw corrupt(count + " headers in " + (recordEnd - p) + " bytes", null);
        }
    }

    /**
     * Checks and sets the record's offset. Must be called last: errors in the record are reported at the offset after
     * the last valid record.
     *
     * <p>The offset deltas must increase, and each must leave enough offsets for the remaining records. Brokers check
     * this for compressed batches only.
     */
    private void arrive(int delta) {
        if (delta <= offset - baseOffset || delta > lastDelta - left) {
            throw corrupt("an offset delta of " + delta + " before " + left + " more records", null);
        }
        offset = baseOffset + delta;
    }

    /** Decodes a zig-zag number of one byte. */
    private static int zigZag(int first) {
        return (first >>> 1) ^ -(first & 1);
    }

    /**
     * Decodes a number of two or more bytes, and sets {@link #behind} to the position after it.
     *
     * @param p the position of the second byte
     * @param first the first byte
     */
    private int longer(ByteBuffer from, int p, int first) {
        int second = from.get(p);
        if (second >= 0) {
            behind = p + 1;
            return zigZag((first & LOW) | (second << BITS));
        }
        long packed = VarInts.signed(from, p - 1);
        behind = VarInts.next(packed);
        return VarInts.value(packed);
    }

    /** Returns the position after a key or value. The length is -1 for a null key or value. */
    private int skip(int p, int length, int recordEnd) {
        if (length < -1 || length > recordEnd - p) {
            throw corrupt("a key or value of " + length + " bytes in " + (recordEnd - p), null);
        }
        return p + Math.max(0, length);
    }

    private CorruptBatchException corrupt(String what, @Nullable Throwable cause) {
        return new CorruptBatchException(topic, partition, Math.max(fromOffset, offset + 1), what, cause);
    }

    CorruptBatchException corruptHeader(String what, @Nullable Throwable cause) {
        return new CorruptBatchException(topic, partition, offset, what, cause);
    }

    @Override
    public String topic() {
        return topic;
    }

    @Override
    public int partition() {
        return partition;
    }

    @Override
    public int index() {
        return index;
    }

    @Override
    public long offset() {
        return offset;
    }

    @Override
    public long timestamp() {
        return timestampType == TimestampType.LOG_APPEND_TIME
                ? appendTimestamp
                : baseTimestamp + VarInts.signedLong(bytes, timeAt);
    }

    @Override
    public TimestampType timestampType() {
        return timestampType;
    }

    @Override
    public int leaderEpoch() {
        return leaderEpoch;
    }

    @Override
    public int sizeBytes() {
        // The attributes take the byte before the timestamp.
        return at - timeAt + 1;
    }

    @Override
    public Slice key() {
        long packed = VarInts.signed(bytes, keyAt);
        key.wrap(bytes, VarInts.next(packed), VarInts.value(packed));
        return key;
    }

    @Override
    public Slice value() {
        return value;
    }

    @Override
    public HeadersView headers() {
        long packed = VarInts.signed(bytes, headersAt);
        return headers.wrap(bytes, VarInts.next(packed), at, VarInts.value(packed));
    }

    @Override
    public ConsumerRecord<byte[], byte[]> toConsumerRecord() {
        RecordHeaders copies = new RecordHeaders();
        HeadersView all = headers();
        while (all.next()) {
            copies.add(all.key().toUtf8(), bytesOrNull(all.value()));
        }
        return new ConsumerRecord<>(
                topic,
                partition,
                offset,
                timestamp(),
                timestampType,
                size(key()),
                size(value),
                bytesOrNull(key),
                bytesOrNull(value),
                copies,
                leaderEpoch < 0 ? Optional.empty() : Optional.of(leaderEpoch));
    }

    private static int size(Slice slice) {
        return slice.isNull() ? ConsumerRecord.NULL_SIZE : slice.length();
    }

    // Kafka's classes accept null here, although their signatures do not allow it.
    private static byte @Nullable [] bytesOrNull(Slice slice) {
        return slice.isNull() ? null : slice.toBytes();
    }
}
