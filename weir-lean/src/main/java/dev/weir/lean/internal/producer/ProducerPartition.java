package dev.weir.lean.internal.producer;

import dev.weir.lean.internal.cluster.PartitionLeader;
import dev.weir.lean.internal.cluster.RetryBackoff;
import dev.weir.lean.internal.producer.ProducerBatch.State;
import dev.weir.lean.spi.InvariantException;
import java.util.ArrayDeque;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * A partition to which records are sent. Callers use only its {@link #intake}. Everything else is confined to the
 * producer's thread.
 *
 * <p>The partition has two queues of batches, oldest first: up to {@link #WINDOW} batches in {@link #flying}, then the
 * batches in {@link #waiting}. After a failure, no batch is sent until all batches in flight have a response. Then
 * {@link #rewind} moves them back to the front of {@link #waiting}.
 */
final class ProducerPartition {

    /** Number of batches that a broker remembers per producer, to detect duplicates (KIP-98). */
    static final int WINDOW = 5;

    static final int UNKNOWN = -1;

    /**
     * Idle time after which the broker may have forgotten the producer. The broker counts from the timestamp of the
     * last record, which may be old.
     */
    private static final long REST_NANOS = 60_000_000_000L;

    final ProducerTopic topic;
    final int number;
    final RecordIntake intake = new RecordIntake();
    final ArrayDeque<ProducerBatch> waiting = new ArrayDeque<>();
    final ArrayDeque<ProducerBatch> flying = new ArrayDeque<>(WINDOW);

    /** Number of records whose outcome the listener has received. Single writer. */
    final AtomicLong finished = new AtomicLong();

    final PartitionLeader leader = new PartitionLeader();

    /**
     * True if the broker was busy when the producer's thread last checked. Callers then do not wake the thread. The
     * thread clears the flag before it checks {@link #intake}, so that it misses no batch.
     */
    volatile boolean held;

    int unanswered;

    @Nullable
    ProducerBroker broker;

    /** True if a batch in flight must be sent again. */
    boolean troubled;

    /** True if the sequences must restart, because the log may not contain the batches in their order. */
    boolean gap;

    /** True if {@link #waiting} may contain written batches, behind a batch with an unknown outcome. */
    private boolean writtenInLine;

    private final RetryBackoff backoff;

    // The partition's producer id, with its epoch and next sequence
    long producerId = UNKNOWN;
    short epoch;
    private int nextSequence;

    /**
     * The sequence after the last sequence that may be in the log under this epoch; {@link #UNKNOWN} if there is none.
     */
    private int usedTo = UNKNOWN;

    /** True if a batch was acknowledged under this epoch. Until then, only one batch may be in flight. */
    private boolean known;

    private long lastWrittenNanos;

    ProducerPartition(ProducerTopic topic, int number, RetryBackoff backoff) {
        this.topic = topic;
        this.number = number;
        this.backoff = backoff;
    }

    boolean hasLeader() {
        return leader.node() != PartitionLeader.NOBODY;
    }

    boolean maySend(long nowNanos) {
        ProducerBatch next = waiting.peek();
        // A written batch waits behind a batch whose outcome is unknown. Send nothing until the outcome is known: the
        // broker remembers only the last five batches.
        if (next == null || next.state == State.WRITTEN || troubled || !backoff.isDue(nowNanos)) {
            return false;
        }
        if (!known || nowNanos - lastWrittenNanos > REST_NANOS) {
            // A broker that does not know the producer may write a second batch before the first.
            return flying.isEmpty();
        }
        return flying.size() < WINDOW;
    }

    /** Returns whether the next batch need not wait for an earlier one. */
    boolean hasRoom() {
        return waiting.isEmpty() && !troubled && flying.size() < (known ? WINDOW : 1);
    }

    /** Moves the first waiting batch to the batches in flight. Assigns a sequence if the batch has none. */
    ProducerBatch take() {
        ProducerBatch batch = waiting.element();
        check(batch);
        waiting.remove();
        if (!batch.hasSequence()) {
            batch.sequence = nextSequence;
            nextSequence = after(batch);
        }
        batch.state = State.OPEN;
        flying.add(batch);
        unanswered++;
        return batch;
    }

    private static int after(ProducerBatch batch) {
        return (batch.sequence + batch.count()) & Integer.MAX_VALUE;
    }

    /** Throws an exception if sending the batch now would violate an invariant. */
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

    /** Returns whether a sequence is before another sequence. Sequences wrap around to 0. */
    private static boolean isBefore(int sequence, int other) {
        return ((sequence - other) & Integer.MAX_VALUE) > Integer.MAX_VALUE / 2;
    }

    private String state(ProducerBatch batch) {
        return this + " sequence=" + (batch.hasSequence() ? batch.sequence : nextSequence) + " usedTo=" + usedTo
                + " epoch=" + epoch + " inFlight=" + flying.size() + " known=" + known;
    }

    /** Reserves the sequence of a sent batch that is, or may be, in the log under this epoch. */
    private void used(ProducerBatch batch) {
        if (usedTo == UNKNOWN || isBefore(usedTo, after(batch))) {
            usedTo = after(batch);
        }
    }

    void written(ProducerBatch batch, long offset, long nowNanos) {
        unanswered--;
        batch.state = State.WRITTEN;
        batch.offset = offset;
        used(batch);
        known = true;
        lastWrittenNanos = nowNanos;
        backoff.succeeded();
        if (writtenInLine && isBehindLaterOne(batch)) {
            // The broker had forgotten the producer and accepted this retry behind a later batch. Send all waiting
            // batches again, even written ones, so that they follow this batch.
            waiting.forEach(ProducerBatch::forgetSequence);
            troubled = true;
            gap = true;
        }
    }

    /** Returns whether a later batch may be before this batch in the log, judging by their offsets. */
    private boolean isBehindLaterOne(ProducerBatch batch) {
        boolean found = false;
        for (ProducerBatch later : waiting) {
            if (later.state == State.WRITTEN) {
                found = true;
                if (batch.offset < 0 || later.offset < batch.offset) {
                    return true;
                }
            }
        }
        writtenInLine = found;
        return false;
    }

    /** Reports that a batch must be sent again, with the same sequence unless the sequences restart. */
    void failed(ProducerBatch batch, String why, boolean perhapsWritten) {
        unanswered--;
        batch.state = State.RETRY;
        batch.trouble = why;
        batch.doubtful |= perhapsWritten;
        if (batch.doubtful) {
            used(batch);
        }
        troubled = true;
    }

    void tooLarge(ProducerBatch batch) {
        unanswered--;
        batch.state = State.DIVIDE;
        troubled = true;
    }

    /** Reports a rejected batch for which a retry would not help. */
    void refused(ProducerBatch batch, String why, Throwable cause) {
        unanswered--;
        batch.state = State.REFUSED;
        batch.trouble = why;
        batch.cause = cause;
        if (batch.doubtful) {
            used(batch);
        }
    }

    boolean isHead(ProducerBatch batch) {
        return flying.peek() == batch;
    }

    /** Removes and returns the oldest batch if its outcome is known; otherwise returns null. */
    @Nullable
    ProducerBatch takeSettled() {
        ArrayDeque<ProducerBatch> oldest = flying.isEmpty() ? waiting : flying;
        ProducerBatch head = oldest.peek();
        if (head == null || (head.state != State.WRITTEN && head.state != State.REFUSED)) {
            return null;
        }
        oldest.remove();
        if (head.state == State.REFUSED) {
            forget(head);
        }
        return head;
    }

    /**
     * Called after a rejected batch was removed. Reuses its sequence if the batch is certainly not in the log and no
     * later batch has a sequence.
     */
    void forget(ProducerBatch batch) {
        ProducerBatch next = waiting.peek();
        if (batch.hasSequence() && !batch.doubtful && flying.isEmpty() && (next == null || !next.hasSequence())) {
            nextSequence = batch.sequence;
        }
    }

    /** Moves all batches in flight, even written batches, back to the front of {@link #waiting}. */
    void rewind(long nowNanos) {
        // The halves of a batch that was too large need no backoff.
        boolean divides = !flying.isEmpty() && flying.element().state == State.DIVIDE;
        while (!flying.isEmpty()) {
            ProducerBatch last = flying.getLast();
            if (last.state != State.DIVIDE && last.state != State.WRITTEN) {
                last.state = State.OPEN;
            }
            waiting.addFirst(last);
            flying.removeLast(); // only now, because addFirst may run out of memory
        }
        writtenInLine = true;
        troubled = false;
        if (!divides) {
            backoff.failed(nowNanos);
        }
    }

    /** Reports that the topic was recreated. Its brokers do not know the producer. */
    void recreated() {
        known = false;
        leader.recreated();
    }

    /**
     * Restarts the sequences under another epoch or producer id. All waiting batches get new sequences and are sent in
     * order.
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
