package dev.weir.lean;

import dev.weir.lean.internal.encode.RecordBytes;
import dev.weir.lean.internal.producer.PreparedRecords;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Objects;

/**
 * Records that are put together now, and sent later or by another thread, in this order: by {@link
 * LeanProducer#send(LeanRecords, int, int, long)}. Each is encoded as in a batch, so that sending is a copy of bytes.
 * Confined to one thread at a time; to be used again, as its memory stays, which is direct.
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

    /** The number of them. */
    public int count() {
        return count;
    }

    /** Encoded size in bytes. */
    public int sizeBytes() {
        return count == 0 ? 0 : ends[count - 1];
    }

    /** Forgets all. */
    public void clear() {
        count = 0;
    }

    /** Forgets those from that number on. */
    public void truncate(int newCount) {
        Objects.checkIndex(newCount, count + 1);
        count = newCount;
    }

    /** The destination of a record. */
    public String topic(int number) {
        return topics[Objects.checkIndex(number, count)];
    }

    /** The partition that was chosen for a record, or {@link LeanRecord#ANY_PARTITION}. */
    public int partition(int number) {
        return partitions[Objects.checkIndex(number, count)];
    }

    /** A record's time in milliseconds since 1970, or {@link LeanRecord#NOW}. */
    public long timestampMillis(int number) {
        return timestamps[Objects.checkIndex(number, count)];
    }

    /**
     * A record from the length of its key on, as a batch of Kafka has it: key, value and headers. A view that holds
     * until these records are changed.
     */
    public ByteBuffer content(int number) {
        int from = Objects.checkIndex(number, count) == 0 ? 0 : ends[number - 1];
        return bytes.slice(from, ends[number] - from).asReadOnlyBuffer();
    }

    PreparedRecords prepared() {
        return prepared;
    }

    /** As the producer sees them. */
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
