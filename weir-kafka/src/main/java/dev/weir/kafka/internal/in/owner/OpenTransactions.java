package dev.weir.kafka.internal.in.owner;

import dev.weir.kafka.Position;
import dev.weir.kafka.internal.in.buffer.AssignedPartition;
import dev.weir.kafka.internal.in.buffer.PartitionAssignment;
import dev.weir.kafka.internal.in.fetch.RecordFetcher;
import dev.weir.kafka.internal.in.lookup.ConsumerLog;
import dev.weir.kafka.internal.in.lookup.OwnerClock;
import dev.weir.kafka.internal.in.lookup.OwnerThread;
import dev.weir.kafka.spi.Lookup;
import dev.weir.stream.spi.Thrown;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;

/**
 * Reports partitions where an open transaction blocks readers of committed records (ADR 213). Confined to the owner
 * thread.
 *
 * <p>Checks a partition once all its readable records have been read.
 */
final class OpenTransactions {

    private static final ConsumerLog LOG = ConsumerLog.of(OpenTransactions.class);

    /** Minimum time that records must have waited before the partition is reported. */
    private static final long TOLD_AFTER_NANOS = TimeUnit.MINUTES.toNanos(1);

    private static final long LOOK_NANOS = TimeUnit.SECONDS.toNanos(10);

    private static final Duration ANSWER_WITHIN = Duration.ofSeconds(5);

    /** A position at which no records arrive. */
    private static final class Place {

        final long offset;

        /** The end of the log, or the position itself if no records are waiting. */
        long end;

        /** The time when the first waiting record was detected. */
        long sinceNanos;

        boolean asked;

        @Nullable
        String holder;

        Place(long offset) {
            this.offset = offset;
            this.end = offset;
        }
    }

    private final OwnerThread owner;
    private final RecordFetcher fetcher;
    private final PartitionAssignment assignment;
    private final Lookup lookup;
    private final OwnerClock clock;
    private final boolean readsCommitted;
    private final Map<AssignedPartition, Place> places = new HashMap<>();
    private long lookDueNanos;

    /**
     * Creates a check.
     *
     * @param owner the owner thread, on which results are processed
     * @param readsCommitted whether only records of committed transactions are read
     */
    OpenTransactions(
            OwnerThread owner,
            RecordFetcher fetcher,
            PartitionAssignment assignment,
            Lookup lookup,
            OwnerClock clock,
            boolean readsCommitted) {
        this.readsCommitted = readsCommitted;
        this.owner = owner;
        this.fetcher = fetcher;
        this.assignment = assignment;
        this.lookup = lookup;
        this.clock = clock;
        this.lookDueNanos = clock.nanoTime() + LOOK_NANOS;
    }

    /**
     * Describes the waiting records of a partition and the transaction that blocks them. Returns null if the partition
     * is not blocked.
     */
    @Nullable
    String trouble(AssignedPartition partition, long now) {
        Place place = places.get(partition);
        return place == null || place.holder == null || !isAt(partition, place)
                ? null
                : waiting(place, now) + "; " + place.holder;
    }

    private boolean isAt(AssignedPartition partition, Place place) {
        return assignment.isCurrent(partition) && fetcher.position(partition.id()) == place.offset;
    }

    private static String waiting(Place place, long now) {
        return place.end - place.offset + " records behind offset " + place.offset + " have waited for "
                + TimeUnit.NANOSECONDS.toSeconds(now - place.sinceNanos) + " s";
    }

    void lookIfDue(long now) {
        if (!readsCommitted || now - lookDueNanos < 0 || !owner.isEmitting()) {
            return;
        }
        lookDueNanos = now + LOOK_NANOS;
        places.entrySet().removeIf(each -> isOver(each.getKey(), each.getValue()));
        // Check only partitions that have not advanced since the last check.
        Map<TopicPartition, AssignedPartition> standing = new HashMap<>();
        places.keySet().forEach(partition -> standing.put(partition.id(), partition));
        for (AssignedPartition partition : assignment.all()) {
            long position = fetcher.position(partition.id());
            if (!partition.isHeld() && !partition.isPaused() && position >= 0 && fetcher.lag(partition.id()) <= 0) {
                places.putIfAbsent(partition, new Place(position));
            }
        }
        if (!standing.isEmpty()) {
            lookup.highWatermarks(standing.keySet(), ANSWER_WITHIN).forEach((id, answer) -> {
                AssignedPartition partition = Objects.requireNonNull(standing.get(id));
                Place place = Objects.requireNonNull(places.get(partition));
                var ignored = answer.thenAccept(end -> owner.execute(() -> seen(partition, place, end)));
            });
        }
    }

    private boolean isOver(AssignedPartition partition, Place place) {
        if (isAt(partition, place)) {
            return false;
        }
        if (place.holder != null && assignment.isCurrent(partition)) {
            LOG.info(
                    "{} continues: the transaction that was open at offset {} has ended", partition.id(), place.offset);
        }
        return true;
    }

    private void seen(AssignedPartition partition, Place place, long highWatermark) {
        if (!isAt(partition, place)) {
            return;
        }
        long now = clock.nanoTime();
        if (place.end == place.offset) {
            place.sinceNanos = now;
        }
        place.end = Math.max(place.offset, highWatermark);
        if (place.end > place.offset && !place.asked && now - place.sinceNanos >= TOLD_AFTER_NANOS) {
            place.asked = true;
            ask(partition, place);
        }
    }

    /** Queries the open transaction and the last stable offset. */
    private void ask(AssignedPartition partition, Place place) {
        TopicPartition id = partition.id();
        CompletionStage<String> holder = lookup.openTransaction(id, ANSWER_WITHIN)
                .exceptionally(unknown -> "its producer is not known: " + Thrown.reason(unknown));
        var ignored = Objects.requireNonNull(lookup.offsets(Map.of(id, Position.end()), ANSWER_WITHIN)
                        .get(id))
                .exceptionally(unknown -> Long.MAX_VALUE)
                .thenAcceptBoth(
                        holder, (stable, words) -> owner.execute(() -> answered(partition, place, stable, words)));
    }

    private void answered(AssignedPartition partition, Place place, long stableOffset, String holder) {
        if (!isAt(partition, place)) {
            return;
        }
        if (stableOffset > place.offset) {
            place.asked = false;
            place.sinceNanos = clock.nanoTime();
            return;
        }
        place.holder = holder;
        LOG.warn(
                "{}@{} is held up by an open transaction of another producer: {}; {}. It ends when its producer or,"
                        + " at its timeout, a broker ends it, or by kafka-transactions.sh --bootstrap-server ... abort"
                        + " --topic {} --partition {} --start-offset {}",
                partition.id(),
                place.offset,
                waiting(place, clock.nanoTime()),
                holder,
                partition.id().topic(),
                partition.id().partition(),
                stableOffset);
    }
}
