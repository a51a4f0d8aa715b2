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

    private void parse(ByteBuffer from, int limit) {
        int length = number(from);
        if (length < 0 || length > limit - at) {
            throw corrupt("a record of " + length + " bytes in " + (limit - at), null);
        }
        int recordEnd = at + length;
        at++; // Attributes: none are defined.
        timestampDelta = longNumber(from);
        int delta = number(from);
        if (delta < 0 || delta > lastDelta) {
            throw corrupt("an offset delta of " + delta, null);
        }
        keyLength = number(from);
        keyAt = at;
        skip(keyLength, recordEnd);
        valueLength = number(from);
        valueAt = at;
        skip(valueLength, recordEnd);
        headerCount = number(from);
        headersAt = at;
        // A header takes two bytes at least.
        if (headerCount < 0 || headerCount > recordEnd - headersAt || (headerCount == 0 && headersAt != recordEnd)) {
            throw corrupt(headerCount + " headers in " + (recordEnd - headersAt) + " bytes", null);
        }
        at = recordEnd;
        offset = baseOffset + delta;
    }

    /** Goes behind a key or value, of which -1 is null. */
    private void skip(int length, int recordEnd) {
        if (length < -1 || length > recordEnd - at) {
            throw corrupt("a key or value of " + length + " bytes in " + (recordEnd - at), null);
        }
        at += Math.max(0, length);
    }

    // The position moves by branches, which a processor foresees, and not by arithmetic on the bytes, for which it
    // would have to wait: half of a record's time.

    private int number(ByteBuffer from) {
        int first = from.get(at++);
        if (first >= 0) {
            return (first >>> 1) ^ -(first & 1);
        }
        int second = from.get(at++);
        if (second >= 0) {
            int raw = (first & 0x7f) | (second << 7);
            return (raw >>> 1) ^ -(raw & 1);
        }
        long packed = VarInts.signed(from, at - 2);
        at = VarInts.next(packed);
        return VarInts.value(packed);
    }

    private long longNumber(ByteBuffer from) {
        int first = from.get(at);
        if (first >= 0) {
            at++;
            return (long) (first >>> 1) ^ -(first & 1);
        }
        long value = VarInts.signedLong(from, at);
        at += VarInts.sizeOfLong(from, at);
        return value;
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
