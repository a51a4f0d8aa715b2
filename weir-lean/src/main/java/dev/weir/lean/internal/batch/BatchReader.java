package dev.weir.lean.internal.batch;

import dev.weir.lean.BatchTooLargeException;
import dev.weir.lean.BatchView;
import dev.weir.lean.CorruptBatchException;
import dev.weir.lean.RecordView;
import dev.weir.lean.UnsupportedBatchException;
import java.nio.ByteBuffer;
import java.util.zip.CRC32C;
import org.apache.kafka.common.record.TimestampType;
import org.jspecify.annotations.Nullable;

/**
 * Reads one batch after the other, and is the view of each. Confined to one thread; allocates nothing but what a codec does.
 *
 * <pre>
 *   reader.of(topic, partition, index);
 *   reader.open(bytes, at, end);         the header is there and makes sense, or a CorruptBatchException
 *   reader.verify();                     so does the checksum
 *   if (reader.isVisible(aborted)) {     no control batch, no aborted transaction
 *       reader.start(position);          decompresses
 *       while (reader.next()) ...
 *   }
 *   at += reader.sizeBytes();
 * </pre>
 */
public final class BatchReader implements BatchView {

    static final int APPEND_TIME = 0x08;
    private static final int CODEC = 0x07;
    private static final int TRANSACTIONAL = 0x10;
    private static final int CONTROL = 0x20;
    private static final int VERSION = 2;

    /** Of a control record's key: version and type, two bytes each. */
    private static final int CONTROL_KEY_BYTES = 4;

    private static final int ABORT = 0;

    private final Decompressor decompressor;
    private final CRC32C crc = new CRC32C();
    private final RecordReader records = new RecordReader();
    private final ByteBuffer nothing = ByteBuffer.allocateDirect(BatchLayout.HEADER_BYTES);

    private String topic = "";
    private int partition;
    private int index;
    private ByteBuffer bytes = nothing;
    private int at;
    private int size;
    private int attributes;

    /** @param decompressor whose output this reader alone uses */
    public BatchReader(Decompressor decompressor) {
        this.decompressor = decompressor;
    }

    /** Names the partition of the batches to come. */
    public void of(String newTopic, int newPartition, int newIndex) {
        topic = newTopic;
        partition = newPartition;
        index = newIndex;
        records.of(newTopic, newPartition, newIndex);
    }

    /**
     * Goes to the batch at {@code newAt}, of which all bytes must lie before {@code end}.
     *
     * @param newBytes stays the caller's; position 0
     */
    public void open(ByteBuffer newBytes, int newAt, int end) {
        bytes = newBytes;
        at = newAt;
        int there = end - newAt;
        if (there < BatchLayout.LOG_OVERHEAD) {
            throw corrupt(-1, there + " bytes where a batch should be");
        }
        long offset = BatchLayout.baseOffset(newBytes, newAt);
        long wanted = BatchLayout.size(newBytes, newAt);
        if (wanted > there || wanted <= BatchLayout.LOG_OVERHEAD + Integer.BYTES) {
            throw corrupt(offset, "it says " + wanted + " bytes where " + there + " are");
        }
        int magic = BatchLayout.magic(newBytes, newAt);
        if (magic >= 0 && magic < VERSION) {
            throw new UnsupportedBatchException(
                    topic, partition, offset, "a message set of version " + magic + ", of before Kafka 0.11");
        }
        if (magic != VERSION || wanted < BatchLayout.HEADER_BYTES || offset < 0) {
            throw corrupt(offset, "version " + magic + " with " + wanted + " bytes");
        }
        size = (int) wanted;
        attributes = BatchLayout.attributes(newBytes, newAt);
    }

    /** Compares the checksum, and what the header says with itself. */
    public void verify() {
        crc.reset();
        int limit = bytes.limit();
        crc.update(bytes.limit(at + size).position(at + BatchLayout.ATTRIBUTES_AT));
        bytes.limit(limit).position(0);
        int expected = BatchLayout.crc(bytes, at);
        int actual = (int) crc.getValue();
        if (actual != expected) {
            throw corrupt(
                    baseOffset(),
                    "its checksum is " + Integer.toHexString(actual) + ", not " + Integer.toHexString(expected));
        }
        if (BatchLayout.lastOffsetDelta(bytes, at) < 0 || recordCount() < 0 || nextOffset() < 0) {
            throw corrupt(baseOffset(), "its offsets end before they begin");
        }
    }

    /** Whether a reader of committed records sees it; follows the transactions' markers. Never of a control batch. */
    public boolean isVisible(@Nullable AbortedTransactions aborted) {
        if (aborted == null || aborted.isEmpty()) {
            return !isControl();
        }
        aborted.reached(nextOffset());
        long producer = BatchLayout.producerId(bytes, at);
        if (isControl()) {
            if (isAbort()) {
                aborted.endOf(producer);
            }
            return false;
        }
        return (attributes & TRANSACTIONAL) == 0 || !aborted.isAborted(producer);
    }

    private boolean isControl() {
        return (attributes & CONTROL) != 0;
    }

    private boolean isAbort() {
        start(baseOffset());
        return next()
                && records.key().length() >= CONTROL_KEY_BYTES
                && records.key().getShort(Short.BYTES) == ABORT;
    }

    /** Makes ready the records from an offset on. */
    public void start(long fromOffset) {
        int codec = attributes & CODEC;
        int from = at + BatchLayout.HEADER_BYTES;
        int to = at + size;
        if (codec == Codec.NONE) {
            records.start(bytes, at, bytes, from, to, fromOffset);
            return;
        }
        if (!Decompressor.knows(codec)) {
            throw new UnsupportedBatchException(
                    topic, partition, baseOffset(), "compressed with unknown codec " + codec);
        }
        try {
            ByteBuffer plain = decompressor.decompress(codec, bytes, from, to);
            records.start(bytes, at, plain, 0, plain.limit(), fromOffset);
        } catch (TooLargeException e) {
            throw new BatchTooLargeException(
                    topic, partition, baseOffset(), -1, decompressor.limitBytes(), "maxBatchBytes");
        } catch (CodecException e) {
            throw new CorruptBatchException(topic, partition, baseOffset(), String.valueOf(e.getMessage()), e);
        }
    }

    /** Lets go of all buffers: what is read from a view now, is nothing. */
    public void close() {
        records.stop();
        bytes = nothing;
        at = 0;
        size = 0;
        attributes = 0;
    }

    private CorruptBatchException corrupt(long offset, String what) {
        return new CorruptBatchException(topic, partition, offset, what, null);
    }

    /** The records of the batch that was started. */
    public RecordReader records() {
        return records;
    }

    public long baseOffset() {
        return BatchLayout.baseOffset(bytes, at);
    }

    public int leaderEpoch() {
        return BatchLayout.leaderEpoch(bytes, at);
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
    public long nextOffset() {
        return BatchLayout.nextOffset(bytes, at);
    }

    @Override
    public int sizeBytes() {
        return size;
    }

    @Override
    public int recordCount() {
        return BatchLayout.recordCount(bytes, at);
    }

    @Override
    public long maxTimestamp() {
        return BatchLayout.maxTimestamp(bytes, at);
    }

    @Override
    public TimestampType timestampType() {
        return (attributes & APPEND_TIME) != 0 ? TimestampType.LOG_APPEND_TIME : TimestampType.CREATE_TIME;
    }

    @Override
    public boolean next() {
        return records.next();
    }

    @Override
    public RecordView record() {
        return records;
    }
}
