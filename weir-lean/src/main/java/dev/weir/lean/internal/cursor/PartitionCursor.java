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
 * The position in a partition, and the chunks from there on. Confined to one thread. Handlers are called from here, and
 * may call {@link #interrupt} and {@link #moveTo}.
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

    /** The number of {@link #moveTo} calls. The code around a handler uses it to detect that its chunk is gone. */
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

    /** The offset of the next record to be delivered; -1 if it is not known yet. */
    public long position() {
        return position;
    }

    /** The leader epoch of the record before the position; -1 if not known. */
    public int leaderEpoch() {
        return leaderEpoch;
    }

    /** The number of moves: after a change, data requested earlier are no longer wanted. */
    public int moves() {
        return moves;
    }

    public boolean hasChunks() {
        return !chunks.isEmpty();
    }

    /** Appends fetched data. */
    public void add(ResponseChunk chunk) {
        chunks.addLast(chunk);
    }

    /** Drops fetched data; the next chunk begins at that offset, after a batch of that leader epoch. */
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

    /** Ends the current delivery, if there is one, after the current record. */
    public void interrupt() {
        interrupted = true;
    }

    /** Frees the response buffers by copying; returns the number of copied bytes. */
    public int detach() {
        int copied = 0;
        for (ResponseChunk chunk : chunks) {
            copied += pool.detach(chunk);
        }
        return copied;
    }

    /**
     * Delivers batches until none are left, the requested number of records is reached, or it is interrupted. Exactly
     * one of the handlers is non-null. Returns the number of records.
     *
     * @throws dev.weir.lean.PartitionException with the position before the batch at fault, and
     *     {@link #offsetBehindBatch} after it
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
                // After a move the chunk is gone. After an interrupt with records left, the batch is opened again at
                // the position.
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
        // A seek has cleared the chunks and set the position; a pause leaves both to this method.
        if (!chunks.isEmpty()) {
            position = records.offset() + 1;
        }
        return delivered;
    }

    /**
     * The offset at which to continue if the next batch is skipped: the lower of the end in its header and the start of
     * the following batch. Either may be corrupt, and no good record must be skipped. It is always higher than the
     * position, so that repeated skipping ends.
     *
     * @param logEnd upper limit of the result
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

    /** A copy of the next batch, if it has arrived and its stated size is plausible; null if there is none. */
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

    /** The counters of a batch. */
    public interface Tally {

        /** Counts delivered records and finished bytes. */
        void delivered(int records, int bytes);

        /** Counts a skipped batch: a control batch, or one of an aborted transaction. */
        void leftOut();
    }
}
