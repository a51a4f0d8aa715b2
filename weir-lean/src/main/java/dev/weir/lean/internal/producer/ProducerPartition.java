package dev.weir.lean.internal.producer;

import dev.weir.lean.internal.cluster.PartitionLeader;
import dev.weir.lean.internal.cluster.RetryBackoff;
import dev.weir.lean.internal.producer.ProducerBatch.State;
import dev.weir.lean.spi.InvariantException;
import java.util.ArrayDeque;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * A partition to which records are sent. Callers use only its {@link #intake}; everything else is confined to the
 * producer's thread.
 *
 * <p>Its batches are in two queues, oldest first: up to {@link #WINDOW} batches in flight, followed by the waiting
 * ones. After a failure, nothing is sent until no response is outstanding. Then {@link #rewind} moves all batches in
 * flight back to the waiting ones.
 */
final class ProducerPartition {

    /** The number of a producer's batches that a broker remembers to detect duplicates (KIP-98). */
    static final int WINDOW = 5;

    static final int UNKNOWN = -1;

    /**
     * The idle time after which the broker may have forgotten the producer. By default, a broker remembers a producer
     * for a day. It measures the day from the timestamp of the last record, so a producer of old records is forgotten
     * at the broker's next check.
     */
    private static final long REST_NANOS = 60_000_000_000L;

    final ProducerTopic topic;
    final int number;
    final RecordIntake intake = new RecordIntake();
    final ArrayDeque<ProducerBatch> waiting = new ArrayDeque<>();
    final ArrayDeque<ProducerBatch> flying = new ArrayDeque<>(WINDOW);

    /** The number of records whose outcome was reported. Single writer. */
    final AtomicLong finished = new AtomicLong();

    final PartitionLeader leader = new PartitionLeader();

    /**
     * True if the partition's broker currently accepts no requests. Callers then need not wake the producer's thread,
     * because the thread checks the partition later by itself. The flag must be cleared before that check. Otherwise a
     * batch that is filled in between could be missed.
     */
    volatile boolean held;

    /** The number of batches in flight that have not been answered. */
    int unanswered;

    /** The broker to which the batches in flight were sent. */
    @Nullable
    ProducerBroker broker;

    /** True if a batch in flight must be sent again. */
    boolean troubled;

    /**
     * True if sequences must be restarted, because the broker reported a gap before the oldest batch, or wrote the
     * oldest batch after a later one.
     */
    boolean gap;

    /**
     * True if {@link #waiting} may contain written batches. A written batch waits there if it follows a batch with an
     * unknown outcome.
     */
    private boolean writtenInLine;

    private final RetryBackoff backoff;

    // The producer id of this partition
    long producerId = UNKNOWN;
    short epoch;
    private int nextSequence;

    /**
     * The sequence after the largest sequence that may be in the log under this epoch; {@link #UNKNOWN} if there is
     * none.
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

    /** Returns whether the first waiting batch may be sent now. */
    boolean maySend(long nowNanos) {
        ProducerBatch next = waiting.peek();
        // A written batch keeps its slot while it is queued after a batch with an unknown outcome. Otherwise, further
        // batches would make the broker, which remembers only five, forget the batch with the unknown outcome.
        if (next == null || next.state == State.WRITTEN || troubled || !backoff.isDue(nowNanos)) {
            return false;
        }
        if (!known || nowNanos - lastWrittenNanos > REST_NANOS) {
            // A broker that does not know the producer accepts any sequence, so a second batch could be written before
            // the first.
            return flying.isEmpty();
        }
        return flying.size() < WINDOW;
    }

    /** Returns whether a batch that is sealed now could be sent soon. */
    boolean hasRoom() {
        return waiting.isEmpty() && !troubled && flying.size() < (known ? WINDOW : 1);
    }

    /** Moves the first waiting batch to the batches in flight, and assigns its sequence if it has none. */
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

    /** Throws an exception if the batch must not be sent now. */
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

    /** Returns whether a sequence is before another one. Sequences wrap around to 0 after the largest number. */
    private static boolean isBefore(int sequence, int other) {
        return ((sequence - other) & Integer.MAX_VALUE) > Integer.MAX_VALUE / 2;
    }

    private String state(ProducerBatch batch) {
        return this + " sequence=" + (batch.hasSequence() ? batch.sequence : nextSequence) + " usedTo=" + usedTo
                + " epoch=" + epoch + " inFlight=" + flying.size() + " known=" + known;
    }

    /**
     * Marks the sequence of a batch that is, or may be, in the log as used, so that the sequence is not reused under
     * this epoch.
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
            // The broker had forgotten the producer, and accepted the retry as a new batch.
            waiting.forEach(ProducerBatch::forgetSequence);
            troubled = true;
            gap = true;
        }
    }

    /**
     * Returns true if a batch is in the log after a batch that should follow it, or if this is possible because an
     * offset is unknown.
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

    /** Reports that a batch must be sent again with the same sequence. */
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

    /** Reports that a batch must be split. */
    void tooLarge(ProducerBatch batch) {
        unanswered--;
        batch.state = State.DIVIDE;
        troubled = true;
    }

    /** Reports that a batch will never be written. */
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
     * Handles a removed batch that was rejected. If the batch is certainly not in the log, and no later batch has a
     * sequence yet, its sequence is reused. Otherwise the broker finds a gap, which {@link #renumber} closes.
     */
    void forget(ProducerBatch batch) {
        ProducerBatch next = waiting.peek();
        if (batch.hasSequence() && !batch.doubtful && flying.isEmpty() && (next == null || !next.hasSequence())) {
            nextSequence = batch.sequence;
        }
    }

    /**
     * Moves all batches in flight back to the waiting ones, including written ones that follow a batch that may not be
     * in the log.
     */
    void rewind(long nowNanos) {
        // If the oldest batch is too large, the later batches fail with it. The halves of the large batch can be sent
        // without a backoff.
        boolean divides = !flying.isEmpty() && flying.element().state == State.DIVIDE;
        while (!flying.isEmpty()) {
            ProducerBatch last = flying.removeLast();
            if (last.state != State.DIVIDE && last.state != State.WRITTEN) {
                last.state = State.OPEN;
            }
            writtenInLine |= last.state == State.WRITTEN;
            waiting.addFirst(last);
        }
        troubled = false;
        if (!divides) {
            backoff.failed(nowNanos);
        }
    }

    /** Reports that the topic was recreated. The broker of the new topic does not know the producer. */
    void recreated() {
        known = false;
        leader.recreated();
    }

    /**
     * Restarts sequences under another epoch or id, so that all batches whose outcome was not reported are written
     * again, in order. These include a batch that was accepted after a batch with an unknown outcome. Otherwise the
     * older of the two would follow the accepted batch in the log.
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
