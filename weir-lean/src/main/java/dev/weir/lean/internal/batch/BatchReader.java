package dev.weir.lean.internal.batch;

import dev.weir.lean.BatchTooLargeException;
import dev.weir.lean.BatchView;
import dev.weir.lean.CorruptBatchException;
import dev.weir.lean.RecordView;
import dev.weir.lean.UnsupportedBatchException;
import dev.weir.lean.internal.wire.AbortedTransactions;
import dev.weir.lean.internal.wire.FailureText;
import java.nio.ByteBuffer;
import java.util.zip.CRC32C;
import org.apache.kafka.common.record.TimestampType;
import org.jspecify.annotations.Nullable;

/**
 * Reads batches one at a time, and provides access to the current batch as a {@link BatchView}. Confined to one thread.
 * Allocates nothing, apart from what a codec allocates.
 *
 * <pre>
 *   reader.of(topic, partition, index);
 *   reader.open(bytes, at, end, position);   reads the header, or throws CorruptBatchException
 *   reader.verify(true);                     checks the checksum and the header
 *   if (reader.isVisible(aborted)) {         neither a control batch nor aborted
 *       reader.start();                      decompresses
 *       while (reader.next()) ...
 *   }
 *   at += reader.sizeBytes();
 * </pre>
 */
public final class BatchReader implements BatchView {

    static final int APPEND_TIME = 0x08;
    static final int CODEC = 0x07;
    private static final int TRANSACTIONAL = 0x10;
    private static final int CONTROL = 0x20;
    private static final int VERSION = 2;

    /** The minimum size of a control record's key: version and type, two bytes each. */
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

    /** The first offset to read. An exception about an invalid batch reports this offset. */
    private long fromOffset;

    /** @param decompressor must not be used by another reader */
    public BatchReader(Decompressor decompressor) {
        this.decompressor = decompressor;
    }

    /** Sets the topic and partition of the batches opened from now on. */
    public void of(String newTopic, int newPartition, int newIndex) {
        topic = newTopic;
        partition = newPartition;
        index = newIndex;
        records.of(newTopic, newPartition, newIndex);
    }

    /**
     * Opens the batch at index {@code newAt} of a buffer. The batch must end at or before index {@code end}.
     *
     * @param newBytes owned by the caller; its position must be 0
     * @param newFromOffset the first offset to read; earlier records in the batch are skipped
     */
    public void open(ByteBuffer newBytes, int newAt, int end, long newFromOffset) {
        bytes = newBytes;
        at = newAt;
        fromOffset = newFromOffset;
        int there = end - newAt;
        if (there < BatchLayout.LOG_OVERHEAD) {
            throw corrupt(there + " bytes where a batch should be");
        }
        long wanted = BatchLayout.size(newBytes, newAt);
        if (wanted > there || wanted <= BatchLayout.LOG_OVERHEAD + Integer.BYTES) {
            throw corrupt("it announces " + wanted + " bytes, but there are " + there);
        }
        int magic = BatchLayout.magic(newBytes, newAt);
        if (magic >= 0 && magic < VERSION) {
            throw new UnsupportedBatchException(
                    topic, partition, fromOffset, "a message set of version " + magic + ", from before Kafka 0.11");
        }
        if (magic != VERSION || wanted < BatchLayout.HEADER_BYTES) {
            throw corrupt("version " + magic + " with " + wanted + " bytes");
        }
        size = (int) wanted;
        attributes = BatchLayout.attributes(newBytes, newAt);
    }

    /**
     * Checks the header, and that the batch contains offsets at or after {@link #fromOffset()}.
     *
     * @param checksum whether to verify the checksum first
     */
    public void verify(boolean checksum) {
        if (checksum) {
            compareChecksum();
        }
        if (baseOffset() < 0
                || BatchLayout.lastOffsetDelta(bytes, at) < 0
                || recordCount() < 0
                || nextOffset() <= fromOffset) {
            throw corrupt("it announces " + recordCount() + " records from offset " + baseOffset() + " to "
                    + (nextOffset() - 1));
        }
    }

    private void compareChecksum() {
        crc.reset();
        int limit = bytes.limit();
        crc.update(bytes.limit(at + size).position(at + BatchLayout.ATTRIBUTES_AT));
        bytes.limit(limit).position(0);
        int expected = BatchLayout.crc(bytes, at);
        int actual = (int) crc.getValue();
        if (actual != expected) {
            throw corrupt("its checksum is " + Integer.toHexString(actual) + ", not " + Integer.toHexString(expected));
        }
    }

    /**
     * Returns false for a control batch, and for a batch of a transaction listed in {@code aborted}. Must be called for
     * every batch in order: {@code aborted} keeps track of the open transactions.
     */
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
        start();
        return next()
                && records.key().length() >= CONTROL_KEY_BYTES
                && records.key().getShort(Short.BYTES) == ABORT;
    }

    /** Decompresses the batch if necessary. {@link #next} then moves to the first record to read. */
    public void start() {
        int codec = attributes & CODEC;
        int recordsAt = at + BatchLayout.HEADER_BYTES;
        int end = at + size;
        if (codec == CompressionCodec.NONE) {
            records.start(bytes, at, bytes, recordsAt, end, fromOffset);
            return;
        }
        if (!Decompressor.knows(codec)) {
            throw new UnsupportedBatchException(topic, partition, fromOffset, "compressed with unknown codec " + codec);
        }
        try {
            ByteBuffer plain = decompressor.decompress(codec, bytes, recordsAt, end);
            records.start(bytes, at, plain, 0, plain.limit(), fromOffset);
        } catch (TooLargeException e) {
            throw e.missingBytes() > 0
                    ? BatchTooLargeException.noMemory(topic, partition, fromOffset, e.missingBytes())
                    : new BatchTooLargeException(
                            topic, partition, fromOffset, -1, decompressor.limitBytes(), "maxBatchBytes");
        } catch (CodecException e) {
            throw new CorruptBatchException(topic, partition, fromOffset, FailureText.of(e), e);
        }
    }

    /** The size of the uncompressed batch written by {@link #copyTo}. Call only after {@link #start}. */
    public int plainBytes() {
        return BatchLayout.HEADER_BYTES + records.allBytes();
    }

    /** Copies the batch without compression. Does not update the checksum. Call only after {@link #start}. */
    public void copyTo(ByteBuffer to, int toAt) {
        to.put(toAt, bytes, at, BatchLayout.HEADER_BYTES);
        BatchLayout.makePlain(to, toAt, plainBytes());
        records.copyAll(to, toAt + BatchLayout.HEADER_BYTES);
    }

    /** The first offset to read. Earlier records in the batch are skipped. */
    public long fromOffset() {
        return fromOffset;
    }

    /** Releases all buffers. The current batch and record must not be read afterwards. */
    public void close() {
        records.stop();
        bytes = nothing;
        at = 0;
        size = 0;
        attributes = 0;
    }

    private CorruptBatchException corrupt(String what) {
        return new CorruptBatchException(topic, partition, fromOffset, what, null);
    }

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
