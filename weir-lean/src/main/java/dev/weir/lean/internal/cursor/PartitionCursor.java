package dev.weir.lean.internal.cursor;

import dev.weir.lean.BatchViewHandler;
import dev.weir.lean.RecordHandler;
import dev.weir.lean.internal.batch.BatchLayout;
import dev.weir.lean.internal.batch.BatchReader;
import dev.weir.lean.internal.batch.RecordReader;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import org.jspecify.annotations.Nullable;

/**
 * The position in a partition, and the fetched chunks from there on. Calls the handlers, which may call {@link
 * #interrupt} and {@link #moveTo}. Confined to one thread.
 */
public final class PartitionCursor {

    private final String topic;
    private final int partition;
    private final int index;
    private final boolean committedOnly;
    private final boolean checkCrc;
    private final ChunkPool pool;
    private final ArrayDeque<ResponseChunk> chunks = new ArrayDeque<>();

    private long position = -1;

    /** The leader epoch of the batch before the position; -1 if unknown. */
    private int leaderEpoch = -1;

    private boolean interrupted;

    /** Number of calls of {@link #moveTo}. If a handler calls it, the current chunk is released. */
    private int moves;

    public PartitionCursor(
            String topic, int partition, int index, boolean committedOnly, boolean checkCrc, ChunkPool pool) {
        this.topic = topic;
        this.partition = partition;
        this.index = index;
        this.committedOnly = committedOnly;
        this.checkCrc = checkCrc;
        this.pool = pool;
    }

    public String topic() {
        return topic;
    }

    public int partition() {
        return partition;
    }

    public int index() {
        return index;
    }

    /** The offset of the next record to be delivered; -1 while unknown. */
    public long position() {
        return position;
    }

    /** The leader epoch of the record before the position; -1 if unknown. */
    public int leaderEpoch() {
        return leaderEpoch;
    }

    /** Number of calls of {@link #moveTo}. If it has changed since a request was sent, the response is outdated. */
    public int moves() {
        return moves;
    }

    public boolean hasChunks() {
        return !chunks.isEmpty();
    }

    public void add(ResponseChunk chunk) {
        chunks.addLast(chunk);
    }

    /**
     * Moves to an offset, and discards all fetched data. The next chunk must be fetched from this offset.
     *
     * @param epochBefore the leader epoch of the batch before the offset; -1 if unknown
     */
    public void moveTo(long offset, int epochBefore) {
        position = offset;
        leaderEpoch = epochBefore;
        moves++;
        interrupted = true;
        ResponseChunk chunk;
        while ((chunk = chunks.pollFirst()) != null) {
            pool.give(chunk);
        }
    }

    /** Ends the current delivery, if any, after the current record. */
    public void interrupt() {
        interrupted = true;
    }

    /** Frees the response buffers by copying their remaining bytes. Returns the number of copied bytes. */
    public int detach() {
        int copied = 0;
        for (ResponseChunk chunk : chunks) {
            copied += pool.detach(chunk);
        }
        return copied;
    }

    /**
     * Delivers batches until none are left, at least {@code limit} records have been delivered, or the delivery is
     * interrupted. Passes records to the one handler that is not null. Returns the number of records delivered.
     *
     * @throws dev.weir.lean.PartitionException if a batch is faulty; the position stays before this batch, and
     * {@link #offsetBehindBatch} returns the offset after it
     */
    public int deliver(
            BatchReader reader,
            @Nullable RecordHandler records,
            @Nullable BatchViewHandler batches,
            int limit,
            Tally tally) {
        reader.of(topic, partition, index);
        interrupted = false;
        int delivered = 0;
        while (delivered < limit && !interrupted) {
            ResponseChunk chunk = chunks.peekFirst();
            if (chunk == null) {
                break;
            }
            if (chunk.at >= chunk.end()) {
                chunks.removeFirst();
                pool.give(chunk);
                continue;
            }
            delivered += deliver(reader, chunk, records, batches, tally);
        }
        return delivered;
    }

    private int deliver(
            BatchReader reader,
            ResponseChunk chunk,
            @Nullable RecordHandler records,
            @Nullable BatchViewHandler batches,
            Tally tally) {
        int now = moves;
        reader.open(chunk.bytes(), chunk.at, chunk.end(), position);
        reader.verify(checkCrc);
        long next = reader.nextOffset();
        int size = reader.sizeBytes();
        int epoch = reader.leaderEpoch();
        int delivered = 0;
        boolean visible = reader.isVisible(committedOnly ? chunk.aborted() : null);
        if (visible) {
            reader.start();
            if (records != null) {
                delivered = eachRecord(reader.records(), records);
            } else if (batches != null) {
                batches.onBatch(reader);
                delivered = reader.recordCount();
            }
            reader.close();
            if (moves != now || (interrupted && records != null && position < next)) {
                // A handler that moved the cursor has released the chunk. After an interrupt, the next delivery opens
                // the batch again at the position.
                if (moves == now) {
                    leaderEpoch = epoch;
                }
                tally.delivered(delivered, 0);
                return delivered;
            }
        }
        if (!visible) {
            tally.leftOut();
        }
        tally.delivered(delivered, size);
        position = Math.max(position, next);
        leaderEpoch = epoch;
        chunk.at += size;
        return delivered;
    }

    private int eachRecord(RecordReader records, RecordHandler handler) {
        int delivered = 0;
        while (records.next()) {
            handler.onRecord(records);
            delivered++;
            if (interrupted) {
                return interruptedAfter(records, delivered);
            }
            position = records.offset() + 1;
        }
        return delivered;
    }

    private int interruptedAfter(RecordReader records, int delivered) {
        // A seek has set the position and removed the chunks. A pause has not, so advance the position.
        if (!chunks.isEmpty()) {
            position = records.offset() + 1;
        }
        return delivered;
    }

    /**
     * Offset at which to continue if the next batch is skipped: the end offset in its header or the start offset of the
     * following batch, whichever is lower. The result is always above the position, so that repeated skipping makes
     * progress.
     *
     * @param logEnd the end of the log; higher offsets in the headers are ignored
     */
    public long offsetBehindBatch(long logEnd) {
        ResponseChunk chunk = chunks.peekFirst();
        if (chunk == null || chunk.end() - chunk.at < BatchLayout.HEADER_BYTES) {
            return position + 1;
        }
        ByteBuffer bytes = chunk.bytes();
        long behind = believed(BatchLayout.nextOffset(bytes, chunk.at), logEnd);
        long size = BatchLayout.size(bytes, chunk.at);
        if (size >= BatchLayout.HEADER_BYTES && size <= chunk.end() - chunk.at - BatchLayout.LOG_OVERHEAD) {
            behind = Math.min(behind, believed(BatchLayout.baseOffset(bytes, chunk.at + (int) size), logEnd));
        }
        return behind == Long.MAX_VALUE ? position + 1 : behind;
    }

    /**
     * Returns a copy of the next batch; null if it has not arrived. If the size in its header is implausible, copies
     * everything up to the end of the chunk.
     */
    public byte @Nullable [] copyOfBatch() {
        ResponseChunk chunk = chunks.peekFirst();
        if (chunk == null || chunk.end() - chunk.at < BatchLayout.LOG_OVERHEAD) {
            return null;
        }
        int there = chunk.end() - chunk.at;
        long size = BatchLayout.size(chunk.bytes(), chunk.at);
        byte[] copy = new byte[size >= BatchLayout.HEADER_BYTES && size <= there ? (int) size : there];
        chunk.bytes().get(chunk.at, copy);
        return copy;
    }

    private long believed(long offset, long logEnd) {
        return offset > position && offset <= logEnd ? offset : Long.MAX_VALUE;
    }

    /** Counts delivered records and batches. */
    public interface Tally {

        /** Counts delivered records. If {@code bytes} is positive, also counts a completed batch of that size. */
        void delivered(int records, int bytes);

        /** Counts a control batch, or a batch of an aborted transaction. */
        void leftOut();
    }
}
