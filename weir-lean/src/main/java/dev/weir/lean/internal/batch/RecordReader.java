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
 * Walks the records of one batch, as drawn in {@link BatchLayout}, and is the view of each. Confined to one thread; allocates
 * nothing. All lengths of a record are compared with its end before the record is shown.
 */
public final class RecordReader implements RecordView {

    private static final ByteBuffer NOTHING = ByteBuffer.allocateDirect(0);

    private final Slice key = new Slice();
    private final Slice value = new Slice();
    private final HeadersReader headers = new HeadersReader(this, NOTHING);

    // Of the partition.
    private String topic = "";
    private int partition;
    private int index;

    // Of the batch.
    private ByteBuffer bytes = NOTHING;
    private int end;
    private int left;
    private long baseOffset;
    private int lastDelta;
    private long fromOffset;
    private long baseTimestamp;
    private long appendTimestamp;
    private TimestampType timestampType = TimestampType.NO_TIMESTAMP_TYPE;
    private int leaderEpoch;

    // Of the record.
    private int at;
    private long offset;
    private long timestampDelta;
    private int keyAt;
    private int keyLength;
    private int valueAt;
    private int valueLength;
    private int headersAt;
    private int headerCount;

    /** The end of the last number of several bytes. */
    private int behind;

    void of(String newTopic, int newPartition, int newIndex) {
        this.topic = newTopic;
        this.partition = newPartition;
        this.index = newIndex;
    }

    /**
     * Starts before the first record with an offset of at least {@code fromOffset}.
     *
     * @param header has the batch's header at {@code headerAt}
     * @param records has the records between the two positions, decompressed
     */
    void start(ByteBuffer header, int headerAt, ByteBuffer records, int from, int to, long newFromOffset) {
        bytes = records;
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

    /** Lets go of the buffer. */
    void stop() {
        left = 0;
        at = 0;
        end = 0;
        bytes = NOTHING;
    }

    /** Goes to the next record; false after the last. */
    public boolean next() {
        try {
            while (left > 0) {
                left--;
                parse(bytes, end);
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

    // The position is a local variable and not the field, of which each step would be a store. It moves by branches,
    // which a
    // processor foresees, and not by arithmetic on the bytes, for which it would have to wait. In two methods, neither
    // of which
    // is too long to be compiled into the loop.

    private void parse(ByteBuffer from, int limit) {
        int p = at;
        int length = from.get(p++);
        if (length < 0) {
            length = longer(from, p, length);
            p = behind;
        } else {
            length = zigZag(length);
        }
        if (length < 0 || length > limit - p) {
            throw corrupt("a record of " + length + " bytes in " + (limit - p), null);
        }
        int recordEnd = p + length;
        p++; // Attributes: none are defined.
        int time = from.get(p++);
        if (time < 0) {
            timestampDelta = VarInts.signedLong(from, p - 1);
            p += VarInts.sizeOfLong(from, p);
        } else {
            timestampDelta = zigZag(time);
        }
        int delta = from.get(p++);
        if (delta < 0) {
            delta = longer(from, p, delta);
            p = behind;
        } else {
            delta = zigZag(delta);
        }
        if (delta < 0 || delta > lastDelta) {
            throw corrupt("an offset delta of " + delta, null);
        }
        parseParts(from, p, recordEnd);
        at = recordEnd;
        offset = baseOffset + delta;
    }

    private void parseParts(ByteBuffer from, int start, int recordEnd) {
        int p = start;
        int size = from.get(p++);
        if (size < 0) {
            size = longer(from, p, size);
            p = behind;
        } else {
            size = zigZag(size);
        }
        keyLength = size;
        keyAt = p;
        p = skip(p, size, recordEnd);
        size = from.get(p++);
        if (size < 0) {
            size = longer(from, p, size);
            p = behind;
        } else {
            size = zigZag(size);
        }
        valueLength = size;
        valueAt = p;
        p = skip(p, size, recordEnd);
        int count = from.get(p++);
        if (count < 0) {
            count = longer(from, p, count);
            p = behind;
        } else {
            count = zigZag(count);
        }
        // A header takes two bytes at least.
        if (count < 0 || count > recordEnd - p || (count == 0 && p != recordEnd)) {
            throw corrupt(count + " headers in " + (recordEnd - p) + " bytes", null);
        }
        headerCount = count;
        headersAt = p;
    }

    /** A number of one byte. */
    private static int zigZag(int first) {
        return (first >>> 1) ^ -(first & 1);
    }

    /** A number of more bytes, the second of them at {@code p}; {@link #behind} is then where it ends. */
    private int longer(ByteBuffer from, int p, int first) {
        int second = from.get(p);
        if (second >= 0) {
            behind = p + 1;
            return zigZag((first & 0x7f) | (second << 7));
        }
        long packed = VarInts.signed(from, p - 1);
        behind = VarInts.next(packed);
        return VarInts.value(packed);
    }

    /** The position behind a key or value, of which -1 is null. */
    private int skip(int p, int length, int recordEnd) {
        if (length < -1 || length > recordEnd - p) {
            throw corrupt("a key or value of " + length + " bytes in " + (recordEnd - p), null);
        }
        return p + Math.max(0, length);
    }

    /** At the record behind the last good one. */
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
        return timestampType == TimestampType.LOG_APPEND_TIME ? appendTimestamp : baseTimestamp + timestampDelta;
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
    public Slice key() {
        key.wrap(bytes, keyAt, keyLength);
        return key;
    }

    @Override
    public Slice value() {
        value.wrap(bytes, valueAt, valueLength);
        return value;
    }

    @Override
    public HeadersView headers() {
        return headers.wrap(bytes, headersAt, at, headerCount);
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
                Math.max(-1, keyLength),
                Math.max(-1, valueLength),
                bytesOrNull(key()),
                bytesOrNull(value()),
                copies,
                leaderEpoch < 0 ? Optional.empty() : Optional.of(leaderEpoch));
    }

    // Kafka's classes say nothing of nulls, but take them here.
    private static byte @Nullable [] bytesOrNull(Slice slice) {
        return slice.isNull() ? null : slice.toBytes();
    }
}
