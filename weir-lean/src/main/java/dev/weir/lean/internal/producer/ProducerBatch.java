package dev.weir.lean.internal.producer;

import dev.weir.lean.LeanRecord;
import dev.weir.lean.internal.encode.BatchWriter;
import dev.weir.lean.internal.encode.RecordBytes;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import org.apache.kafka.common.message.ProduceResponseData.BatchIndexAndErrorMessage;
import org.jspecify.annotations.Nullable;

/**
 * A batch and the tokens of its records, in use until the listener has heard of all records. Callers fill the batch
 * under its partition's lock. Afterwards it is confined to the producer's thread.
 */
final class ProducerBatch {

    static final int NO_SEQUENCE = -1;

    /** State of the batch according to the broker's responses. */
    enum State {
        /** The batch has not been sent, or no response has been received. */
        OPEN,
        /** The batch is in the log. */
        WRITTEN,
        /** The batch must be sent again. */
        RETRY,
        /** The batch is too large and has several records, so it can be split. */
        DIVIDE,
        /**
         * The batch was rejected, has timed out, or was given up at the producer's end. A rejected batch is sent again
         * if an earlier batch must be sent again.
         */
        REFUSED
    }

    private static final int FIRST_TOKENS = 64;

    /** Number of records in a row that share one reading of the clock. */
    private static final int OF_ONE_TIME = 16;

    final BatchWriter writer;

    /** Number of bytes that the batch occupies in the pool; 0 if it does not come from the pool. */
    final int pooledBytes;

    private long[] tokens = new long[FIRST_TOKENS];

    private long nowMillis;

    /** Number of records at which the clock is read again. */
    private int timeGoodTo;

    /** The time at which the first record was added. */
    long begunNanos;

    boolean compressed;
    int sequence = NO_SEQUENCE;
    State state = State.OPEN;

    /** The offset of the first record if the batch was written; -1 if the broker did not report it. */
    long offset;

    /** Reason why the batch was rejected or not written yet; empty if there is none. */
    String trouble = "";

    /** Exception with which the broker rejected the batch; null if there is none. */
    @Nullable
    Throwable cause;

    /** Records for which the broker rejected the batch; empty if the broker did not report them. */
    List<BatchIndexAndErrorMessage> culprits = List.of();

    /** True once the listener has heard of the batch's records. */
    boolean ended;

    /** True if the batch may be in the log with its current sequence: the outcome of an attempt is unknown. */
    boolean doubtful;

    /** True if the batch may be in the log with an earlier sequence. */
    boolean wasDoubtful;

    ProducerBatch(ByteBuffer bytes, int pooledBytes) {
        this.writer = new BatchWriter(bytes);
        this.pooledBytes = pooledBytes;
    }

    void begin(long nowNanos) {
        writer.clear();
        begunNanos = nowNanos;
        timeGoodTo = 0;
        compressed = false;
        sequence = NO_SEQUENCE;
        state = State.OPEN;
        offset = -1;
        trouble = "";
        cause = null;
        culprits = List.of();
        ended = false;
        doubtful = false;
        wasDoubtful = false;
    }

    /** Removes the batch's sequence. The batch gets a new one and is sent again, even if it was already written. */
    void forgetSequence() {
        sequence = NO_SEQUENCE;
        wasDoubtful |= doubtful || state == State.WRITTEN;
        doubtful = false;
        if (state == State.WRITTEN) {
            state = State.OPEN;
        }
    }

    boolean mayBeWritten() {
        return doubtful || wasDoubtful;
    }

    /**
     * Appends a record. Returns false and changes nothing if there is not enough space.
     *
     * @param timestampMillis milliseconds since the Unix epoch, or {@link LeanRecord#NOW}
     */
    boolean append(RecordBytes record, long timestampMillis, long token) {
        int count = writer.count();
        // Get the space for the token first: if there is no memory for it, the record must not be added.
        if (count == tokens.length) {
            tokens = Arrays.copyOf(tokens, 2 * count);
        }
        if (!writer.append(record, timestampMillis == LeanRecord.NOW ? now(count) : timestampMillis)) {
            return false;
        }
        tokens[count] = token;
        return true;
    }

    private long now(int count) {
        if (count >= timeGoodTo) {
            nowMillis = System.currentTimeMillis();
            timeGoodTo = count + OF_ONE_TIME;
        }
        return nowMillis;
    }

    int count() {
        return writer.count();
    }

    long token(int at) {
        return tokens[at];
    }

    boolean hasSequence() {
        return sequence != NO_SEQUENCE;
    }
}
