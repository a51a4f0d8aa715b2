package dev.weir.kafka.internal.out.transaction;

import dev.weir.kafka.internal.meters.LatencyCounts;
import dev.weir.kafka.internal.out.transaction.TransactionState.Transition;
import dev.weir.stream.spi.AckTarget;
import dev.weir.stream.spi.Clock;
import dev.weir.stream.spi.StageMeter;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BiConsumer;
import org.apache.kafka.common.errors.InterruptException;
import org.jspecify.annotations.Nullable;

/**
 * State shared by the segment's thread, the owner of the consumer and the committing thread of a run. It owns the
 * {@link TransactionState} and the two transactions that go with it: each transition is a method here, called under
 * {@link #lock} by the thread that it names. Fields without another note are guarded by the lock; those that are
 * volatile may be read without it, by whoever looks again under the lock before it acts.
 */
final class TransactionsOfRun<K, V> {

    /** The progress of the run's input. */
    private enum Input {
        OPEN,

        /** Nothing more comes that a cut could wait for. */
        ENDED,

        /** It has ended, and nothing is left that could be committed. */
        THROUGH
    }

    /** The progress of {@link #send}. */
    private enum Sending {
        NOTHING,
        UNDER_WAY,

        /** It is under way, and somebody waits for its end. */
        AWAITED
    }

    final ReentrantLock lock = new ReentrantLock();

    /** Anything here has changed. */
    final Condition changed = lock.newCondition();

    /** The clock of the run, by which its stages wait. */
    final Clock clock;

    /** The clock by which the owner and the committing thread wait: the system's, but for simulations. */
    final Clock ownClock;

    /**
     * True if records are kept until they are committed: at the end of a bounded read nothing is read again, and
     * records aborted then are written again from here.
     */
    final boolean keeps;

    /** The treatment of records that cannot be written; null if the run fails. Set before its threads begin. */
    @Nullable
    TransactionRule<K, V> rule;

    /** Hears of each transition and the state before it, under the lock. Set before the threads of the run begin. */
    BiConsumer<TransactionState, Transition> onTransition = (from, by) -> {};

    private volatile TransactionState state = TransactionState.IDLE;

    /** The transaction that takes records; null until the next record. */
    private volatile @Nullable OpenTransaction<K, V> filling;

    /** The cut being committed; at most one, so commits are in order. */
    private volatile @Nullable TransactionCut<K, V> committing;

    /** Producers without a transaction. */
    private final ArrayDeque<TransactionalProducer<K, V>> free = new ArrayDeque<>();

    /** Aborted records and sources that were not written or read again yet. */
    final AbortedWork<K, V> aborted;

    /**
     * The progress of sending a record to {@link #filling}, which happens without the lock, as it may block for long.
     * That transaction stays what it is meanwhile: nobody cuts or aborts it.
     */
    private Sending sending = Sending.NOTHING;

    private Input input = Input.OPEN;

    /** True if a cut is to be made as soon as possible. Set by any thread, taken back under the lock. */
    private volatile boolean cutWanted;

    /**
     * True if the pipeline is given no records: too many gaps are among the finished offsets for a commit to note.
     * Written by the owner.
     */
    private volatile boolean intakeHeld;

    /** Targets whose elements the run's source has emitted; others know nothing of its transactions. */
    private final Set<AckTarget> sources = ConcurrentHashMap.newKeySet();

    /** Sources whose elements are written though they are revoked, until the last cut with them is made. */
    volatile Set<AckTarget> leaving = Set.of();

    /** Commits that are confirmed and that the owner does not know of. From the committing thread to the owner. */
    final Queue<TransactionCut<K, V>> confirmed = new ConcurrentLinkedQueue<>();

    /** Times from a record's timestamp to its commit. */
    final LatencyCounts latency = new LatencyCounts();

    /** Counts records that are committed. */
    volatile StageMeter sinkMeter = new StageMeter();

    /** Wakes the owner of the consumer; quick, any thread. */
    volatile Runnable wakeOwner = () -> {};

    TransactionsOfRun(Clock clock, boolean keeps) {
        this(clock, Clock.SYSTEM, keeps);
    }

    TransactionsOfRun(Clock clock, Clock ownClock, boolean keeps) {
        this.clock = clock;
        this.ownClock = ownClock;
        this.keeps = keeps;
        this.aborted = new AbortedWork<>(keeps);
    }

    // ---- The state of the transactions -----------------------------------------------------------------------------

    /** The state. Any thread; it stays only under the lock. */
    TransactionState state() {
        return state;
    }

    /** The transaction that takes records, if there is one. Any thread; it stays only under the lock. */
    @Nullable
    OpenTransaction<K, V> filling() {
        return filling;
    }

    /** The cut being committed, if there is one. Any thread; it stays only under the lock. */
    @Nullable
    TransactionCut<K, V> committing() {
        return committing;
    }

    private void go(Transition transition) {
        assert lock.isHeldByCurrentThread();
        TransactionState before = state;
        state = before.after(transition);
        onTransition.accept(before, transition);
        changed.signalAll();
    }

    /** A producer is open, and has no transaction. The committing thread, without the lock. */
    void opened(TransactionalProducer<K, V> producer) {
        lock.lock();
        try {
            free.add(producer);
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /** The number of producers without a transaction. */
    int freeProducers() {
        return free.size();
    }

    /** Returns whether a record may begin the next transaction: the order of records holds, and a producer is free. */
    boolean mayBegin() {
        return state.mayBegin() && !free.isEmpty();
    }

    /** Takes a producer to {@link #begin} a transaction with. */
    TransactionalProducer<K, V> takeFree() {
        return free.remove();
    }

    /** A transaction begins, which takes records. The segment's thread, or the owner's for offsets without records. */
    void begin(OpenTransaction<K, V> begun) {
        go(Transition.BEGIN);
        filling = begun;
    }

    /** The transaction that takes records takes no more, and is to be committed. The owner. */
    void cut(TransactionCut<K, V> cut) {
        go(Transition.CUT);
        filling = null;
        committing = cut;
    }

    /** The brokers have all records of the cut, so others may follow them. The committing thread, without the lock. */
    void flushed() {
        lock.lock();
        try {
            go(Transition.FLUSH);
        } finally {
            lock.unlock();
        }
    }

    /** The cut is committed. The committing thread, without the lock. */
    void committed(TransactionCut<K, V> cut) {
        lock.lock();
        try {
            go(Transition.COMMIT);
            committing = null;
            free.add(cut.transaction().producer);
            confirmed.add(cut);
        } finally {
            lock.unlock();
        }
    }

    /** Asks for an abort. Returns false if one is under way or the run has ended. Any thread, with the lock or not. */
    boolean askAbort() {
        lock.lock();
        try {
            if (!state.allows(Transition.ASK_ABORT)) {
                return false;
            }
            go(Transition.ASK_ABORT);
            return true;
        } finally {
            lock.unlock();
        }
    }

    /** Begins an abort that was asked for; false if it was made meanwhile. The committing thread, without the lock. */
    boolean abortAsAsked() {
        lock.lock();
        try {
            if (state != TransactionState.ABORT_ASKED) {
                return false;
            }
            go(Transition.ABORT);
            return true;
        } finally {
            lock.unlock();
        }
    }

    /**
     * Begins an abort because a record of an open transaction is refused. Returns false if that transaction is not open
     * any more, or is to be aborted anyway. The committing thread, without the lock.
     */
    boolean abortRefused(OpenTransaction<K, V> transaction) {
        lock.lock();
        try {
            TransactionCut<K, V> cut = committing;
            boolean isOpen = transaction == filling || (cut != null && transaction == cut.transaction());
            if (!isOpen || state.isAborting()) {
                return false;
            }
            go(Transition.ABORT);
            return true;
        } finally {
            lock.unlock();
        }
    }

    /** Begins an abort because a commit has failed. The committing thread, without the lock. */
    void abortFailed(boolean mayBeCommitted) {
        lock.lock();
        try {
            go(Transition.ABORT);
            if (mayBeCommitted) {
                aborted.readAgain();
            }
        } finally {
            lock.unlock();
        }
    }

    /** Takes the transactions that are to be aborted, the older one first. The committing thread. */
    List<OpenTransaction<K, V>> takeOpen() {
        List<OpenTransaction<K, V>> broken = new ArrayList<>();
        TransactionCut<K, V> cut = committing;
        if (cut != null) {
            broken.add(cut.transaction());
        }
        OpenTransaction<K, V> taking = filling;
        if (taking != null) {
            broken.add(taking);
        }
        broken.forEach(aborted::add);
        filling = null;
        cutWanted = false;
        changed.signalAll();
        return broken;
    }

    /** The transactions taken by {@link #takeOpen} are aborted. The committing thread, without the lock. */
    void finishAbort(List<OpenTransaction<K, V>> broken) {
        lock.lock();
        try {
            go(Transition.FINISH_ABORT);
            broken.forEach(transaction -> free.add(transaction.producer));
            committing = null;
        } finally {
            lock.unlock();
        }
    }

    /** Resumes after an abort: what was aborted is written again, or forgotten because it is read again. The owner. */
    void resume(boolean writesAgain) {
        go(Transition.RESUME);
        aborted.resume(writesAgain);
        intakeHeld = false;
    }

    /** The run has ended. Returns the transaction that took records. Any thread, without the lock. */
    @Nullable
    OpenTransaction<K, V> end() {
        lock.lock();
        try {
            OpenTransaction<K, V> open = filling;
            if (state != TransactionState.ENDED) {
                go(Transition.END);
                filling = null;
            }
            return open;
        } finally {
            lock.unlock();
        }
    }

    /** Returns whether the run has ended. Any thread. */
    boolean isEnded() {
        return state == TransactionState.ENDED;
    }

    // ---- Cuts ------------------------------------------------------------------------------------------------------

    /** Returns whether a cut is to be made as soon as possible. Any thread. */
    boolean isCutWanted() {
        return cutWanted;
    }

    /** Requests a cut as soon as possible. Any thread. */
    void wantCut() {
        cutWanted = true;
    }

    /** No cut is wanted any longer, nor a pause of the intake for one. The owner, under the lock. */
    void clearCut() {
        cutWanted = false;
        intakeHeld = false;
    }

    /** Returns whether the pipeline is given no records. Any thread. */
    boolean isIntakeHeld() {
        return intakeHeld;
    }

    /** Delays a wanted cut, and holds the intake or lets it flow meanwhile. The owner, under the lock. */
    void cutLater(boolean holdsIntake) {
        intakeHeld = holdsIntake;
        cutWanted = true;
        changed.signalAll();
    }

    /**
     * Returns whether the cut waits for the rest of inputs that {@link #filling} has a record of: it takes nothing
     * else.
     */
    boolean isClosing() {
        OpenTransaction<K, V> taking = filling;
        return cutWanted
                && committing == null
                && taking != null
                && input == Input.OPEN
                && !aborted.isWaiting()
                && !taking.open().isEmpty();
    }

    // ---- The input -------------------------------------------------------------------------------------------------

    /** Ends the input: nothing more comes that a cut could wait for. The segment's thread. */
    void endInput() {
        input = Input.ENDED;
    }

    boolean isInputEnded() {
        return input != Input.OPEN;
    }

    /** Notes whether nothing is left that could be committed, which only an input that has ended can be said of. */
    void noteThrough(boolean isThrough) {
        if (input != Input.OPEN) {
            input = isThrough ? Input.THROUGH : Input.ENDED;
        }
    }

    /** Returns whether the input has ended and nothing is left to commit, so that nothing need be kept. */
    boolean isThrough() {
        return input == Input.THROUGH;
    }

    /** The source of the run emits elements of this one. */
    void emits(AckTarget source) {
        if (sources.add(source)) {
            sources.removeIf(other -> other != source && other.isRevoked(0));
        }
    }

    /**
     * Returns whether an element is of a source that commits by itself, before a transaction with its records is
     * through.
     */
    boolean isForeign(AckTarget source, long token) {
        // In this order: a source of the run is forgotten only after it was revoked.
        return !sources.contains(source) && !source.isRevoked(token);
    }

    // ---- Sending ---------------------------------------------------------------------------------------------------

    /** Returns whether a record is being sent. */
    boolean isSending() {
        return sending != Sending.NOTHING;
    }

    /** Sends to {@link #filling}. Under the lock, which is free while {@code send} runs. */
    void send(Runnable send) {
        sending = Sending.UNDER_WAY;
        lock.unlock();
        try {
            send.run();
        } finally {
            lock.lock();
            boolean isAwaited = sending == Sending.AWAITED;
            sending = Sending.NOTHING;
            if (isAwaited) {
                changed.signalAll();
            }
        }
    }

    /** Waits until nothing is being sent; false if that lasts longer than so. Under the lock. */
    boolean awaitSent(long nanos) throws InterruptedException {
        long deadlineNanos = ownClock.after(nanos);
        while (isSending() && !ownClock.hasPassed(deadlineNanos)) {
            sending = Sending.AWAITED;
            ownClock.await(lock, changed, deadlineNanos);
        }
        return !isSending();
    }

    /** Waits so long, or until the run has ended. Without the lock. */
    void pause(Duration time) {
        lock.lock();
        try {
            long deadlineNanos = ownClock.after(time.toNanos());
            while (!isEnded() && !ownClock.hasPassed(deadlineNanos)) {
                ownClock.await(lock, changed, deadlineNanos);
            }
        } catch (InterruptedException interrupted) {
            throw new InterruptException(interrupted);
        } finally {
            lock.unlock();
        }
    }
}
