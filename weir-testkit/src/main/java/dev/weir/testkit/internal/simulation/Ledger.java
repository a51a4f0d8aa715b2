package dev.weir.testkit.internal.simulation;

import dev.weir.stream.spi.Clock;
import dev.weir.stream.spi.Stage;
import dev.weir.testkit.RebalanceSimulation.Event;
import dev.weir.testkit.RebalanceSimulation.Order;
import dev.weir.testkit.SimulatedFailure;
import dev.weir.testkit.internal.simulation.Draw.Of;
import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;

/**
 * Tracks the pipeline's work on each record, and checks the guarantees that depend on this work alone. Thread-safe:
 * pipeline threads begin work, and the simulation's thread ends it.
 */
final class Ledger {

    /** Length of an outage, in which all work fails. The seed determines which periods of this length are outages. */
    private static final long OUTAGE_NANOS = TimeUnit.SECONDS.toNanos(4);

    private static final long MILLI = TimeUnit.MILLISECONDS.toNanos(1);

    /** The records that must be handled one after the other within one assignment. Guarded by the ledger's lock. */
    static final class Sequence {
        private long lastBegun = -1;
        private @Nullable RecordWork running;
    }

    /** The state of one record. */
    private static final class RecordState {
        private int attempts;
        private boolean done;
        private boolean isWritten;
        private int doneInAssignment;

        /** Number of the latest assignment whose handlers must no longer begin the record. */
        private int begunAfter = -1;
    }

    private record Place(TopicPartition id, long offset) {}

    private record SequenceOf(TopicPartition id, @Nullable Object key, int assignment) {}

    private final Scenario scenario;
    private final Draw draw;
    private final Clock clock;
    private final History history;
    private final ReentrantLock lock = new ReentrantLock();

    // Guarded by the lock.
    private final Map<Place, RecordState> states = new HashMap<>();
    private final Map<SequenceOf, Sequence> sequences = new HashMap<>();
    private final TreeSet<RecordWork> running = new TreeSet<>(RecordWork.BY_END);

    /** Work of ended processes that will never be done. */
    private final Set<RecordWork> lost = new HashSet<>();

    private boolean quiet;
    private boolean crashed;

    /**
     * True if a record counts as done when its output is written; false if it counts as done when the work on it ends.
     */
    private boolean written;

    private @Nullable String violation;

    /** True if the simulation has read the violation; later ones are ignored. */
    private boolean looked;

    Ledger(Scenario scenario, Draw draw, Clock clock, History history) {
        this.scenario = scenario;
        this.draw = draw;
        this.clock = clock;
        this.history = history;
    }

    // ---- Threads of the pipeline -----------------------------------------------------------------------------------

    /** Begins work on a record, and returns the work; null if the process is gone. */
    @Nullable
    RecordWork begin(ConsumerRecord<?, ?> record) {
        TopicPartition id = new TopicPartition(record.topic(), record.partition());
        int assignment = assignmentOf(record);
        lock.lock();
        try {
            if (crashed) {
                return null;
            }
            RecordState state = states.computeIfAbsent(new Place(id, record.offset()), place -> new RecordState());
            state.attempts++;
            Sequence sequence =
                    sequences.computeIfAbsent(new SequenceOf(id, sequence(record), assignment), key -> new Sequence());
            long nanos = duration(id, record.offset(), state.attempts);
            RecordWork work = new RecordWork(
                    id,
                    record.offset(),
                    assignment,
                    sequence,
                    state.attempts,
                    clock.nanoTime() + nanos,
                    new CompletableFuture<>(),
                    lock.newCondition(),
                    failure(id, record.offset(), state.attempts));
            history.pipeline("work begins " + work + ", assignment " + assignment
                    + (state.attempts > 1 ? ", time " + state.attempts : "") + ", takes " + nanos / MILLI + " ms");
            checkRepeat(work, state);
            checkOrder(work);
            checkTakenOver(work, state);
            sequence.running = work;
            sequence.lastBegun = record.offset();
            running.add(work);
            return work;
        } finally {
            lock.unlock();
        }
    }

    /** Returns the assignment in which the source emitted the record. */
    static int assignmentOf(ConsumerRecord<?, ?> record) {
        return record.leaderEpoch()
                .orElseThrow(() -> new IllegalArgumentException(
                        "not a record of this simulation: " + record.topic() + "-" + record.partition() + "@"
                                + record.offset() + " has no leader epoch; use the record that the source emitted"));
    }

    /**
     * Returns the ordering key of the record: the partition's or the record's key, depending on the checked order.
     * Without a checked order or a key, each record has its own.
     */
    private @Nullable Object sequence(ConsumerRecord<?, ?> record) {
        if (scenario.order() == Order.PARTITION) {
            return null;
        }
        Object key = record.key() instanceof byte[] bytes ? ByteBuffer.wrap(bytes) : record.key();
        return scenario.order() == Order.KEY && key != null ? key : Long.valueOf(record.offset());
    }

    private long duration(TopicPartition id, long offset, int attempt) {
        long[] which = {id.hashCode(), offset, attempt};
        long micros = switch ((int) draw.below(quiet ? 1 : 100, Of.WORK, which)) {
            case 99 -> 60_000_000;
            case 98, 97, 96, 95 -> 3_000_000;
            case 94, 93, 92, 91, 90, 89, 88, 87, 86, 85 -> 200_000;
            default -> 5_000;
        };
        return TimeUnit.MICROSECONDS.toNanos(1 + draw.below(micros, Of.WORK, id.hashCode(), offset, attempt, 1));
    }

    /** Returns the failure of the work; null if it succeeds. During an outage, all work fails. */
    private @Nullable SimulatedFailure failure(TopicPartition id, long offset, int attempt) {
        if (quiet || !scenario.has(Event.FAILING_WORK)) {
            return null;
        }
        long period = clock.nanoTime() / OUTAGE_NANOS;
        return draw.oneIn(5, Of.FAILURE, period) || draw.oneIn(12, Of.FAILURE, id.hashCode(), offset, attempt)
                ? new SimulatedFailure("work on " + id + "@" + offset + " fails, time " + attempt)
                : null;
    }

    /**
     * Reports a violation if another member has taken over the partition and begun the record. That member may have
     * handled later records.
     */
    private void checkTakenOver(RecordWork work, RecordState state) {
        if (scenario.has(Event.TAKEOVER) && work.assignment() <= state.begunAfter) {
            violate("work on " + work + " begins in assignment " + work.assignment()
                    + ", though its partition was revoked and its new owner had begun that record before");
        }
        state.begunAfter = Math.max(state.begunAfter, work.assignment() - 1);
    }

    private void checkRepeat(RecordWork work, RecordState state) {
        if (scenario.isAtMostOnce() && state.attempts > 1) {
            violate(work + " is worked on a second time");
        } else if (state.done && state.doneInAssignment == work.assignment()) {
            violate(work + " is worked on again in the same assignment, though it was done");
        }
    }

    private void checkOrder(RecordWork work) {
        Sequence sequence = work.sequence();
        String what = scenario.order() == Order.KEY ? " of the same key" : "";
        if (sequence.running != null) {
            violate("work on " + work + " begins before " + sequence.running + what + " is done");
        } else if (work.offset() < sequence.lastBegun) {
            violate("work on " + work + " begins after " + work.id() + "@" + sequence.lastBegun + what);
        }
    }

    /**
     * Waits until the work is done. The clock's own wait method counts the thread as running as soon as it is
     * signalled.
     *
     * @throws InterruptedException if the thread is interrupted, or the process has ended
     */
    void await(RecordWork work) throws InterruptedException {
        lock.lock();
        try {
            while (!work.done().isDone()) {
                if (lost.contains(work)) {
                    throw new InterruptedException("the simulated process has crashed");
                }
                clock.await(lock, work.ended(), Stage.NEVER);
            }
        } finally {
            lock.unlock();
        }
    }

    /** Reports that the handler was interrupted and the work was not done. */
    void abandon(RecordWork work) {
        lock.lock();
        try {
            if (!crashed && running.remove(work)) {
                end(work);
                history.pipeline("work on " + work + " is interrupted");
            }
        } finally {
            lock.unlock();
        }
    }

    private void end(RecordWork work) {
        if (work.sequence().running == work) {
            work.sequence().running = null;
        }
    }

    // ---- The simulation --------------------------------------------------------------------------------------------

    /** Returns the time when the earliest running work ends. */
    long nextDueNanos() {
        lock.lock();
        try {
            return running.isEmpty() ? Long.MAX_VALUE : running.first().dueNanos();
        } finally {
            lock.unlock();
        }
    }

    /** Ends the earliest running work if it is due. */
    void finishNext() {
        RecordWork due;
        lock.lock();
        try {
            if (running.isEmpty() || running.first().dueNanos() > clock.nanoTime()) {
                return;
            }
            due = running.removeFirst();
            end(due);
            if (due.failure() == null) {
                done(due.id(), due.offset(), due.assignment());
            }
        } finally {
            lock.unlock();
        }
        history.world((due.failure() == null ? "work done    " : "work fails   ") + due);
        // Dependents of the future may run user code, so complete it outside the lock.
        if (due.failure() == null) {
            due.done().complete(null);
        } else {
            due.done().completeExceptionally(due.failure());
        }
        lock.lock();
        try {
            due.ended().signal();
        } finally {
            lock.unlock();
        }
    }

    private void done(TopicPartition id, long offset, int assignment) {
        RecordState state = states.computeIfAbsent(new Place(id, offset), place -> new RecordState());
        state.done = true;
        state.doneInAssignment = assignment;
    }

    /** Makes every record count as done only when its output is written. */
    void doneWhenWritten() {
        lock.lock();
        try {
            written = true;
        } finally {
            lock.unlock();
        }
    }

    void written(TopicPartition id, long offset) {
        lock.lock();
        try {
            states.computeIfAbsent(new Place(id, offset), place -> new RecordState()).isWritten = true;
        } finally {
            lock.unlock();
        }
    }

    /**
     * Reports that another member has handled the record.
     *
     * @param after the number of the partition's most recent assignment to this member
     */
    void doneElsewhere(TopicPartition id, long offset, int after) {
        lock.lock();
        try {
            RecordState state = states.computeIfAbsent(new Place(id, offset), place -> new RecordState());
            state.done = true;
            state.isWritten = true;
            state.begunAfter = Math.max(state.begunAfter, after);
        } finally {
            lock.unlock();
        }
    }

    /** Makes work take only milliseconds from now on. */
    void calmDown() {
        lock.lock();
        try {
            quiet = true;
        } finally {
            lock.unlock();
        }
    }

    /**
     * Sets whether the process has crashed. Running work is not done, but its threads keep waiting, so that none of
     * them fails the pipeline before the crash does.
     *
     * @param gone true if the process crashes; false if it starts
     */
    void crashed(boolean gone) {
        lock.lock();
        try {
            crashed = gone;
        } finally {
            lock.unlock();
        }
    }

    void discardIfCrashed() {
        lock.lock();
        try {
            if (crashed) {
                discard();
            }
        } finally {
            lock.unlock();
        }
    }

    /** Discards all running work, and wakes the threads that wait for it, because their process has ended. */
    void discard() {
        lock.lock();
        try {
            lost.addAll(running);
            running.clear();
            lost.forEach(work -> {
                end(work);
                work.ended().signalAll();
            });
        } finally {
            lock.unlock();
        }
    }

    /** Returns the reason why a commit must not cover a record; null if it may. */
    @Nullable
    String undone(PartitionLog log, long offset) {
        ConsumerRecord<byte[], byte[]> record = log.at(offset);
        if (record == null || scenario.ignored().test(record)) {
            return null;
        }
        lock.lock();
        try {
            RecordState state = states.get(new Place(log.id, offset));
            if (written) {
                return state != null && state.isWritten ? null : log.id + "@" + offset + " was never written";
            }
            if (state == null) {
                return log.id + "@" + offset + " was never worked on; if the pipeline filters it, say so by ignoring()";
            }
            return state.done ? null : "work on " + log.id + "@" + offset + " has begun and is not done";
        } finally {
            lock.unlock();
        }
    }

    /**
     * Registers a violation. Keeps the smallest text of violations at the same simulated time, because their order
     * varies. Ignores later violations.
     */
    void violate(String what) {
        lock.lock();
        try {
            if (!looked && (violation == null || what.compareTo(violation) < 0)) {
                violation = what;
            }
        } finally {
            lock.unlock();
        }
    }

    @Nullable
    String violation() {
        lock.lock();
        try {
            if (violation != null && !looked) {
                looked = true;
                history.world("VIOLATION: " + violation);
            }
            return violation;
        } finally {
            lock.unlock();
        }
    }
}
