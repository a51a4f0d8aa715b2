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
 * The position in a partition and the chunks before which it stands. Confined to one thread; handlers are called from
 * here, and may call back to {@link #interrupt} and {@link #moveTo}.
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

    /** Leader epoch of the batch before the position; -1 if unknown. */
    private int leaderEpoch = -1;

    private boolean interrupted;

    /** Number of {@link #moveTo} calls, by which the caller of a handler learns that its chunk is gone. */
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

    /** The leader epoch of what is before the position; -1 if it is not known. */
    public int leaderEpoch() {
        return leaderEpoch;
    }

    /** The number of moves: when it changes, data requested before are no longer wanted. */
    public int moves() {
        return moves;
    }

    public boolean hasChunks() {
        return !chunks.isEmpty();
    }

    /** Adds what was fetched after everything that was added before. */
    public void add(ResponseChunk chunk) {
        chunks.addLast(chunk);
    }

    /** Forgets what was fetched; the next chunk begins at that offset, behind a batch of that leader epoch. */
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

    /** Ends the delivery that runs, if one does, after the record that is being handled. */
    public void interrupt() {
        interrupted = true;
    }

    /** Frees the buffers of responses by copying; returns how many bytes that were. */
    public int detach() {
        int copied = 0;
        for (ResponseChunk chunk : chunks) {
            copied += pool.detach(chunk);
        }
        return copied;
    }

    /**
     * Delivers batches until there are none, or as many records as asked for were delivered, or it is interrupted.
     * Exactly one of the handlers is there. Returns the number of records.
     *
     * @throws dev.weir.lean.PartitionException the position is before the batch at fault, and
     *     {@link #offsetBehindBatch} is behind it
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
                // Moved: the chunk is gone. Interrupted with records left: the batch is opened again, at the position.
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
        // A seek cleared the chunks and has set the position; a pause leaves both to us.
        if (!chunks.isEmpty()) {
            position = records.offset() + 1;
        }
        return delivered;
    }

    /**
     * The offset at which to go on if the next batch is to be left out: what its own header says, or where the batch
     * behind it begins, whichever is lower: one of them may be what is corrupt, and no good record is to be left out
     * with it. In any case it is higher than the position, so that whoever skips comes to an end.
     *
     * @param logEnd no offset behind it is believed
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

    /** A copy of the next batch, as far as it has come and its own size makes sense; null if there is none. */
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

        /** Notes delivered records and finished bytes. */
        void delivered(int records, int bytes);

        /** A batch was left out: a control batch, or of an aborted transaction. */
        void leftOut();
    }
}
