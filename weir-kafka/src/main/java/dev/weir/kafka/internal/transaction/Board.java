package dev.weir.kafka.internal.transaction;

import dev.weir.kafka.internal.meters.LatencyCounts;
import dev.weir.stream.spi.AckTarget;
import dev.weir.stream.spi.Clock;
import dev.weir.stream.spi.StageMeter;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.apache.kafka.common.errors.InterruptException;
import org.jspecify.annotations.Nullable;

/**
 * The state that the pipeline's thread, the owner of the consumer and the committing thread of a run share. Fields
 * without another note are guarded by {@link #lock}; those that are volatile may be read without it.
 *
 * <pre>
 *   a producer:   free --begin--> filling --cut--> committing --done--> free
 *                                    |                 |
 *                                    +------abort------+--> (aborting) --rewound--> free
 * </pre>
 */
final class Board<K, V> {

    final ReentrantLock lock = new ReentrantLock();

    /** Anything here has changed. */
    final Condition changed = lock.newCondition();

    /** The clock of the run, by which its stages wait. */
    final Clock clock;

    /** The clock by which the owner and the committing thread wait: the system's, but for simulations. */
    final Clock ownClock;

    /** The treatment of records that cannot be written; null if the run fails. Set before its threads begin. */
    @Nullable
    TransactionRule<K, V> rule;

    /**
     * True if what is written is kept until it is committed: at the end of the read nothing is read again, and what is
     * aborted then is written again from here. Set before its threads begin.
     */
    boolean keeps;

    /** Producers without a transaction. */
    final ArrayDeque<TransactionalProducer<K, V>> free = new ArrayDeque<>();

    /** The transaction that takes records; null until the next record. */
    volatile @Nullable OpenTransaction<K, V> filling;

    /** The cut being committed; at most one, so commits are in order. */
    volatile @Nullable Cut<K, V> committing;

    /** True if the brokers have all records of what is being committed, so that others may follow them. */
    boolean flushed;

    /**
     * True if a record is being sent to {@link #filling}, which happens without the lock, as it may block for long.
     * That transaction stays what it is meanwhile: nobody cuts or aborts it.
     */
    boolean sending;

    /** True if somebody waits for the end of {@link #sending}. */
    private boolean sendAwaited;

    /** True if {@link #filling} is to be cut as soon as that is possible. */
    volatile boolean cutWanted;

    /** True if nothing more comes that the cut could wait for. */
    boolean inputEnded;

    /**
     * True if the input has ended and nothing is left that could be committed, so that {@link #keeps} has served its
     * purpose.
     */
    boolean through;

    /** True if the pipeline is given no records: what is finished is too scattered to be noted in a commit. */
    volatile boolean intakeHeld;

    /** From a failure until the inputs of what was lost are to be read again; no record is taken meanwhile. */
    volatile boolean aborting;

    /** True if the abort is asked for and the committing thread has not begun with it. */
    volatile boolean abortAsked;

    /** True if all is aborted, so that the owner can rewind. */
    volatile boolean rewindDue;

    /** The targets of which the run's source has emitted elements: the others know nothing of its transactions. */
    private final Set<AckTarget> sources = ConcurrentHashMap.newKeySet();

    /** Aborted transactions that can be written again, the oldest first. */
    private final List<OpenTransaction<K, V>> aborted = new ArrayList<>();

    /** Elements written again before anything else, and before anything is committed. */
    final ArrayDeque<Element<K, V>> again = new ArrayDeque<>();

    /** True if what is aborted has to be read again: a part of it may be committed, or must not be written again. */
    boolean mustReadAgain;

    /** Sources of which an element is lost besides those of the aborted transactions' finished inputs. */
    final Set<AckTarget> rewindAlso = new HashSet<>();

    /** Sources whose elements are written though they are revoked, until the last cut with them is made. */
    volatile Set<AckTarget> leaving = Set.of();

    /** Commits that are confirmed and that the owner does not know of. */
    final Queue<Cut<K, V>> confirmed = new ConcurrentLinkedQueue<>();

    volatile boolean ended;

    /** Times from a record's timestamp to its commit. */
    final LatencyCounts latency = new LatencyCounts();

    /** Counts records that are committed. */
    volatile StageMeter sinkMeter = new StageMeter();

    /** Wakes the owner of the consumer; quick, any thread. */
    volatile Runnable wakeOwner = () -> {};

    Board(Clock clock) {
        this(clock, Clock.SYSTEM);
    }

    Board(Clock clock, Clock ownClock) {
        this.clock = clock;
        this.ownClock = ownClock;
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
                && !inputEnded
                && again.isEmpty()
                && !taking.open().isEmpty();
    }

    /**
     * Returns whether a record may begin the next transaction: the brokers have all of the last one, so the order
     * holds.
     */
    boolean mayBegin() {
        return !free.isEmpty() && (committing == null || flushed);
    }

    void wantCut() {
        cutWanted = true;
        wakeOwner.run();
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

    /** Sends to {@link #filling}. Under the lock, which is free while {@code send} runs. */
    void send(Runnable send) {
        sending = true;
        lock.unlock();
        try {
            send.run();
        } finally {
            lock.lock();
            sending = false;
            if (sendAwaited) {
                sendAwaited = false;
                changed.signalAll();
            }
        }
    }

    /** Waits until nothing is being sent; false if that lasts longer than so. Under the lock. */
    boolean awaitSent(long nanos) throws InterruptedException {
        long deadlineNanos = ownClock.after(nanos);
        while (sending && !ownClock.hasPassed(deadlineNanos)) {
            sendAwaited = true;
            ownClock.await(lock, changed, deadlineNanos);
        }
        return !sending;
    }

    /** Notes what goes with an aborted transaction. */
    void lose(OpenTransaction<K, V> transaction) {
        aborted.add(transaction);
        transaction.open().forEach(root -> rewindAlso.add(root.source()));
    }

    /** Waits so long, or until the run has ended. Without the lock. */
    void pause(Duration time) {
        lock.lock();
        try {
            long deadlineNanos = ownClock.after(time.toNanos());
            while (!ended && !ownClock.hasPassed(deadlineNanos)) {
                ownClock.await(lock, changed, deadlineNanos);
            }
        } catch (InterruptedException interrupted) {
            throw new InterruptException(interrupted);
        } finally {
            lock.unlock();
        }
    }

    /** Returns whether all that is aborted is kept, and none of it may be committed. Under the lock. */
    boolean mayWriteAgain() {
        return keeps && !mustReadAgain;
    }

    /** After an abort: what was aborted is written again, or forgotten as it is read again. Under the lock. */
    void goOn(boolean writesAgain) {
        if (writesAgain) {
            // The oldest goes first, and all of them before what was to be written again when they were aborted.
            aborted.reversed().forEach(transaction -> transaction.keptBackwards(kept -> again.addFirst(kept.again())));
        } else {
            again.clear();
        }
        aborted.clear();
        rewindAlso.clear();
        mustReadAgain = false;
        rewindDue = false;
        aborting = false;
        intakeHeld = false;
        changed.signalAll();
    }
}
