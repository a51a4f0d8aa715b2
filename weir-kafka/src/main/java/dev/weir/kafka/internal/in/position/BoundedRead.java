package dev.weir.kafka.internal.in.position;

import dev.weir.kafka.Position;
import dev.weir.kafka.internal.in.buffer.AssignedPartition;
import dev.weir.kafka.internal.in.buffer.AssignedPartition.PauseReason;
import dev.weir.kafka.internal.in.buffer.BatchEmission;
import dev.weir.kafka.internal.in.buffer.ConsumerPlan;
import dev.weir.kafka.internal.in.buffer.PartitionAssignment;
import dev.weir.kafka.internal.in.commit.OffsetCommits;
import dev.weir.kafka.internal.in.fetch.LogPosition;
import dev.weir.kafka.internal.in.fetch.RecordFetcher;
import dev.weir.kafka.internal.in.lookup.ConsumerLog;
import dev.weir.kafka.internal.in.lookup.OwnerClock;
import dev.weir.kafka.spi.Lookup;
import dev.weir.stream.spi.Thrown;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.Executor;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.RetriableException;
import org.apache.kafka.common.errors.WakeupException;
import org.jspecify.annotations.Nullable;

/** Detects the end of a bounded read. Confined to the owner thread. */
public final class BoundedRead {

    /** Interval and timeout of queries for the group's progress by a member without partitions. */
    private static final Duration GROUP_LOOK = Duration.ofSeconds(1);

    /** Maximum wait, at the end of the read, for confirmation that no topic was recreated or deleted. */
    private static final Duration MAX_DOUBT = Duration.ofSeconds(10);

    private static final ConsumerLog LOG = ConsumerLog.of(BoundedRead.class);

    private static final Duration END_LOOK = Duration.ofSeconds(1);

    /** Interval between checks of whether unread partitions still exist. */
    private static final Duration GONE_LOOK = Duration.ofSeconds(5);

    private static final Duration END_TIMEOUT = Duration.ofSeconds(5);

    private final ConsumerPlan plan;
    private final Consumer<?, ?> client;
    private final RecordFetcher fetcher;
    private final OwnerClock clock;
    private final PartitionAssignment assignment;
    private final BatchEmission emission;
    private final StartPositions positions;

    private final OffsetCommits commits;

    private final Lookup lookup;
    private final Executor owner;
    private final LogRange logRange;

    /** End offsets of all partitions, including the ones of other members. */
    private final Map<TopicPartition, Long> ends;

    /** Partitions whose end offset is unknown, with the reason of a failed query. */
    private final Map<TopicPartition, String> unknown = new HashMap<>();

    private final Set<TopicPartition> asked = new HashSet<>();
    private long endLookDueNanos;
    private long groupLookDueNanos;
    private long goneLookDueNanos;

    /** Partitions that may no longer exist. Checked together, because a check that is running prevents another one. */
    private final Set<TopicPartition> suspects = new HashSet<>();

    /** The positions of unread partitions at the last check of whether they still exist. */
    private final Map<TopicPartition, Long> positionsAtLook = new HashMap<>();

    /** Time at which the read ends without the records of deleted partitions. */
    private long goneByNanos;

    /** True if a warning names the partitions that no longer exist. */
    private boolean goneNamed;

    /** Partitions that have been read to their ends. The brokers were asked whether their topics were recreated. */
    private final Set<AssignedPartition> doubted = new HashSet<>();

    /**
     * Partitions of {@link #doubted} whose topics were not recreated; all of {@link #doubted} after the maximum wait.
     */
    private final Set<AssignedPartition> sureOf = new HashSet<>();

    /** Time at which the read ends even if the brokers have not confirmed all partitions in {@link #doubted}. */
    private long sureByNanos;

    /**
     * Creates a bounded read.
     *
     * @param lookup queries unknown end offsets
     * @param owner the owner thread, which processes responses
     */
    public BoundedRead(
            ConsumerPlan plan,
            Consumer<?, ?> client,
            RecordFetcher fetcher,
            Lookup lookup,
            OwnerClock clock,
            Executor owner,
            PartitionAssignment assignment,
            BatchEmission emission,
            StartPositions positions,
            OffsetCommits commits) {
        this.commits = commits;
        this.plan = plan;
        this.client = client;
        this.fetcher = fetcher;
        this.lookup = lookup;
        this.clock = clock;
        this.owner = owner;
        this.logRange = new LogRange(lookup, clock, owner, () -> groupLookDueNanos = clock.nanoTime());
        this.assignment = assignment;
        this.emission = emission;
        this.positions = positions;
        this.groupLookDueNanos = clock.nanoTime();
        this.endLookDueNanos = clock.nanoTime();
        this.goneLookDueNanos = clock.nanoTime();
        this.goneByNanos = clock.nanoTime() + MAX_DOUBT.toNanos();
        this.ends = new HashMap<>(plan.endOffsets());
        ends.forEach((id, end) -> {
            if (end == AssignedPartition.UNKNOWN) {
                unknown.put(id, "");
            }
        });
    }

    /** Returns the reason why the partition's end is unknown; null if it is known. */
    @Nullable
    public String trouble(AssignedPartition partition) {
        String trouble = partition.endOffset() == AssignedPartition.UNKNOWN ? unknown.get(partition.id()) : null;
        if (trouble == null) {
            return logRange.trouble(partition.id());
        }
        return "its end is not known" + (trouble.isEmpty() ? "" : ": " + trouble);
    }

    private void askForEnds() {
        if (unknown.isEmpty() || clock.nanoTime() - endLookDueNanos < 0) {
            return;
        }
        endLookDueNanos = clock.nanoTime() + END_LOOK.toNanos();
        Map<TopicPartition, Position> wanted = new HashMap<>();
        unknown.forEach((id, why) -> {
            if (asked.add(id)) {
                wanted.put(id, Objects.requireNonNull(plan.subscription().end().of(id)));
            }
            if (!why.isEmpty()) {
                suspects.add(id);
            }
        });
        lookup.offsets(wanted, END_TIMEOUT)
                .forEach((id, answer) ->
                        answer.whenComplete((end, failure) -> owner.execute(() -> answered(id, end, failure))));
    }

    private void answered(TopicPartition id, @Nullable Long end, @Nullable Throwable failure) {
        asked.remove(id);
        if (end != null) {
            unknown.remove(id);
            ends.put(id, end);
            return;
        }
        String why = failure == null ? "" : String.valueOf(Thrown.message(Thrown.unwrapped(failure)));
        if (!why.equals(unknown.put(id, why))) {
            LOG.warn("the end of {} is not known yet: {}; it is requested again", id, why);
        }
    }

    private void begin(AssignedPartition partition) {
        long end = ends.getOrDefault(partition.id(), 0L);
        if (partition.endOffset() == AssignedPartition.UNKNOWN && end != AssignedPartition.UNKNOWN) {
            partition.learnEnd(end);
        }
    }

    /**
     * Checks each assigned partition and returns whether all are read to their ends. A member without partitions waits
     * for the whole group.
     */
    public boolean isAllRead() {
        askForEnds();
        boolean all = !assignment.all().isEmpty() || isGroupThrough();
        Set<TopicPartition> endless = new HashSet<>();
        Set<TopicPartition> unread = new HashSet<>();
        boolean hasPaused = false;
        for (AssignedPartition partition : List.copyOf(assignment.all())) {
            begin(partition);
            if (partition.endOffset() == AssignedPartition.UNKNOWN) {
                endless.add(partition.id());
                continue;
            }
            if (!partition.isPausedFor(PauseReason.END) && !partition.isHeld() && isReadToEnd(partition)) {
                assignment.pause(partition, PauseReason.END);
                emission.readTo(partition, Math.min(fetcher.position(partition.id()), partition.firstDropped()));
            }
            if (partition.isPausedFor(PauseReason.END)) {
                continue;
            }
            hasPaused |= partition.isPaused() && !partition.isHeld();
            unread.add(partition.id());
        }
        logRange.askIfDue();
        suspectIfDue(unread);
        commits.lookForGone(suspects);
        suspects.clear();
        unread.addAll(endless);
        all &= unread.isEmpty() || areGone(unread, hasPaused);
        return all && !emission.holdsBack() && isSure();
    }

    /** Adds partitions to {@link #suspects} that have not advanced since the last check. */
    private void suspectIfDue(Set<TopicPartition> unread) {
        if (clock.nanoTime() - goneLookDueNanos < 0) {
            return;
        }
        goneLookDueNanos = clock.nanoTime() + GONE_LOOK.toNanos();
        positionsAtLook.keySet().retainAll(unread);
        for (TopicPartition id : unread) {
            Long now = positionOf(id);
            if (now.equals(positionsAtLook.put(id, now))) {
                suspects.add(id);
            }
        }
    }

    private long positionOf(TopicPartition id) {
        AssignedPartition partition = assignment.get(id);
        return partition == null || partition.isHeld() ? AssignedPartition.UNKNOWN : fetcher.position(id);
    }

    /** Returns whether the brokers have confirmed that no topic was recreated, or the maximum wait has passed. */
    private boolean isSure() {
        boolean sure = true;
        for (AssignedPartition partition : assignment.all()) {
            if (commits.isGone(partition.id())) {
                continue;
            }
            if (doubted.add(partition)) {
                sureByNanos = clock.nanoTime() + MAX_DOUBT.toNanos();
                positions.topicIds().identifyAgain(partition, 1, () -> sureOf.add(partition));
            }
            sure &= sureOf.contains(partition);
        }
        if (!sure && clock.nanoTime() - sureByNanos >= 0) {
            LOG.warn("ends without an answer whether the topics of {} still are the same ones", assignment.ids());
            sureOf.addAll(doubted); // a transaction may delay the end, and the warning is given once
            return true;
        }
        return sure;
    }

    private boolean isGroupThrough() {
        if (clock.nanoTime() - groupLookDueNanos < 0) {
            return false;
        }
        try {
            Map<TopicPartition, OffsetAndMetadata> committed = client.committed(ends.keySet(), GROUP_LOOK);
            Set<TopicPartition> unread = new HashSet<>();
            ends.forEach((id, end) -> {
                OffsetAndMetadata commit = committed.get(id);
                if (end == AssignedPartition.UNKNOWN || (commit == null ? end > 0 : !isThrough(id, commit, end))) {
                    unread.add(id);
                }
            });
            suspects.addAll(unread);
            return unread.isEmpty() || areGone(unread, false);
        } catch (KafkaException failure) {
            if (PartitionOpenings.isPermanent(failure)) {
                throw failure;
            }
            if (!(failure instanceof RetriableException || failure instanceof WakeupException)) {
                LOG.warn(
                        "whether the group has read to the end is not known yet: {}; it is requested again",
                        Thrown.text(failure));
            }
            return false;
        } finally {
            groupLookDueNanos = clock.nanoTime() + GROUP_LOOK.toNanos();
        }
    }

    /**
     * Adds a line to {@code leftUndone} that names the partitions of {@code returned} whose end offsets the group has
     * not committed.
     */
    public void addUnread(Set<TopicPartition> returned, List<String> leftUndone) {
        if (returned.isEmpty()) {
            return;
        }
        Set<TopicPartition> unread = new HashSet<>(returned);
        try {
            commits.committed(returned, GROUP_LOOK.toNanos()).forEach((id, commit) -> {
                if (commit != null && commit.offset() >= ends.getOrDefault(id, 0L)) {
                    unread.remove(id);
                }
            });
        } catch (KafkaException unknown) {
            LOG.warn("cannot find out whether {} are read to their ends: {}", returned, Thrown.text(unknown));
        }
        if (!unread.isEmpty()) {
            leftUndone.add("withdrawn at the end of the read and left to the group: " + OffsetQueries.names(unread));
        }
    }

    /**
     * Returns whether these partitions have been missing for some time because their topics were deleted. A single
     * response is not enough: a broker may temporarily not know a topic. While one of them is paused, the time does not
     * begin, because the client may still hold its records.
     */
    private boolean areGone(Set<TopicPartition> ids, boolean hasPaused) {
        if (hasPaused || !ids.stream().allMatch(commits::isGone)) {
            goneByNanos = clock.nanoTime() + MAX_DOUBT.toNanos();
            return false;
        }
        boolean gone = clock.nanoTime() - goneByNanos >= 0;
        if (gone && !goneNamed) {
            goneNamed = true;
            LOG.warn("ends without the unread records of {}, which no longer exist", ids);
        }
        return gone;
    }

    /** Returns whether the group has committed the end offset and the log contains the committed position. */
    private boolean isThrough(TopicPartition id, OffsetAndMetadata commit, long end) {
        return commit.offset() >= end && logRange.find(id, LogPosition.of(commit)) == LogRange.Answer.WITHIN;
    }

    private boolean isReadToEnd(AssignedPartition partition) {
        long position = fetcher.position(partition.id());
        return position >= partition.endOffset()
                && (position > partition.epochs().begin() || isInLog(partition));
    }

    /** Returns whether the log contains the start position. If not, applies the out-of-range policy. */
    private boolean isInLog(AssignedPartition partition) {
        long offset = partition.epochs().begin();
        LogPosition position = new LogPosition(offset, partition.epochs().before(offset));
        return switch (logRange.find(partition.id(), position)) {
            case WITHIN -> true;
            case UNKNOWN -> false;
            case OUTSIDE -> {
                logRange.forget(partition.id());
                positions.outOfRange(partition, offset);
                yield false;
            }
            case TRUNCATED -> {
                long divergent = logRange.divergentOffset(partition.id());
                logRange.forget(partition.id());
                positions.truncated(partition, offset, divergent);
                yield false;
            }
        };
    }
}
