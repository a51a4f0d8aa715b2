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
 * The transactions of a run, shared by three threads: the stage's thread, the consumer's thread, and the committing
 * thread. Owns the {@link TransactionState} and up to two open transactions. Each transition is a method whose comment
 * names the calling thread. Unless a comment says otherwise, callers must hold {@link #lock}, which also guards the
 * fields. Volatile fields may be read without the lock, but must be checked again with the lock held before the code
 * acts.
 */
final class TransactionsOfRun<K, V> {

    /** The progress of the run's input. */
    private enum Input {
        OPEN,

        /** The input has ended. The last transaction can be committed. */
        ENDED,

        /** The input has ended, and nothing is left to commit. */
        THROUGH
    }

    /** The progress of {@link #send}. */
    private enum Sending {
        NOTHING,
        UNDER_WAY,

        /** A send is running, and a thread waits for it. */
        AWAITED
    }

    final ReentrantLock lock = new ReentrantLock();

    final Condition changed = lock.newCondition();

    /** The clock of the run's stages. */
    final Clock clock;

    /** The clock of the consumer's thread and the committing thread: the system clock, except in simulations. */
    final Clock ownClock;

    /** True if records are kept until their commit, to write them again after an abort. */
    final boolean keeps;

    /** The rule for unwritable records; null if they fail the run. Set before the run's threads start. */
    @Nullable
    TransactionRule<K, V> rule;

    /** Called with the previous state and the transition, with the lock held. Set before the run's threads start. */
    BiConsumer<TransactionState, Transition> onTransition = (from, by) -> {};

    private volatile TransactionState state = TransactionState.IDLE;

    private volatile @Nullable OpenTransaction<K, V> filling;

    private volatile @Nullable TransactionCut<K, V> committing;

    private final ArrayDeque<TransactionalProducer<K, V>> free = new ArrayDeque<>();

    final AbortedWork<K, V> aborted;

    /**
     * The progress of a send to {@link #filling}, which runs without the lock. Meanwhile, no thread ends or aborts the
     * transaction.
     */
    private Sending sending = Sending.NOTHING;

    private Input input = Input.OPEN;

    /** True if the open transaction should be committed soon. Set by any thread; cleared with the lock held. */
    private volatile boolean cutWanted;

    /** True if the pipeline must not receive records at present. Written by the consumer's thread. */
    private volatile boolean intakeHeld;

    /** The acknowledgement targets of the run's source. */
    private final Set<AckTarget> sources = ConcurrentHashMap.newKeySet();

    /** Revoked sources whose elements may still be written. */
    volatile Set<AckTarget> leaving = Set.of();

    /** Commits for the consumer's thread to process. Written by the committing thread. */
    final Queue<TransactionCut<K, V>> confirmed = new ConcurrentLinkedQueue<>();

    final LatencyCounts latency = new LatencyCounts();

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

    /** Returns the state. May be called from any thread; stable only while the lock is held. */
    TransactionState state() {
        return state;
    }

    /** Returns the transaction that accepts records, or null. Any thread; stable only while the lock is held. */
    @Nullable
    OpenTransaction<K, V> filling() {
        return filling;
    }

    /** Returns the transaction being committed, or null. Any thread; stable only while the lock is held. */
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

    /** Adds an opened producer without a transaction. Called by the committing thread, without the lock. */
    void opened(TransactionalProducer<K, V> producer) {
        lock.lock();
        try {
            free.add(producer);
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    int freeProducers() {
        return free.size();
    }

    /** Returns whether a record may begin a transaction: a producer is free, and the order of records is kept. */
    boolean mayBegin() {
        return state.mayBegin() && !free.isEmpty();
    }

    TransactionalProducer<K, V> takeFree() {
        return free.remove();
    }

    /** Begins a transaction. Called by the stage's thread, or by the consumer's thread to commit only offsets. */
    void begin(OpenTransaction<K, V> begun) {
        go(Transition.BEGIN);
        filling = begun;
    }

    /** Makes the open transaction accept no more records. Called by the consumer's thread. */
    void cut(TransactionCut<K, V> cut) {
        go(Transition.CUT);
        filling = null;
        committing = cut;
    }

    /** Reports that the brokers have all records to commit. Called by the committing thread, without the lock. */
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

    /** Requests an abort. Returns false if that is not possible. Called by any thread, with or without the lock. */
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

    /** Begins the requested abort, if any. Called by the committing thread, without the lock. */
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
     * Begins an abort because of a rejected record, if its transaction is still open. Called by the committing thread,
     * without the lock.
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

    /** Returns the transactions to abort, the oldest first. Called by the committing thread. */
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

    /** Reports that the given transactions are aborted. Called by the committing thread, without the lock. */
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

    /** Resumes after an abort, with records to write again or inputs to read again. Called by the consumer's thread. */
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

    boolean isEnded() {
        return state == TransactionState.ENDED;
    }

    // ---- Cuts ------------------------------------------------------------------------------------------------------

    /** Returns whether the open transaction should be committed as soon as possible. May be called from any thread. */
    boolean isCutWanted() {
        return cutWanted;
    }

    /** Requests that the open transaction be committed as soon as possible. May be called from any thread. */
    void wantCut() {
        cutWanted = true;
    }

    /**
     * Withdraws the request to commit the open transaction, and lets the pipeline read again. Called by the consumer's
     * thread.
     */
    void clearCut() {
        cutWanted = false;
        intakeHeld = false;
    }

    /** Returns whether the pipeline must not receive records at present. May be called from any thread. */
    boolean isIntakeHeld() {
        return intakeHeld;
    }

    /** Postpones the commit of the open transaction. Called by the consumer's thread. */
    void cutLater(boolean holdsIntake) {
        intakeHeld = holdsIntake;
        cutWanted = true;
        changed.signalAll();
    }

    /** Returns whether {@link #filling} is due, and accepts only further records of its unfinished inputs. */
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

    /** Marks the input as ended. Called by the stage's thread. */
    void endInput() {
        input = Input.ENDED;
    }

    boolean isInputEnded() {
        return input != Input.OPEN;
    }

    /** Notes whether everything is committed. Has no effect before the end of the input. */
    void noteThrough(boolean isThrough) {
        if (input != Input.OPEN) {
            input = isThrough ? Input.THROUGH : Input.ENDED;
        }
    }

    boolean isThrough() {
        return input == Input.THROUGH;
    }

    void emits(AckTarget source) {
        if (sources.add(source)) {
            sources.removeIf(known -> known.isRevoked(0));
        }
    }

    /** Returns whether an element comes from a source outside this run. */
    boolean isForeign(AckTarget source, long token) {
        // Check the set first. A source leaves the set only after it was revoked.
        return !sources.contains(source) && !source.isRevoked(token);
    }

    // ---- Sending ---------------------------------------------------------------------------------------------------

    boolean isSending() {
        return sending != Sending.NOTHING;
    }

    /** Runs {@code send}, which sends records to {@link #filling}, with the lock released. */
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

    /** Waits until no send is running. Returns false after a timeout. */
    boolean awaitSent(long nanos) throws InterruptedException {
        long deadlineNanos = ownClock.after(nanos);
        while (isSending() && !ownClock.hasPassed(deadlineNanos)) {
            sending = Sending.AWAITED;
            ownClock.await(lock, changed, deadlineNanos);
        }
        return !isSending();
    }

    /** Waits for {@code time}, or until the run has ended. Must be called without the lock. */
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
