package dev.weir.lean;

import dev.weir.lean.internal.encode.RecordBytes;
import dev.weir.lean.internal.producer.PreparedRecords;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Objects;

/**
 * Records that are prepared now and sent later, possibly by another thread, with {@link LeanProducer#send(LeanRecords,
 * int, int, long)}. They are sent in the order in which they were added. Each record is already encoded, so that
 * sending only copies bytes. Confined to one thread at a time. Meant to be reused, because this object keeps its direct
 * memory.
 */
public final class LeanRecords {

    private static final int FIRST_RECORDS = 64;
    private static final int FIRST_BYTES = 8 * 1024;

    private final PreparedRecords prepared = new PreparedView();
    private ByteBuffer bytes = ByteBuffer.allocateDirect(FIRST_BYTES);
    private int[] ends = new int[FIRST_RECORDS];
    private int[] partitions = new int[FIRST_RECORDS];
    private long[] timestamps = new long[FIRST_RECORDS];
    private String[] topics = new String[FIRST_RECORDS];
    private int count;

    /** Appends a copy of a record. */
    public void add(LeanRecord record) {
        RecordBytes from = Objects.requireNonNull(record, "record").bytes();
        int at = count == 0 ? 0 : ends[count - 1];
        makeRoom(at + from.maxBytes());
        int end = from.putTail(bytes, at);
        ends[count] = end;
        partitions[count] = record.partition();
        timestamps[count] = record.timestampMillis();
        if (topics[count] != record.topic()) {
            topics[count] = record.topic();
        }
        count++;
    }

    private void makeRoom(long neededBytes) {
        if (neededBytes > bytes.capacity()) {
            if (neededBytes > Integer.MAX_VALUE / 2) {
                throw new IllegalArgumentException("records of " + neededBytes + " bytes together");
            }
            bytes = ByteBuffer.allocateDirect(2 * (int) neededBytes).put(0, bytes, 0, sizeBytes());
        }
        if (count == ends.length) {
            int room = 2 * count;
            ends = Arrays.copyOf(ends, room);
            partitions = Arrays.copyOf(partitions, room);
            timestamps = Arrays.copyOf(timestamps, room);
            topics = Arrays.copyOf(topics, room);
        }
    }

    /** The number of records. */
    public int count() {
        return count;
    }

    /** The encoded size of all records in bytes. */
    public int sizeBytes() {
        return count == 0 ? 0 : ends[count - 1];
    }

    /** Removes all records. */
    public void clear() {
        count = 0;
    }

    /** Removes the last records, so that only the first {@code newCount} remain. */
    public void truncate(int newCount) {
        Objects.checkIndex(newCount, count + 1);
        count = newCount;
    }

    /** The topic of the record with the given index. */
    public String topic(int number) {
        return topics[Objects.checkIndex(number, count)];
    }

    /** The partition of the record with the given index, or {@link LeanRecord#ANY_PARTITION}. */
    public int partition(int number) {
        return partitions[Objects.checkIndex(number, count)];
    }

    /** The record's timestamp in milliseconds since the Unix epoch, or {@link LeanRecord#NOW}. */
    public long timestampMillis(int number) {
        return timestamps[Objects.checkIndex(number, count)];
    }

    /**
     * The key, value and headers of a record in Kafka's batch format, starting with the key length. The returned buffer
     * shares its memory with these records and is valid until they are changed.
     */
    public ByteBuffer content(int number) {
        int from = Objects.checkIndex(number, count) == 0 ? 0 : ends[number - 1];
        return bytes.slice(from, ends[number] - from).asReadOnlyBuffer();
    }

    PreparedRecords prepared() {
        return prepared;
    }

    /** Gives the producer access to these records. */
    private final class PreparedView implements PreparedRecords {

        private final RecordBytes shown = new RecordBytes();

        @Override
        public String topic(int number) {
            return topics[number];
        }

        @Override
        public int partition(int number) {
            return partitions[number];
        }

        @Override
        public long timestampMillis(int number) {
            return timestamps[number];
        }

        @Override
        public RecordBytes bytes(int number) {
            shown.showTail(bytes, number == 0 ? 0 : ends[number - 1], ends[number]);
            return shown;
        }
    }
}
