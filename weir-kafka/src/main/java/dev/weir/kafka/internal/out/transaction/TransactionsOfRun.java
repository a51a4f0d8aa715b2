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
 * State shared by the segment's thread, the consumer's owner and the committing thread of a run. It owns the
 * {@link TransactionState} and its two transactions: each transition is a method here, called under {@link #lock} by
 * the thread that it names. Fields without another comment are guarded by the lock. Volatile ones may be read without
 * it by code that checks again under the lock before it acts.
 */
final class TransactionsOfRun<K, V> {

    /** The progress of the run's input. */
    private enum Input {
        OPEN,

        /** Nothing more arrives that a cut could wait for. */
        ENDED,

        /** It has ended, and nothing is left to commit. */
        THROUGH
    }

    /** The progress of {@link #send}. */
    private enum Sending {
        NOTHING,
        UNDER_WAY,

        /** It is running, and a thread waits for its end. */
        AWAITED
    }

    final ReentrantLock lock = new ReentrantLock();

    /** Signals any change here. */
    final Condition changed = lock.newCondition();

    /** The clock on which the run's stages wait. */
    final Clock clock;

    /** The clock on which the owner and the committing thread wait: the system clock, except in simulations. */
    final Clock ownClock;

    /**
     * True if records are kept until they are committed. At the end of a bounded read nothing is read again, and
     * records aborted then are written again from here.
     */
    final boolean keeps;

    /** The treatment of records that cannot be written; null if the run fails. Set before its threads begin. */
    @Nullable
    TransactionRule<K, V> rule;

    /** Receives each transition and the previous state, under the lock. Set before the threads of the run begin. */
    BiConsumer<TransactionState, Transition> onTransition = (from, by) -> {};

    private volatile TransactionState state = TransactionState.IDLE;

    /** The transaction that takes records; null until the next record. */
    private volatile @Nullable OpenTransaction<K, V> filling;

    /** The cut being committed. There is at most one, so commits are in order. */
    private volatile @Nullable TransactionCut<K, V> committing;

    /** Producers without a transaction. */
    private final ArrayDeque<TransactionalProducer<K, V>> free = new ArrayDeque<>();

    /** Aborted records and sources not yet written or read again. */
    final AbortedWork<K, V> aborted;

    /**
     * The progress of sending a record to {@link #filling}, which happens without the lock because it may block for
     * long. Meanwhile no thread cuts or aborts that transaction.
     */
    private Sending sending = Sending.NOTHING;

    private Input input = Input.OPEN;

    /** True if a cut is wanted as soon as possible. Set by any thread, cleared under the lock. */
    private volatile boolean cutWanted;

    /**
     * True if the pipeline's intake is stopped, because the finished offsets have too many gaps for a commit's
     * metadata. Written by the owner.
     */
    private volatile boolean intakeHeld;

    /** Targets whose elements the run's source has emitted. Other targets know nothing of its transactions. */
    private final Set<AckTarget> sources = ConcurrentHashMap.newKeySet();

    /** Sources whose elements are written although revoked, until the last cut with them is made. */
    volatile Set<AckTarget> leaving = Set.of();

    /** Confirmed commits that the owner has not processed. From the committing thread to the owner. */
    final Queue<TransactionCut<K, V>> confirmed = new ConcurrentLinkedQueue<>();

    /** Times from a record's timestamp to its commit. */
    final LatencyCounts latency = new LatencyCounts();

    /** Counts committed records. */
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

    /** The state. Any thread; stable only under the lock. */
    TransactionState state() {
        return state;
    }

    /** The transaction that takes records, if there is one. Any thread; stable only under the lock. */
    @Nullable
    OpenTransaction<K, V> filling() {
        return filling;
    }

    /** The cut being committed, if there is one. Any thread; stable only under the lock. */
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

    /** Adds an open producer without a transaction. The committing thread, without the lock. */
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

    /**
     * Returns whether a record may begin the next transaction: the order of records is kept, and a producer is free.
     */
    boolean mayBegin() {
        return state.mayBegin() && !free.isEmpty();
    }

    /** Takes a producer for which to {@link #begin} a transaction. */
    TransactionalProducer<K, V> takeFree() {
        return free.remove();
    }

    /** Begins a transaction, which takes records. The segment's thread, or the owner's for offsets without records. */
    void begin(OpenTransaction<K, V> begun) {
        go(Transition.BEGIN);
        filling = begun;
    }

    /** Closes the open transaction to records, to be committed. The owner. */
    void cut(TransactionCut<K, V> cut) {
        go(Transition.CUT);
        filling = null;
        committing = cut;
    }

    /**
     * Reports that the brokers have all records of the cut, so that others may follow. The committing thread, without
     * the lock.
     */
    void flushed() {
        lock.lock();
        try {
            go(Transition.FLUSH);
        } finally {
            lock.unlock();
        }
    }

    /** Reports that the cut is committed. The committing thread, without the lock. */
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

    /**
     * Requests an abort. Returns false if one is running or the run has ended. Any thread, with or without the lock.
     */
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

    /** Begins a requested abort; returns false if it was done meanwhile. The committing thread, without the lock. */
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
     * Begins an abort because a record of an open transaction was refused. Returns false if that transaction is no
     * longer open, or will be aborted anyway. The committing thread, without the lock.
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

    /** Begins an abort because a commit failed. The committing thread, without the lock. */
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

    /** Takes the transactions to abort, the older one first. The committing thread. */
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

    /** Reports that the transactions from {@link #takeOpen} are aborted. The committing thread, without the lock. */
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

    /**
     * Resumes after an abort: the aborted records are written again, or dropped because they are read again. The owner.
     */
    void resume(boolean writesAgain) {
        go(Transition.RESUME);
        aborted.resume(writesAgain);
        intakeHeld = false;
    }

    /** Ends the run. Returns the transaction that took records. Any thread, without the lock. */
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

    /** Returns whether a cut is wanted as soon as possible. Any thread. */
    boolean isCutWanted() {
        return cutWanted;
    }

    /** Requests a cut as soon as possible. Any thread. */
    void wantCut() {
        cutWanted = true;
    }

    /** Withdraws the request for a cut, and the stop of the intake for one. The owner, under the lock. */
    void clearCut() {
        cutWanted = false;
        intakeHeld = false;
    }

    /** Returns whether the pipeline's intake is stopped. Any thread. */
    boolean isIntakeHeld() {
        return intakeHeld;
    }

    /** Postpones a requested cut, and stops or resumes the intake meanwhile. The owner, under the lock. */
    void cutLater(boolean holdsIntake) {
        intakeHeld = holdsIntake;
        cutWanted = true;
        changed.signalAll();
    }

    /**
     * Returns whether the cut waits for inputs that have a record in {@link #filling}, which then takes only their
     * records.
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

    /** Ends the input: nothing more arrives that a cut could wait for. The segment's thread. */
    void endInput() {
        input = Input.ENDED;
    }

    boolean isInputEnded() {
        return input != Input.OPEN;
    }

    /** Sets whether nothing is left to commit, which holds only for an input that has ended. */
    void noteThrough(boolean isThrough) {
        if (input != Input.OPEN) {
            input = isThrough ? Input.THROUGH : Input.ENDED;
        }
    }

    /** Returns whether the input has ended and nothing is left to commit, so that no records need be kept. */
    boolean isThrough() {
        return input == Input.THROUGH;
    }

    /** Registers a target whose elements the run's source emits. */
    void emits(AckTarget source) {
        if (sources.add(source)) {
            sources.removeIf(other -> other != source && other.isRevoked(0));
        }
    }

    /**
     * Returns whether an element comes from a source that commits by itself, before the transaction with its records is
     * committed.
     */
    boolean isForeign(AckTarget source, long token) {
        // In this order, because a source of the run is removed only after it was revoked.
        return !sources.contains(source) && !source.isRevoked(token);
    }

    // ---- Sending ---------------------------------------------------------------------------------------------------

    /** Returns whether a record is being sent. */
    boolean isSending() {
        return sending != Sending.NOTHING;
    }

    /** Sends to {@link #filling}. Called under the lock, which is released while {@code send} runs. */
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

    /** Waits until no send is running; returns false on a timeout. Under the lock. */
    boolean awaitSent(long nanos) throws InterruptedException {
        long deadlineNanos = ownClock.after(nanos);
        while (isSending() && !ownClock.hasPassed(deadlineNanos)) {
            sending = Sending.AWAITED;
            ownClock.await(lock, changed, deadlineNanos);
        }
        return !isSending();
    }

    /** Waits for this time, or until the run has ended. Without the lock. */
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
