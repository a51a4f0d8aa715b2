package dev.weir.lean.internal.producer;

import dev.weir.lean.internal.consumer.RetryBackoff;
import dev.weir.lean.internal.producer.ProducerBatch.Fate;
import dev.weir.lean.spi.InvariantException;
import java.util.ArrayDeque;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * A partition that records go to. What callers touch is its {@link #intake}; all else is confined to the producer's
 * thread.
 *
 * <p>Its batches stand in two queues, oldest first: at most {@link #WINDOW} in flight, and behind them those that wait.
 * After a failure nothing is sent until no answer is outstanding; then {@link #rewind} puts all back in line.
 */
final class ProducerPartition {

    /** As many batches as a broker remembers of a producer, to know them again (KIP-98). */
    static final int WINDOW = 5;

    static final int UNKNOWN = -1;

    /**
     * After a rest the broker may have forgotten the producer: it keeps it for a day unless told otherwise, but counts
     * from the time of the last record, and forgets one whose records are old at the next look.
     */
    private static final long REST_NANOS = 60_000_000_000L;

    final ProducerTopic topic;
    final int number;
    final RecordIntake intake = new RecordIntake();
    final ArrayDeque<ProducerBatch> waiting = new ArrayDeque<>();
    final ArrayDeque<ProducerBatch> flying = new ArrayDeque<>(WINDOW);

    /** Records whose fate the listener knows. Single writer. */
    final AtomicLong finished = new AtomicLong();

    private volatile int leader = UNKNOWN;

    /**
     * True if its broker takes no more requests for now, so that the producer's thread need not be woken for what is
     * left here: it looks by itself when that is over. Set to false before it looks, or it could miss what is left
     * meanwhile.
     */
    volatile boolean held;

    int leaderEpoch = UNKNOWN;

    /** Number of batches in flight without an answer. */
    int unanswered;

    /** The broker of the batches in flight. */
    @Nullable
    ProducerBroker broker;

    /** True if one of those flying must be sent again. */
    boolean troubled;

    /**
     * True if sequences must begin anew: the broker found a gap before the head, or wrote the head behind a later
     * batch.
     */
    boolean gap;

    /** True if batches that are written may stand in {@link #waiting}, behind one that was in doubt. */
    private boolean writtenInLine;

    private final RetryBackoff backoff;

    // Who we are for this partition.
    long producerId = UNKNOWN;
    short epoch;
    private int nextSequence;

    /** One past the largest sequence that may be in the log under this epoch; {@link #UNKNOWN} if none may. */
    private int usedTo = UNKNOWN;

    /** True if a batch was acknowledged under this epoch: before that one goes alone. */
    private boolean known;

    private long lastWrittenNanos;

    ProducerPartition(ProducerTopic topic, int number, RetryBackoff backoff) {
        this.topic = topic;
        this.number = number;
        this.backoff = backoff;
    }

    boolean hasLeader() {
        return leader != UNKNOWN;
    }

    int leader() {
        return leader;
    }

    void leader(int id) {
        leader = id;
    }

    /** Returns whether the first one that waits may be sent now. */
    boolean maySend(long nowNanos) {
        ProducerBatch next = waiting.peek();
        // One that is written, but stands behind one that is in doubt, holds its place: of what is sent beyond it the
        // broker would remember five, and know the one in doubt no more.
        if (next == null || next.fate == Fate.WRITTEN || troubled || !backoff.isDue(nowNanos)) {
            return false;
        }
        if (!known || nowNanos - lastWrittenNanos > REST_NANOS) {
            // Whoever does not know the producer takes any sequence: a second batch could overtake the first.
            return flying.isEmpty();
        }
        return flying.size() < WINDOW;
    }

    /** Returns whether a batch that is sealed now would be sent soon. */
    boolean hasRoom() {
        return waiting.isEmpty() && !troubled && flying.size() < (known ? WINDOW : 1);
    }

    /** Takes the first one that waits into flight, with its sequence. */
    ProducerBatch take() {
        ProducerBatch batch = waiting.element();
        check(batch);
        waiting.remove();
        if (!batch.hasSequence()) {
            batch.sequence = nextSequence;
            nextSequence = after(batch);
        }
        batch.fate = Fate.OPEN;
        flying.add(batch);
        unanswered++;
        return batch;
    }

    private static int after(ProducerBatch batch) {
        return (batch.sequence + batch.count()) & Integer.MAX_VALUE;
    }

    /** Throws if the batch must not go into flight now, whoever sends it. */
    private void check(ProducerBatch batch) {
        if (!known && !flying.isEmpty()) {
            throw new InvariantException(
                    51,
                    "until a partition's first batch is acknowledged, no other batch of it is in flight",
                    state(batch));
        }
        if (!batch.hasSequence() && usedTo != UNKNOWN && isBefore(nextSequence, usedTo)) {
            throw new InvariantException(
                    58, "a sequence that may be in the log is given to no other batch", state(batch));
        }
    }

    /** Returns whether a sequence is before another one; after the largest number they go on at 0. */
    private static boolean isBefore(int sequence, int other) {
        return ((sequence - other) & Integer.MAX_VALUE) > Integer.MAX_VALUE / 2;
    }

    private String state(ProducerBatch batch) {
        return this + " sequence=" + (batch.hasSequence() ? batch.sequence : nextSequence) + " usedTo=" + usedTo
                + " epoch=" + epoch + " inFlight=" + flying.size() + " known=" + known;
    }

    /** A batch is in the log, or may be: its sequence must not be given to another one under this epoch. */
    private void used(ProducerBatch batch) {
        if (batch.hasSequence() && (usedTo == UNKNOWN || isBefore(usedTo, after(batch)))) {
            usedTo = after(batch);
        }
    }

    /** A broker took a batch. */
    void written(ProducerBatch batch, long offset, long nowNanos) {
        unanswered--;
        batch.fate = Fate.WRITTEN;
        batch.offset = offset;
        used(batch);
        known = true;
        lastWrittenNanos = nowNanos;
        backoff.succeeded();
        if (writtenInLine && isBehindLaterOne(batch)) {
            // Its broker had forgotten the producer, and took the repetition for another batch.
            waiting.forEach(ProducerBatch::forgetSequence);
            troubled = true;
            gap = true;
        }
    }

    /**
     * Returns whether a batch is, or may be, in the log behind one that should follow it; without an offset there is no
     * proof.
     */
    private boolean isBehindLaterOne(ProducerBatch batch) {
        boolean found = false;
        for (ProducerBatch later : waiting) {
            if (later.fate == Fate.WRITTEN) {
                found = true;
                if (batch.offset < 0 || later.offset < batch.offset) {
                    return true;
                }
            }
        }
        writtenInLine = found;
        return false;
    }

    /** A batch must be sent again, with the same sequence. */
    void failed(ProducerBatch batch, String why, boolean perhapsWritten) {
        unanswered--;
        batch.fate = Fate.RETRY;
        batch.trouble = why;
        batch.doubtful |= perhapsWritten;
        if (batch.doubtful) {
            used(batch);
        }
        troubled = true;
    }

    /** A batch must be divided. */
    void tooLarge(ProducerBatch batch) {
        unanswered--;
        batch.fate = Fate.DIVIDE;
        troubled = true;
    }

    /** A batch will never be written. */
    void refused(ProducerBatch batch, String why, Throwable cause) {
        unanswered--;
        batch.fate = Fate.REFUSED;
        batch.trouble = why;
        batch.cause = cause;
        if (batch.doubtful) {
            used(batch);
        }
    }

    boolean isHead(ProducerBatch batch) {
        return flying.peek() == batch;
    }

    /** Takes the oldest batch out, if its fate is known. */
    @Nullable
    ProducerBatch takeSettled() {
        ArrayDeque<ProducerBatch> oldest = flying.isEmpty() ? waiting : flying;
        ProducerBatch head = oldest.peek();
        if (head == null || (head.fate != Fate.WRITTEN && head.fate != Fate.REFUSED)) {
            return null;
        }
        oldest.remove();
        if (head.fate == Fate.REFUSED) {
            forget(head);
        }
        return head;
    }

    /**
     * A batch left that is not in the log. Its sequence is given again, unless those behind it have theirs already, or
     * it may be in the log all the same: then the broker finds a gap, and {@link #renumber} closes it.
     */
    void forget(ProducerBatch batch) {
        ProducerBatch next = waiting.peek();
        if (batch.hasSequence() && !batch.doubtful && flying.isEmpty() && (next == null || !next.hasSequence())) {
            nextSequence = batch.sequence;
        }
    }

    /** Puts all batches in flight back in line, also batches written behind one that may not be. */
    void rewind(long nowNanos) {
        // Those behind a batch that is too large fail with it; halves of it may go at once.
        boolean divides = !flying.isEmpty() && flying.element().fate == Fate.DIVIDE;
        while (!flying.isEmpty()) {
            ProducerBatch last = flying.removeLast();
            if (last.fate != Fate.DIVIDE && last.fate != Fate.WRITTEN) {
                last.fate = Fate.OPEN;
            }
            writtenInLine |= last.fate == Fate.WRITTEN;
            waiting.addFirst(last);
        }
        troubled = false;
        if (!divides) {
            backoff.failed(nowNanos);
        }
    }

    /** The topic was recreated: its broker knows nothing of the producer. */
    void recreated() {
        known = false;
    }

    /**
     * Restarts sequences under another epoch or id, and rewrites everything that the listener has not heard of, in
     * order. A batch that was accepted behind one in doubt is rewritten, too: it would otherwise be followed by an
     * older one.
     */
    void renumber(long newProducerId, short newEpoch) {
        producerId = newProducerId;
        epoch = newEpoch;
        nextSequence = 0;
        usedTo = UNKNOWN;
        known = false;
        waiting.forEach(ProducerBatch::forgetSequence);
    }

    @Override
    public String toString() {
        return topic.name + "-" + number;
    }
}
