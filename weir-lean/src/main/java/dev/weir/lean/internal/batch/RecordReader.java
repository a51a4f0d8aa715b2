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
                parse(bytes, at, end);
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

    private void parse(ByteBuffer from, int start, int limit) {
        long packed = VarInts.signed(from, start);
        int position = VarInts.next(packed);
        int length = VarInts.value(packed);
        if (length < 0 || length > limit - position) {
            throw corrupt("a record of " + length + " bytes in " + (limit - position), null);
        }
        int recordEnd = position + length;
        position++; // Attributes: none are defined.
        byte first = from.get(position);
        if (first >= 0) {
            timestampDelta = (long) (first >>> 1) ^ -(first & 1);
            position++;
        } else {
            timestampDelta = VarInts.signedLong(from, position);
            position += VarInts.sizeOfLong(from, position);
        }
        packed = VarInts.signed(from, position);
        int delta = VarInts.value(packed);
        packed = VarInts.signed(from, VarInts.next(packed));
        int keySize = VarInts.value(packed);
        position = VarInts.next(packed);
        if (keySize < -1 || keySize > recordEnd - position || delta < 0 || delta > lastDelta) {
            throw corrupt("a key of " + keySize + " bytes, an offset delta of " + delta, null);
        }
        keyAt = position;
        keyLength = keySize;
        packed = VarInts.signed(from, position + Math.max(0, keySize));
        int valueSize = VarInts.value(packed);
        position = VarInts.next(packed);
        if (valueSize < -1 || valueSize > recordEnd - position) {
            throw corrupt("a value of " + valueSize + " bytes", null);
        }
        valueAt = position;
        valueLength = valueSize;
        packed = VarInts.signed(from, position + Math.max(0, valueSize));
        headerCount = VarInts.value(packed);
        headersAt = VarInts.next(packed);
        // A header takes two bytes at least.
        if (headerCount < 0 || headerCount > recordEnd - headersAt || (headerCount == 0 && headersAt != recordEnd)) {
            throw corrupt(headerCount + " headers in " + (recordEnd - headersAt) + " bytes", null);
        }
        offset = baseOffset + delta;
        at = recordEnd;
    }

    CorruptBatchException corrupt(String what, @Nullable Throwable cause) {
        return new CorruptBatchException(topic, partition, Math.max(fromOffset, baseOffset), what, cause);
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
