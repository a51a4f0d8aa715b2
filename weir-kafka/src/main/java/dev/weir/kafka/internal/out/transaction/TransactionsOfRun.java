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
 * The state shared by three threads of a run: the stage's thread, which sends records, the consumer's thread, and the
 * committing thread. Owns the {@link TransactionState} and up to two open transactions. Each transition is a method
 * whose comment names the calling thread. Unless a comment says otherwise, the caller must hold {@link #lock}, and
 * fields are guarded by it. Volatile fields may be read without the lock if the code checks them again under the lock
 * before it acts.
 */
final class TransactionsOfRun<K, V> {

    /** The progress of the run's input. */
    private enum Input {
        OPEN,

        /**
         * The input has ended. No more elements arrive, so the last transaction can be cut without waiting for further
         * input.
         */
        ENDED,

        /** The input has ended, and nothing is left to commit. */
        THROUGH
    }

    /** The progress of {@link #send}. */
    private enum Sending {
        NOTHING,
        UNDER_WAY,

        /** A send is running, and a thread waits until it has ended. */
        AWAITED
    }

    final ReentrantLock lock = new ReentrantLock();

    /** Signals every change of this object. */
    final Condition changed = lock.newCondition();

    /** The clock used by the run's stages when they wait. */
    final Clock clock;

    /**
     * The clock used by the consumer's thread and the committing thread when they wait. It is the system clock, except
     * in simulations.
     */
    final Clock ownClock;

    /**
     * True if records are kept until they are committed, so that they can be written again after an abort. A bounded
     * read needs this: at its end, the inputs of an aborted transaction can no longer be read again.
     */
    final boolean keeps;

    /** The rule for records that cannot be written; null if they fail the run. Set before the run's threads start. */
    @Nullable
    TransactionRule<K, V> rule;

    /** Called with the previous state and the transition, with the lock held. Set before the run's threads start. */
    BiConsumer<TransactionState, Transition> onTransition = (from, by) -> {};

    private volatile TransactionState state = TransactionState.IDLE;

    /** The transaction that accepts records; null until the next transaction begins. */
    private volatile @Nullable OpenTransaction<K, V> filling;

    /** The transaction being committed. There is at most one, so commits are in order. */
    private volatile @Nullable TransactionCut<K, V> committing;

    /** Producers without a transaction. */
    private final ArrayDeque<TransactionalProducer<K, V>> free = new ArrayDeque<>();

    /** The work of aborted transactions that must be repeated: records to write again, and sources to read again. */
    final AbortedWork<K, V> aborted;

    /**
     * The progress of sending a record to {@link #filling}. The lock is not held during a send, because the send may
     * block for long. No thread cuts or aborts the transaction during a send.
     */
    private Sending sending = Sending.NOTHING;

    private Input input = Input.OPEN;

    /**
     * True if the open transaction should be cut, and then committed, as soon as possible. Set by any thread; cleared
     * with the lock held.
     */
    private volatile boolean cutWanted;

    /**
     * True if the pipeline's intake is stopped, because the finished offsets have too many gaps for a commit's
     * metadata. Written by the consumer's thread.
     */
    private volatile boolean intakeHeld;

    /**
     * The acknowledgement targets of the run's source. All other targets acknowledge their elements independently of
     * this run's transactions.
     */
    private final Set<AckTarget> sources = ConcurrentHashMap.newKeySet();

    /**
     * Revoked sources whose elements may still be written. Cleared when the last transaction that includes these
     * sources is cut.
     */
    volatile Set<AckTarget> leaving = Set.of();

    /** Confirmed commits for the consumer's thread to process. Written by the committing thread. */
    final Queue<TransactionCut<K, V>> confirmed = new ConcurrentLinkedQueue<>();

    /** The times from a record's timestamp to its commit. */
    final LatencyCounts latency = new LatencyCounts();

    /** Counts committed records. */
    volatile StageMeter sinkMeter = new StageMeter();

    /** Wakes the consumer's thread. May be called from any thread. Must return quickly. */
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

    /** The state. May be called from any thread. The result is stable only while the lock is held. */
    TransactionState state() {
        return state;
    }

    /**
     * The transaction that accepts records; null if there is none. May be called from any thread. The result is stable
     * only while the lock is held.
     */
    @Nullable
    OpenTransaction<K, V> filling() {
        return filling;
    }

    /**
     * Returns the transaction being committed, or null if there is none. May be called by any thread; the result is
     * stable only while the lock is held.
     */
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

    /** Adds an open producer that has no transaction. Called by the committing thread, without the lock. */
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
     * Returns whether a record may begin the next transaction. This requires a free producer, and a state in which the
     * new transaction preserves the order of records.
     */
    boolean mayBegin() {
        return state.mayBegin() && !free.isEmpty();
    }

    /**
     * Removes and returns a free producer. The caller must then call {@link #begin} with a transaction of this
     * producer.
     */
    TransactionalProducer<K, V> takeFree() {
        return free.remove();
    }

    /**
     * Begins a transaction that accepts records. Called by the stage's thread, or by the consumer's thread for offsets
     * without records.
     */
    void begin(OpenTransaction<K, V> begun) {
        go(Transition.BEGIN);
        filling = begun;
    }

    /** Stops the open transaction from accepting records. Called by the consumer's thread. */
    void cut(TransactionCut<K, V> cut) {
        go(Transition.CUT);
        filling = null;
        committing = cut;
    }

    /**
     * Reports that the brokers have all records of the transaction being committed, so that the next transaction may
     * begin. Called by the committing thread, without the lock.
     */
    void flushed() {
        lock.lock();
        try {
            go(Transition.FLUSH);
        } finally {
            lock.unlock();
        }
    }

    /** Reports that the transaction is committed. Called by the committing thread, without the lock. */
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
     * Requests an abort. Returns false if one is running or the run has ended. Called by any thread, with or without
     * the lock.
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

    /**
     * Begins a requested abort. Returns false if no abort is requested any more. Called by the committing thread,
     * without the lock.
     */
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
     * Begins an abort because a record of an open transaction was rejected. Returns false if the transaction is no
     * longer open or will be aborted anyway. Called by the committing thread, without the lock.
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

    /** Begins an abort because a commit failed. Called by the committing thread, without the lock. */
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

    /** Returns the transactions to abort, the older one first. Called by the committing thread. */
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

    /**
     * Reports that the transactions returned by {@link #takeOpen} are aborted. Called by the committing thread, without
     * the lock.
     */
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
     * Resumes after an abort. The aborted records are written again, or dropped because their inputs are read again.
     * Called by the consumer's thread.
     */
    void resume(boolean writesAgain) {
        go(Transition.RESUME);
        aborted.resume(writesAgain);
        intakeHeld = false;
    }

    /** Ends the run. Returns the transaction that accepted records, or null. Called by any thread, without the lock. */
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

    /** Returns whether the run has ended. May be called from any thread. */
    boolean isEnded() {
        return state == TransactionState.ENDED;
    }

    // ---- Cuts ------------------------------------------------------------------------------------------------------

    /**
     * Returns whether the open transaction should be cut, and then committed, as soon as possible. May be called from
     * any thread.
     */
    boolean isCutWanted() {
        return cutWanted;
    }

    /**
     * Requests that the open transaction be cut, and then committed, as soon as possible. May be called from any
     * thread.
     */
    void wantCut() {
        cutWanted = true;
    }

    /**
     * Withdraws the request to cut the open transaction, and resumes the intake. Called by the consumer's thread, with
     * the lock held.
     */
    void clearCut() {
        cutWanted = false;
        intakeHeld = false;
    }

    /** Returns whether the pipeline's intake is stopped. May be called from any thread. */
    boolean isIntakeHeld() {
        return intakeHeld;
    }

    /**
     * Postpones cutting the open transaction. If {@code holdsIntake} is true, the pipeline's intake is stopped until
     * the transaction is cut. If it is false, the intake continues. Called by the consumer's thread, with the lock
     * held.
     */
    void cutLater(boolean holdsIntake) {
        intakeHeld = holdsIntake;
        cutWanted = true;
        changed.signalAll();
    }

    /**
     * Returns whether {@link #filling} is due to be cut but must wait, because it contains records of unfinished
     * inputs. Until it is cut, it accepts only further records of these inputs.
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

    /**
     * Marks the input as ended, so that the last transaction can be cut without waiting for further input. Called by
     * the stage's thread.
     */
    void endInput() {
        input = Input.ENDED;
    }

    boolean isInputEnded() {
        return input != Input.OPEN;
    }

    /** Sets whether everything is committed. Has no effect before the input has ended. */
    void noteThrough(boolean isThrough) {
        if (input != Input.OPEN) {
            input = isThrough ? Input.THROUGH : Input.ENDED;
        }
    }

    /** Returns whether the input has ended and everything is committed, so that records no longer need to be kept. */
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
     * Returns whether an element comes from a source outside this run. Such a source does not wait for the run's
     * transaction, and commits the element before the element's records are committed.
     */
    boolean isForeign(AckTarget source, long token) {
        // Check the set first. Another thread removes a source from the set only after the source was revoked, so the
        // second check recognizes a source that is removed between the two checks.
        return !sources.contains(source) && !source.isRevoked(token);
    }

    // ---- Sending ---------------------------------------------------------------------------------------------------

    boolean isSending() {
        return sending != Sending.NOTHING;
    }

    /**
     * Runs {@code send}, which sends records to {@link #filling}. Must be called with the lock held. The lock is
     * released while {@code send} runs.
     */
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

    /** Waits until no send is running. Returns false if the timeout has expired. Must be called with the lock held. */
    boolean awaitSent(long nanos) throws InterruptedException {
        long deadlineNanos = ownClock.after(nanos);
        while (isSending() && !ownClock.hasPassed(deadlineNanos)) {
            sending = Sending.AWAITED;
            ownClock.await(lock, changed, deadlineNanos);
        }
        return !isSending();
    }

    /**
     * Waits for {@code time}, or until the run has ended if that is earlier. Must be called without holding the lock.
     */
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
