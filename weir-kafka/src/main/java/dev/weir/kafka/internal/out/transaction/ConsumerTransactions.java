package dev.weir.kafka.internal.out.transaction;

import dev.weir.kafka.internal.in.buffer.AssignedPartition;
import dev.weir.kafka.internal.in.buffer.DroppedRecords;
import dev.weir.kafka.internal.in.buffer.PartitionAssignment;
import dev.weir.kafka.internal.in.commit.OffsetCommits;
import dev.weir.kafka.internal.in.commit.TransactionGate;
import dev.weir.kafka.internal.in.lookup.OwnerClock;
import dev.weir.kafka.internal.in.lookup.OwnerThread;
import dev.weir.kafka.internal.in.offsets.OffsetTracker;
import dev.weir.kafka.internal.out.transaction.LostInputs.Root;
import dev.weir.stream.spi.AckTarget;
import dev.weir.stream.spi.StageContext;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;

/**
 * The consumer's part of transactions: decides when a transaction ends, which offsets it commits, and which inputs are
 * read again after an abort. Confined to the thread that owns the consumer.
 *
 * <p>To cut a transaction means to make it accept no more records. This happens under the lock of the
 * {@link TransactionsOfRun}, between two records of the pipeline. All output of the inputs finished by then is in this
 * transaction or an earlier one. See {@link CommitGaps} for finished offsets that do not fit into the commit's
 * metadata.
 */
public final class ConsumerTransactions<K, V> implements TransactionGate {

    /**
     * The interval between searches for open transactions of earlier runs. Brokers withhold the committed offset of a
     * partition during such a transaction.
     */
    private static final long FENCE_NANOS = TimeUnit.SECONDS.toNanos(2);

    /** Minimum time between a commit and a transaction that commits only offsets. */
    private static final long OFFSETS_ONLY_NANOS = TimeUnit.SECONDS.toNanos(1);

    private static final long RETRY_NANOS = TimeUnit.MILLISECONDS.toNanos(5);

    private static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

    /** The interval between checks for deleted partitions while a commit is running. */
    private static final long GONE_NANOS = TimeUnit.SECONDS.toNanos(2);

    private static final long GONE_FOR_GOOD_NANOS = TimeUnit.SECONDS.toNanos(10);

    private enum CutResult {
        MADE,
        NOTHING,
        LATER
    }

    private final TransactionsOfRun<K, V> run;
    private final TransactionCommitter<K, V> committer;
    private final TransactionPlan plan;
    private final StageContext context;
    private final Runnable fence;

    @SuppressWarnings("NullAway.Init") // set before any other method is called
    private Consumer<?, ?> client;

    @SuppressWarnings("NullAway.Init")
    private OffsetCommits commits;

    @SuppressWarnings("NullAway.Init")
    private PartitionAssignment assignment;

    @SuppressWarnings("NullAway.Init")
    private java.util.function.Consumer<List<AssignedPartition>> reopen;

    @SuppressWarnings("NullAway.Init")
    private OwnerClock clock;

    private List<AssignedPartition> leaving = List.of();

    /** Names of partitions whose aborted records this run will not read again; empty if there are none. */
    private String takenBackAtTheEnd = "";

    /** Partitions that seemed to be deleted when aborted records were written again at the end of the input. */
    private final Set<AssignedPartition> goneAtTheEnd = new LinkedHashSet<>();

    private long aborts;

    private final CommitGaps scatter = new CommitGaps();

    private long offsetsDueNanos;
    private long goneDueNanos;
    private long goneSinceNanos;
    private long retryNanos;
    private long fenceDueNanos;

    /** @param fence finds and ends open transactions of runs that have ended; must not block */
    ConsumerTransactions(
            TransactionsOfRun<K, V> run,
            TransactionCommitter<K, V> committer,
            TransactionPlan plan,
            StageContext context,
            Runnable fence) {
        this.run = run;
        this.committer = committer;
        this.plan = plan;
        this.context = context;
        this.fence = fence;
    }

    @Override
    public void begin(
            Consumer<?, ?> newClient,
            OffsetCommits newCommits,
            PartitionAssignment newAssignment,
            java.util.function.Consumer<List<AssignedPartition>> newReopen,
            OwnerThread owner,
            OwnerClock newClock) {
        client = newClient;
        commits = newCommits;
        assignment = newAssignment;
        reopen = newReopen;
        clock = newClock;
        offsetsDueNanos = clock.nanoTime() + OFFSETS_ONLY_NANOS;
        retryNanos = clock.nanoTime();
        fenceDueNanos = clock.nanoTime();
        run.wakeOwner = owner::wake;
    }

    @Override
    public void commitIfDue() {
        takeUp();
        fenceIfDue();
        lookForGoneIfDue();
        if (nanosUntilDue() > 0) {
            return;
        }
        if (!run.lock.tryLock()) {
            run.wantCut();
            retryNanos = clock.nanoTime() + TimeUnit.MILLISECONDS.toNanos(1);
            return;
        }
        try {
            var ignored = cut();
        } finally {
            run.lock.unlock();
        }
    }

    @Override
    public long nanosUntilDue() {
        long now = clock.nanoTime();
        return switch (run.state()) {
            case IDLE, FILLING -> nanosUntilCut(now);
            case FLUSHING, FLUSHED, OVERLAPPING -> Math.max(0, goneDueNanos - now);
            case ABORT_ASKED, ABORTING, ENDED -> Long.MAX_VALUE;
            case ABORTED -> 0;
        };
    }

    private long nanosUntilCut(long now) {
        if (run.isCutWanted()) {
            return Math.max(0, retryNanos - now);
        }
        OpenTransaction<K, V> filling = run.filling();
        return filling == null
                ? Math.max(0, offsetsDueNanos - now)
                : Math.max(0, plan.intervalNanos() - (run.ownClock.nanoTime() - filling.beganNanos));
    }

    @Override
    public boolean isSettled() {
        if (!run.lock.tryLock()) {
            return false;
        }
        try {
            // A stage may hold inputs until the stream ends. A transaction that waits for such inputs counts as
            // settled.
            boolean waitsForInputs = run.isClosing() || (scatter.isThere() && !run.isIntakeHeld());
            return switch (run.state()) {
                case IDLE, ENDED -> true;
                case FILLING -> waitsForInputs;
                default -> false;
            };
        } finally {
            run.lock.unlock();
        }
    }

    private void fenceIfDue() {
        if (clock.nanoTime() - fenceDueNanos >= 0 && assignment.all().stream().anyMatch(AssignedPartition::isHeld)) {
            fenceDueNanos = clock.nanoTime() + FENCE_NANOS;
            fence.run();
        }
    }

    /**
     * Checks for deleted partitions and topics, because brokers never answer a commit that contains one. Such a commit
     * is cancelled and repeated without them.
     */
    private void lookForGoneIfDue() {
        TransactionCut<K, V> cut = run.committing();
        if (cut == null || run.state().isAborting() || clock.nanoTime() - goneDueNanos < 0) {
            return;
        }
        long now = clock.nanoTime();
        goneDueNanos = now + GONE_NANOS;
        if (cut.offsets().keySet().stream().noneMatch(commits::isGone)) {
            goneSinceNanos = now;
        }
        boolean isInVain = cut.transaction().producer.waitsInVain(cut.offsets().keySet());
        if (isInVain || now - goneSinceNanos >= GONE_FOR_GOOD_NANOS) {
            committer.breakOff(cut);
            return;
        }
        // Ask again: a broker that has just started may have incomplete metadata.
        commits.lookForGone(cut.offsets().keySet());
    }

    /** Processes confirmed commits, and resumes after an abort. */
    private void takeUp() {
        for (TransactionCut<K, V> cut = run.confirmed.poll(); cut != null; cut = run.confirmed.poll()) {
            // Has no effect on partitions that were revoked or restarted after the cut.
            commits.committed(cut.partitions(), cut.offsets());
        }
        if (run.state() == TransactionState.ABORTED) {
            goOn();
        }
    }

    // ---- Cuts ------------------------------------------------------------------------------------------------------

    /** Cuts the open transaction if that is possible now. Must be called with the lock held. */
    private CutResult cut() {
        if (!run.state().mayCut()) {
            return CutResult.LATER;
        }
        if (run.isSending() || run.aborted.isWaiting()) {
            return later(run.isIntakeHeld());
        }
        // Check this before the inputs, which may finish between the two checks.
        boolean nothingMoves = run.isInputEnded() && nothingMoves();
        OpenTransaction<K, V> filling = run.filling();
        if (filling != null) {
            if (filling.open().stream().anyMatch(this::isTakenBack)) {
                committer.abortFilling(new KafkaException("an input with records in it was taken back"));
                return CutResult.LATER;
            }
            filling.open().removeIf(this::isSettled);
            if (!filling.open().isEmpty()) {
                failIfStuck(filling);
                run.noteThrough(nothingMoves);
                return later(run.isIntakeHeld());
            }
            if (filling.sources().stream().anyMatch(this::hasNoPlace)) {
                return laterOrAborted(filling);
            }
        }
        List<AssignedPartition> partitions = new ArrayList<>(assignment.all());
        partitions.addAll(leaving);
        Map<TopicPartition, OffsetAndMetadata> offsets = commits.finishedEntirely(partitions);
        if (offsets == null) {
            if (filling != null) {
                failIfScattered(filling, partitions);
            }
            run.noteThrough(nothingMoves);
            return later(scatter.isWorthHolding(assignment.all(), clock.nanoTime()));
        }
        if (filling == null && !offsets.isEmpty() && run.freeProducers() == 0) {
            return later(false);
        }
        run.clearCut();
        scatter.end();
        offsetsDueNanos = clock.nanoTime() + Math.max(OFFSETS_ONLY_NANOS, plan.intervalNanos());
        OpenTransaction<K, V> ending = filling == null && !offsets.isEmpty() ? beginForOffsets() : filling;
        if (run.state().isAborting()) {
            return CutResult.LATER;
        }
        if (ending != null) {
            TransactionCut<K, V> cut = new TransactionCut<>(ending, offsets, partitions, client.groupMetadata());
            run.cut(cut);
            goneSinceNanos = clock.nanoTime();
            goneDueNanos = goneSinceNanos + GONE_NANOS;
            committer.commit(cut);
        } else {
            run.noteThrough(true);
        }
        run.changed.signalAll();
        return ending == null ? CutResult.NOTHING : CutResult.MADE;
    }

    /** Postpones cutting the open transaction. {@code withoutIntake} stops reading until the cut. */
    private CutResult later(boolean withoutIntake) {
        run.cutLater(withoutIntake);
        retryNanos = clock.nanoTime() + RETRY_NANOS;
        return CutResult.LATER;
    }

    /** Returns whether no stage is working on any record of the consumer. */
    private boolean nothingMoves() {
        return Stream.concat(assignment.all().stream(), leaving.stream()).noneMatch(AssignedPartition::hasUnsettled);
    }

    /** Fails the run if the transaction has waited too long for unfinished inputs. */
    private void failIfStuck(OpenTransaction<K, V> filling) {
        if (filling.waitedNanos(clock.nanoTime()) >= plan.patienceNanos() && context.failure() == null) {
            context.fail(TransactionFaults.stuck(filling.places(), plan));
        }
    }

    /** Fails the run if the finished offsets have had too many gaps for too long. */
    private void failIfScattered(OpenTransaction<K, V> filling, List<AssignedPartition> partitions) {
        if (filling.waitedNanos(clock.nanoTime()) >= plan.patienceNanos() && context.failure() == null) {
            String places = partitions.stream()
                    .filter(partition -> commits.finishedEntirely(List.of(partition)) == null)
                    .map(partition -> partition.id() + "@" + partition.tracker().firstUnfinished())
                    .collect(Collectors.joining(", "));
            if (!places.isEmpty()) { // there are none if the gaps have just closed
                context.fail(TransactionFaults.scattered(places, plan));
            }
        }
    }

    /** Begins a transaction without records. Returns null if the producer is broken and the transaction was aborted. */
    private @Nullable OpenTransaction<K, V> beginForOffsets() {
        committer.begin();
        OpenTransaction<K, V> begun = run.filling();
        return run.state().isAborting() ? null : begun;
    }

    /** Returns whether an input is finished or belongs to another source. */
    private boolean isSettled(Root root) {
        AssignedPartition partition = partitionOf(root);
        return partition == null || partition.tracker().isDone(root.token());
    }

    /** Returns whether an input with sent records will be read again, by this member or another one. */
    private boolean isTakenBack(Root root) {
        return partitionOf(root) == null && root.source().isRevoked(root.token());
    }

    private @Nullable AssignedPartition partitionOf(Root root) {
        return partitionOf(partition -> partition.tracker() == root.source());
    }

    private @Nullable AssignedPartition partitionOf(Predicate<AssignedPartition> isIt) {
        for (AssignedPartition partition : assignment.all()) {
            if (isIt.test(partition)) {
                return partition;
            }
        }
        for (AssignedPartition partition : leaving) {
            if (isIt.test(partition)) {
                return partition;
            }
        }
        return null;
    }

    /**
     * Returns whether a commit would lack an offset for this source, because its partition was revoked, or was
     * restarted and has no position yet.
     */
    private boolean hasNoPlace(AckTarget source) {
        if (!source.isRevoked(0) || partitionOf(partition -> partition.tracker() == source) != null) {
            return false;
        }
        AssignedPartition current =
                partitionOf(partition -> source instanceof OffsetTracker tracker && tracker.isOf(partition.id()));
        return current == null || current.isHeld();
    }

    /**
     * Postpones the cut until the position of a restarted partition is known. Aborts the transaction if that takes too
     * long or the partition was revoked.
     */
    private CutResult laterOrAborted(OpenTransaction<K, V> filling) {
        boolean isVain = filling.sources().stream()
                .filter(this::hasNoPlace)
                .anyMatch(source -> assignment.all().stream()
                        .noneMatch(
                                partition -> source instanceof OffsetTracker tracker && tracker.isOf(partition.id())));
        if (isVain || filling.waitedNanos(clock.nanoTime()) >= plan.patienceNanos()) {
            committer.abortFilling(new KafkaException("a partition with records in it begins again elsewhere"));
            return CutResult.LATER;
        }
        return later(run.isIntakeHeld());
    }

    // ---- Revoked partitions ----------------------------------------------------------------------------------------

    @Override
    public void releasing(Collection<AssignedPartition> revoked) {
        leave(List.copyOf(revoked));
    }

    private void leave(List<AssignedPartition> partitions) {
        leaving = partitions;
        run.leaving = leaving.stream().map(AssignedPartition::tracker).collect(Collectors.toUnmodifiableSet());
    }

    @Override
    public void commitNow(long timeoutNanos) {
        try {
            commitWithin(clock.nanoTime() + timeoutNanos);
            goneAtTheEnd.removeIf(partition -> !assignment.isCurrent(partition));
            if (leaving.isEmpty() && !goneAtTheEnd.isEmpty()) {
                throw takenBack(goneAtTheEnd.toString());
            }
        } catch (KafkaException failure) {
            commits.failedElsewhere();
            throw failure;
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            throw new KafkaException("interrupted while a transaction was being committed", interrupted);
        } finally {
            leave(List.of());
        }
    }

    private void commitWithin(long deadlineNanos) throws InterruptedException {
        boolean made = false;
        long abortsBefore = aborts;
        while (true) {
            takeUp();
            throwIfTakenBack();
            if (made && aborts != abortsBefore) {
                throw new KafkaException("a transaction was aborted; its inputs are read again");
            }
            if (context.failure() != null && !made) {
                refuseAfterFailure();
                return;
            }
            long left = deadlineNanos - clock.nanoTime();
            if (run.lock.tryLock(Math.clamp(left, 0, LOOK_NANOS), TimeUnit.NANOSECONDS)) {
                try {
                    if (run.state().isAborting()) {
                        throw new KafkaException("a transaction was aborted; its inputs are read again");
                    }
                    if (made && run.committing() == null) {
                        return;
                    }
                    if (!made) {
                        CutResult result = cut();
                        if (result != CutResult.LATER) {
                            // Records of the revoked partitions must not be written after this point.
                            run.leaving = Set.of();
                        }
                        if (result == CutResult.NOTHING) {
                            return;
                        }
                        made = result == CutResult.MADE;
                        abortsBefore = aborts;
                        if (!made) {
                            throwIfGivenUp();
                        }
                    }
                    if (left <= 0) {
                        break;
                    }
                    run.ownClock.await(run.lock, run.changed, run.ownClock.after(Math.min(left, LOOK_NANOS)));
                } finally {
                    run.lock.unlock();
                }
            } else if (left <= 0) {
                break;
            }
        }
        if (!made) {
            committer.abortFilling(new KafkaException("inputs with records in it are not finished in time"));
        }
        throw new KafkaException("a transaction could not be committed in time; the next reader of its inputs waits for"
                + " its end, and repeats what was not committed");
    }

    private void throwIfTakenBack() {
        if (!takenBackAtTheEnd.isEmpty()) {
            if (run.filling() != null) {
                // The open transaction may contain records of the revoked partitions, but would lack their offsets.
                committer.abortFilling(new KafkaException("a transaction before it was aborted at the end"));
            }
            throw takenBack(takenBackAtTheEnd);
        }
    }

    private static KafkaException takenBack(String partitions) {
        return new KafkaException(
                "the last transaction was aborted; the next run reads its inputs again, of " + partitions);
    }

    private void refuseAfterFailure() {
        // A running commit continues, because its inputs were finished when it began.
        if (run.filling() != null) {
            committer.abortFilling(new KafkaException("the pipeline has failed"));
            throw new KafkaException("the open transaction is aborted, its inputs are read again");
        }
    }

    /** Aborts the open transaction and throws if one of its inputs is unfinished and no stage is working on it. */
    private void throwIfGivenUp() {
        OpenTransaction<K, V> filling = run.filling();
        if (filling != null && filling.open().stream().anyMatch(this::isGivenUp)) {
            String places = filling.places();
            committer.abortFilling(new KafkaException("inputs with records in it are not finished here: " + places));
            throw new KafkaException("the last transaction is aborted, as only a part of the results of " + places
                    + " is in it; the next reader of its inputs repeats them");
        }
    }

    private boolean isGivenUp(Root root) {
        AssignedPartition partition = partitionOf(root);
        // Check in this order, because the input may finish between the checks.
        return partition != null
                && !partition.hasUnsettled()
                && !partition.tracker().isDone(root.token());
    }

    @Override
    public void topicRecreated(String name) {
        committer.topicRecreated(name);
    }

    @Override
    public void lost() {
        if (run.filling() != null || run.committing() != null) {
            committer.abortFilling(new KafkaException("partitions with records in it were lost"));
        }
    }

    // ---- After an abort --------------------------------------------------------------------------------------------

    /**
     * Resumes after an abort. Normally, finished records that were not committed are read again. At the end of the
     * input or of the consumer, the sink writes its kept records again instead.
     */
    private void goOn() {
        if (!run.lock.tryLock()) {
            return;
        }
        aborts++;
        List<AssignedPartition> renewed;
        boolean isAtTheEnd;
        boolean writesAgain;
        try {
            isAtTheEnd = run.isInputEnded() || assignment.isEnding();
            writesAgain = isAtTheEnd && run.aborted.mayWriteAgain();
            renewed = renew(writesAgain);
            if (!writesAgain) {
                // Commit nothing for partitions with aborted records. Their next owner must read these records again.
                leave(leaving.stream()
                        .filter(partition -> !isAborted(partition))
                        .toList());
            }
            scatter.end();
            run.resume(writesAgain);
        } finally {
            run.lock.unlock();
        }
        commits.failedElsewhere();
        if (!renewed.isEmpty()) {
            if (writesAgain) {
                goneAtTheEnd.addAll(renewed);
            } else if (isAtTheEnd) {
                takenBackAtTheEnd = renewed.toString();
            }
            reopen.accept(renewed);
        }
    }

    /** Restarts partitions with aborted records. If the records are written again, restarts only deleted partitions. */
    private List<AssignedPartition> renew(boolean writesAgain) {
        List<AssignedPartition> renewed = new ArrayList<>();
        for (AssignedPartition partition : List.copyOf(assignment.all())) {
            if (!partition.isHeld() && (writesAgain ? commits.isGone(partition.id()) : isAborted(partition))) {
                renewed.add(assignment.renew(partition));
                assignment.dropped().add(List.of(partition), DroppedRecords.Reason.ABORTED);
            }
        }
        return renewed;
    }

    private boolean isAborted(AssignedPartition partition) {
        if (commits.isGone(partition.id()) || run.aborted.isLost(partition.tracker())) {
            return true;
        }
        // Null means that the finished offsets do not fit into a commit. Some of them may belong to aborted records.
        Map<TopicPartition, OffsetAndMetadata> uncommitted = commits.finishedEntirely(List.of(partition));
        return uncommitted == null || !uncommitted.isEmpty();
    }
}
