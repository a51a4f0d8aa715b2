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
 * A batch with the tokens of its records, from the first record to the last callback. Filled under its partition's
 * lock, then confined to the producer's thread.
 */
final class ProducerBatch {

    static final int NO_SEQUENCE = -1;

    /** A broker's answer to the batch. */
    enum State {
        /** No answer yet, or not in flight. */
        OPEN,
        /** It is in the log. */
        WRITTEN,
        /** It must be sent again. */
        RETRY,
        /** It is too large, but has several records. */
        DIVIDE,
        /** It is not in the log, and will not be. */
        REFUSED
    }

    private static final int FIRST_TOKENS = 64;

    /**
     * Number of consecutive records with one clock reading, which costs as much as a record. For records timestamped
     * with the time of sending.
     */
    private static final int OF_ONE_TIME = 16;

    final BatchWriter writer;

    /** The bytes it uses of the pool; 0 if none. */
    final int pooledBytes;

    private long[] tokens = new long[FIRST_TOKENS];

    private long nowMillis;

    /** The record count at which the clock is read again. */
    private int timeGoodTo;

    /** The time when its first record was added. */
    long begunNanos;

    boolean compressed;
    int sequence = NO_SEQUENCE;
    State state = State.OPEN;

    /** The offset of its first record once it is written; -1 if the broker does not report it. */
    long offset;

    /** The reason why it was refused, or is not written yet. */
    String trouble = "";

    /** The reason why it was refused, as an exception of Kafka's client; null if it was not refused. */
    @Nullable
    Throwable cause;

    /** The records for which the broker refused it; empty if the broker does not name them. */
    List<BatchIndexAndErrorMessage> culprits = List.of();

    /** True if the listener was notified of its records. */
    boolean ended;

    /** True if an attempt may have written it, with its current sequence, without confirmation. */
    boolean doubtful;

    /** True if an attempt may have written it with an earlier sequence. */
    boolean wasDoubtful;

    ProducerBatch(ByteBuffer bytes, int pooledBytes) {
        this.writer = new BatchWriter(bytes);
        this.pooledBytes = pooledBytes;
    }

    /** Starts another batch. */
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

    /** Removes its sequence: it gets another one when it is sent, even if it was written before. */
    void forgetSequence() {
        sequence = NO_SEQUENCE;
        wasDoubtful |= doubtful || state == State.WRITTEN;
        doubtful = false;
        if (state == State.WRITTEN) {
            state = State.OPEN;
        }
    }

    /** Returns whether it may be in the log without confirmation. */
    boolean mayBeWritten() {
        return doubtful || wasDoubtful;
    }

    /**
     * Appends a record; returns false, without a change, if there is no space.
     *
     * @param timestampMillis or {@link LeanRecord#NOW}
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
