package dev.weir.lean.internal.wire;

import com.sun.management.ThreadMXBean;
import dev.weir.lean.HeadersView;
import dev.weir.lean.PartitionException;
import dev.weir.lean.RecordView;
import dev.weir.lean.Slice;
import dev.weir.lean.internal.batch.BatchReader;
import dev.weir.lean.internal.batch.Decompressor;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;

/**
 * Reads arbitrary bytes as a consumer does. Throws an {@link AssertionError} if the reader returns neither data nor an
 * exception with partition and offset, or uses too much memory. Confined to one thread.
 *
 * <p>The input's buffer has exactly its size, so reading past its end throws.
 */
final class AnyBytes {

    /** Largest size of a decompressed batch. */
    static final int LIMIT = 1024 * 1024;

    /** Heap memory for faults and their stack traces. */
    private static final long HEAP_BYTES = 64 * 1024;

    private static final int HEAP_PER_BYTE = 4;

    /** Producer ids that count as aborted. Brokers assign ids from 0 on, so the corpus has aborted records. */
    private static final int PRODUCERS = 8;

    private final ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    private final BatchReader reader = new BatchReader(new Decompressor(LIMIT));
    private final FetchResponse response = new FetchResponse();
    private final AbortedTransactions aborted = new AbortedTransactions();
    private ByteBuffer room = ByteBuffer.allocateDirect(LIMIT);
    private long records;
    private long refused;

    /** Sum of everything read. Prevents the JIT compiler from removing the reads. */
    int sum;

    long records() {
        return records;
    }

    long refused() {
        return refused;
    }

    /** Reads the bytes as a whole response, and as the beginning of a longer response. */
    void response(byte[] bytes) {
        if (bytes.length >= Integer.BYTES) {
            withinMemory(bytes, input -> {
                walk(input, false);
                walk(input, true);
            });
        }
    }

    /** Reads the bytes as a partition's records, with and without checksums and aborted transactions. */
    void batches(byte[] bytes) {
        withinMemory(bytes, input -> {
            for (int way = 0; way < 4; way++) {
                aborted.clear();
                for (int producer = 0; (way & 2) != 0 && producer < PRODUCERS; producer++) {
                    aborted.add(producer, 0);
                }
                read(input, 0, input.limit(), (way & 1) == 0);
            }
        });
    }

    private interface Reading {
        void of(ByteBuffer input);
    }

    private void withinMemory(byte[] bytes, Reading reading) {
        if (bytes.length > room.capacity()) {
            room = ByteBuffer.allocateDirect(bytes.length);
        }
        ByteBuffer input = room.slice(0, bytes.length).put(0, bytes);
        long allowed = HEAP_BYTES + (long) HEAP_PER_BYTE * bytes.length;
        long allocated = allocated(input, reading);
        if (allocated > allowed) {
            // The first attempt may have loaded classes.
            allocated = allocated(input, reading);
        }
        if (allocated > allowed) {
            throw new AssertionError(allocated + " bytes of the heap for " + bytes.length);
        }
    }

    private long allocated(ByteBuffer input, Reading reading) {
        long before = threads.getCurrentThreadAllocatedBytes();
        reading.of(input);
        return threads.getCurrentThreadAllocatedBytes() - before;
    }

    private void walk(ByteBuffer input, boolean cut) {
        try {
            response.wrap(input, 0, input.limit(), cut);
            while (response.next()) {
                int from = response.recordsAt();
                long to = (long) from + response.recordsLength();
                check(from >= 0 && from <= to, "records end before they begin");
                response.abortedTo(aborted);
                if (!response.isRecordsCut()) {
                    check(to <= input.limit(), "records beyond the response");
                    read(input, from, (int) to, true);
                }
            }
        } catch (MalformedResponseException e) {
            refused++;
        }
        checkUntouched(input);
    }

    private void read(ByteBuffer input, int from, int to, boolean checksum) {
        long position = 0;
        int at = from;
        reader.of("t", 1, 0);
        try {
            while (at < to) {
                reader.open(input, at, to, position);
                reader.verify(checksum);
                if (reader.isVisible(aborted)) {
                    reader.start();
                    readRecords(input, position);
                }
                check(reader.nextOffset() > position, "the batches go backwards");
                position = reader.nextOffset();
                at += reader.sizeBytes();
            }
        } catch (PartitionException e) {
            refused++;
            check(e.topic().equals("t") && e.partition() == 1, "a fault of another partition");
            check(e.offset() >= position, "a fault at an offset that was read");
        }
        checkUntouched(input);
    }

    private void readRecords(ByteBuffer input, long position) {
        int count = 0;
        while (reader.next()) {
            RecordView record = reader.record();
            check(++count <= LIMIT, "more records than bytes");
            check(record.offset() >= position && record.offset() < reader.nextOffset(), "a record outside its batch");
            touch(input, record.key());
            touch(input, record.value());
            HeadersView headers = record.headers();
            while (headers.next()) {
                touch(input, headers.key());
                touch(input, headers.value());
            }
        }
        records += count;
    }

    private void touch(ByteBuffer input, Slice slice) {
        if (slice.length() > 0) {
            sum += slice.getByte(0) + slice.getByte(slice.length() - 1);
            check(slice.buffer() == input || slice.buffer().capacity() <= LIMIT, "more comes out than is allowed");
        }
    }

    private static void checkUntouched(ByteBuffer input) {
        check(input.position() == 0 && input.limit() == input.capacity(), "the response's buffer was left changed");
    }

    private static void check(boolean holds, String what) {
        if (!holds) {
            throw new AssertionError(what);
        }
    }
}
