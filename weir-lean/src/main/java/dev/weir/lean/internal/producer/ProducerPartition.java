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
 * <p>The partition has two queues of batches, oldest first: up to {@link #WINDOW} batches in {@link #flying}, followed
 * by the batches in {@link #waiting}. After a failure, no batch is sent until all batches in flight have been answered.
 * Then {@link #rewind} moves the batches in flight back to the front of {@link #waiting}.
 */
final class ProducerPartition {

    /** The number of batches per producer that a broker remembers to detect duplicates (KIP-98). */
    static final int WINDOW = 5;

    static final int UNKNOWN = -1;

    /**
     * The idle time after which the broker may have forgotten the producer. By default, a broker forgets a producer
     * after one day. The day starts at the timestamp of the last record, so a producer of old records may be forgotten
     * much earlier, as soon as the broker checks for expired producers.
     */
    private static final long REST_NANOS = 60_000_000_000L;

    final ProducerTopic topic;
    final int number;
    final RecordIntake intake = new RecordIntake();
    final ArrayDeque<ProducerBatch> waiting = new ArrayDeque<>();
    final ArrayDeque<ProducerBatch> flying = new ArrayDeque<>(WINDOW);

    /** The number of records whose outcome was reported to the listener. Single writer. */
    final AtomicLong finished = new AtomicLong();

    final PartitionLeader leader = new PartitionLeader();

    /**
     * True if the partition's broker was busy when the producer's thread last checked. Callers then do not wake the
     * thread, because it checks the partition again anyway. The thread must clear the flag before it checks {@link
     * #intake}. Otherwise it could miss a batch that was filled after the check by a caller that still saw the flag.
     */
    volatile boolean held;

    /** The number of batches in flight without a response. */
    int unanswered;

    /** The broker that received the batches in flight. */
    @Nullable
    ProducerBroker broker;

    /** True if a batch in flight must be sent again. */
    boolean troubled;

    /**
     * True if sequences must be restarted. Either the broker rejected the sequence, the epoch or the producer id of the
     * oldest batch, or that batch may be in the log after a later one.
     */
    boolean gap;

    /**
     * True if {@link #waiting} may contain written batches. A written batch is moved there together with an earlier
     * batch whose outcome is unknown.
     */
    private boolean writtenInLine;

    private final RetryBackoff backoff;

    // The partition's producer id, with its epoch and next sequence
    long producerId = UNKNOWN;
    short epoch;
    private int nextSequence;

    /** The sequence after the last one that may be in the log under this epoch; {@link #UNKNOWN} if there is none. */
    private int usedTo = UNKNOWN;

    /** True if a batch was acknowledged under this epoch. Before that, only one batch may be in flight. */
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

    /** Returns whether the first waiting batch may be sent now. */
    boolean maySend(long nowNanos) {
        ProducerBatch next = waiting.peek();
        // If the first waiting batch is already written, an earlier batch with an unknown outcome is in flight. Send
        // nothing until that outcome is known. The broker remembers only the last five batches, so further batches
        // would make it forget the batch with the unknown outcome.
        if (next == null || next.state == State.WRITTEN || troubled || !backoff.isDue(nowNanos)) {
            return false;
        }
        if (!known || nowNanos - lastWrittenNanos > REST_NANOS) {
            // If the broker does not know the producer, it accepts any sequence. With two batches in flight, the second
            // could be written before the first.
            return flying.isEmpty();
        }
        return flying.size() < WINDOW;
    }

    /** Returns whether the next batch could be sent without waiting for an earlier one. */
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

    /** Returns whether a sequence is before another one. After the largest sequence, sequences start again at 0. */
    private static boolean isBefore(int sequence, int other) {
        return ((sequence - other) & Integer.MAX_VALUE) > Integer.MAX_VALUE / 2;
    }

    private String state(ProducerBatch batch) {
        return this + " sequence=" + (batch.hasSequence() ? batch.sequence : nextSequence) + " usedTo=" + usedTo
                + " epoch=" + epoch + " inFlight=" + flying.size() + " known=" + known;
    }

    /**
     * Ensures that a batch's sequence is not assigned to other batches under this epoch. Called if the batch is in the
     * log, or may be in the log.
     */
    private void used(ProducerBatch batch) {
        if (batch.hasSequence() && (usedTo == UNKNOWN || isBefore(usedTo, after(batch)))) {
            usedTo = after(batch);
        }
    }

    /** Reports that a broker has written a batch. */
    void written(ProducerBatch batch, long offset, long nowNanos) {
        unanswered--;
        batch.state = State.WRITTEN;
        batch.offset = offset;
        used(batch);
        known = true;
        lastWrittenNanos = nowNanos;
        backoff.succeeded();
        if (writtenInLine && isBehindLaterOne(batch)) {
            // This batch follows a later batch in the log, because the broker had forgotten the producer and accepted
            // the retry as a new batch. Send the waiting batches again, including written ones, so that they follow
            // this batch.
            waiting.forEach(ProducerBatch::forgetSequence);
            troubled = true;
            gap = true;
        }
    }

    /**
     * Returns whether a later batch is, or may be, before this batch in the log. The order is uncertain if the offset
     * of this batch is unknown.
     */
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

    /** Reports that a batch must be sent again. It keeps its sequence unless sequences are restarted. */
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

    /** Reports that a batch is too large and must be split. */
    void tooLarge(ProducerBatch batch) {
        unanswered--;
        batch.state = State.DIVIDE;
        troubled = true;
    }

    /** Reports that the broker has rejected a batch, and that a retry would not help. */
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

    /** Removes and returns the oldest batch if its outcome is known. Otherwise returns null. */
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
     * Called when a rejected batch has been removed. Reuses its sequence if the batch is certainly not in the log and
     * no later batch has a sequence yet. Otherwise the broker will report a gap, after which {@link #renumber} restarts
     * the sequences.
     */
    void forget(ProducerBatch batch) {
        ProducerBatch next = waiting.peek();
        if (batch.hasSequence() && !batch.doubtful && flying.isEmpty() && (next == null || !next.hasSequence())) {
            nextSequence = batch.sequence;
        }
    }

    /**
     * Moves all batches in flight back to the front of {@link #waiting}. This includes batches already written, because
     * an earlier batch may not be in the log yet.
     */
    void rewind(long nowNanos) {
        // If the oldest batch is too large, the batches after it have failed only because that batch was not written.
        // The halves of the oldest batch can be sent without a backoff.
        boolean divides = !flying.isEmpty() && flying.element().state == State.DIVIDE;
        while (!flying.isEmpty()) {
            ProducerBatch last = flying.getLast();
            if (last.state != State.DIVIDE && last.state != State.WRITTEN) {
                last.state = State.OPEN;
            }
            writtenInLine |= last.state == State.WRITTEN;
            waiting.addFirst(last);
            flying.removeLast(); // only now, because addFirst may run out of memory
        }
        troubled = false;
        if (!divides) {
            backoff.failed(nowNanos);
        }
    }

    /** Reports that the topic was recreated. Brokers do not know the producer in the new topic. */
    void recreated() {
        known = false;
        leader.recreated();
    }

    /**
     * Restarts sequences under another epoch or producer id. All waiting batches then get new sequences and are sent in
     * order. Written batches behind a batch with an unknown outcome are sent again too. If only the batch in doubt were
     * sent again, it could follow them in the log.
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
