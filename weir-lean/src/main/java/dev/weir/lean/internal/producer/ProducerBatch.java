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
 * A batch and the tokens of its records, from the first record to the last callback. Filled under its partition's lock,
 * then confined to the producer's thread.
 */
final class ProducerBatch {

    static final int NO_SEQUENCE = -1;

    /** The outcome of the batch according to a broker's response. */
    enum State {
        /** The batch has not been sent, or has not been answered yet. */
        OPEN,
        /** The batch is in the log. */
        WRITTEN,
        /** The batch must be sent again. */
        RETRY,
        /** The batch is too large and has several records, so it can be split. */
        DIVIDE,
        /** The batch is not in the log, and will not be sent again. */
        REFUSED
    }

    private static final int FIRST_TOKENS = 64;

    /**
     * The number of consecutive records for which the clock is read once, because reading the clock costs as much as
     * adding a record. Applies to records that are timestamped with the time of sending.
     */
    private static final int OF_ONE_TIME = 16;

    final BatchWriter writer;

    /** The number of the pool's bytes that the batch occupies; 0 if it does not come from the pool. */
    final int pooledBytes;

    private long[] tokens = new long[FIRST_TOKENS];

    private long nowMillis;

    /** The clock is read again when the batch has this many records. */
    private int timeGoodTo;

    /** The time at which the first record was added. */
    long begunNanos;

    boolean compressed;
    int sequence = NO_SEQUENCE;
    State state = State.OPEN;

    /** The offset of the first record if the batch was written; -1 if the broker does not report it. */
    long offset;

    /** The reason why the batch was rejected, or why it has not been written yet. */
    String trouble = "";

    /** The reason why the batch was rejected, as an exception of the Kafka client; null if it was not rejected. */
    @Nullable
    Throwable cause;

    /** The records for which the broker rejected the batch; empty if the broker does not name them. */
    List<BatchIndexAndErrorMessage> culprits = List.of();

    /** True once the listener has been notified of the batch's records. */
    boolean ended;

    /** True if an unconfirmed attempt may have written the batch with its current sequence. */
    boolean doubtful;

    /** True if an attempt may have written the batch with an earlier sequence. */
    boolean wasDoubtful;

    ProducerBatch(ByteBuffer bytes, int pooledBytes) {
        this.writer = new BatchWriter(bytes);
        this.pooledBytes = pooledBytes;
    }

    /** Starts a new batch in this object. */
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

    /** Removes the batch's sequence. The batch gets another one when it is sent, even if it was written before. */
    void forgetSequence() {
        sequence = NO_SEQUENCE;
        wasDoubtful |= doubtful || state == State.WRITTEN;
        doubtful = false;
        if (state == State.WRITTEN) {
            state = State.OPEN;
        }
    }

    /** Returns whether the batch may be in the log although no broker has confirmed it. */
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
        if (!writer.append(record, timestampMillis == LeanRecord.NOW ? now(count) : timestampMillis)) {
            return false;
        }
        if (count == tokens.length) {
            tokens = Arrays.copyOf(tokens, 2 * count);
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
