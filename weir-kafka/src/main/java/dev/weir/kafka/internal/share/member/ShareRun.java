package dev.weir.kafka.internal.share.member;

import dev.weir.kafka.ConsumerHealth;
import dev.weir.kafka.ShareGroupConfig;
import dev.weir.kafka.ShareHandle;
import dev.weir.kafka.ShareSettings;
import dev.weir.kafka.internal.share.group.GroupQueries;
import dev.weir.kafka.internal.share.group.GroupStart;
import dev.weir.kafka.internal.share.member.CreditTuner.Look;
import dev.weir.kafka.internal.share.member.ShareLimits.Surroundings;
import dev.weir.kafka.internal.share.member.SharePath.Plan;
import dev.weir.stream.spi.StageContext.Termination;
import dev.weir.stream.spi.Thrown;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.apache.kafka.clients.admin.SharePartitionOffsetInfo;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A running member of a share group. A thread takes measurements twice per second, or ten times per second while the
 * limits of the path increase. It adapts these limits, reads the group's lag, and stops a bounded read at its end. Any
 * thread may take a snapshot.
 */
final class ShareRun implements ShareHandle, Termination {

    private static final Logger LOG = LoggerFactory.getLogger(ShareRun.class);
    private static final long LOOK_MILLIS = 100;
    private static final double FORGETS = 0.95;

    /**
     * Length of the period for which the limit of the rate is determined. Slow records may block the window of locks
     * for seconds at a time.
     */
    private static final long JUDGED_NANOS = TimeUnit.SECONDS.toNanos(5);

    private static final int LOOKS_PER_PLAN = 5;
    private static final int LOOKS_PER_LAG = 20;
    private static final Limit UNKNOWN = Limit.of("arrival", "records", "nothing was done yet", "nothing", 1);

    private final ShareSettings<?, ?> settings;
    private final GroupStart start;
    private final GroupEnd end;
    private final GroupQueries admin;
    private final SharePath path;
    private final ReadyRecords ready;
    private final ShareCounters counters;
    private final @Nullable ParkedCopies copies;
    private final Consumer<ShareGroupConfig> onConfig;
    private final Consumer<Throwable> onFailure;
    private final ScheduledExecutorService watch = Executors.newSingleThreadScheduledExecutor(
            Thread.ofPlatform().daemon().name("weir-share-watch").factory());

    // Confined to the watch thread.
    private final ArrayDeque<Moment> judged = new ArrayDeque<>();
    private Sums before;
    private int looks;
    private boolean grows = true;
    private double slowestSeconds;
    private ShareGroupConfig config;

    private final Supplier<List<String>> troubles;

    private volatile boolean closed;
    private volatile Plan plan;
    private volatile long lag = -1;
    private volatile Limit limit = UNKNOWN;

    /**
     * Creates the run without starting it.
     *
     * @param onConfig called with the group's configuration each time it has been read
     * @param onFailure called with an error that ends the measurements
     */
    ShareRun(
            ShareSettings<?, ?> settings,
            GroupStart start,
            GroupQueries admin,
            SharePath path,
            ReadyRecords ready,
            ShareCounters counters,
            @Nullable ParkedCopies copies,
            Consumer<ShareGroupConfig> onConfig,
            Consumer<Throwable> onFailure,
            Supplier<List<String>> troubles) {
        this.troubles = troubles;
        this.settings = settings;
        this.start = start;
        this.end = new GroupEnd(settings.groupId(), admin, start);
        this.admin = admin;
        this.path = path;
        this.ready = ready;
        this.counters = counters;
        this.copies = copies;
        this.onConfig = onConfig;
        this.onFailure = onFailure;
        this.config = start.config();
        this.plan = path.first(settings.workers(), settings.maxLanes());
        this.before = sums();
    }

    void begin() {
        warnOfLocks();
        path.start(plan);
        judged.add(new Moment(before, 0, 0));
        var ignored = watch.scheduleWithFixedDelay(this::look, LOOK_MILLIS, LOOK_MILLIS, TimeUnit.MILLISECONDS);
    }

    private void look() {
        try {
            measure();
        } catch (Throwable failure) {
            onFailure.accept(failure);
            throw failure; // ends the scheduled measurements
        }
    }

    /** Takes one measurement. Called on the watch thread. */
    void measure() {
        try {
            boolean atPlan = looks % LOOKS_PER_PLAN == 0;
            boolean atConfig = looks % LOOKS_PER_LAG == 0;
            looks++;
            if (atPlan || (grows && path.isTuned())) {
                tune();
            }
            if (atConfig || (atPlan && settings.isUntilEnd())) {
                lookAtGroup();
            }
            if (atConfig) {
                boolean renewed = config.renewsLocks();
                config = admin.config();
                onConfig.accept(config);
                if (renewed) {
                    warnOfLocks();
                }
            }
        } catch (RuntimeException failure) {
            if (!watch.isShutdown()) {
                LOG.warn("share group {}: {}", settings.groupId(), Thrown.text(failure));
            }
        }
    }

    private void warnOfLocks() {
        if (!config.renewsLocks()) {
            LOG.warn(
                    "share group {} renews no locks (share.renew.acknowledge.enable=false): a record whose handler takes"
                            + " longer than {} ms is delivered again, with one delivery fewer left",
                    settings.groupId(),
                    config.lockDuration().toMillis());
        }
    }

    private void lookAtGroup() {
        Map<TopicPartition, SharePartitionOffsetInfo> offsets = admin.offsets(start.partitions());
        long sum = 0;
        boolean known = offsets.size() == start.partitions().size();
        for (SharePartitionOffsetInfo info : offsets.values()) {
            known &= info.lag().isPresent();
            sum += info.lag().orElse(0L);
        }
        lag = known ? sum : -1;
        if (settings.isUntilEnd() && end.isReached(offsets, counters.settled.sum(), System.nanoTime())) {
            path.stop();
        }
    }

    private void tune() {
        Sums now = sums();
        Look look = now.since(before, path, config, start.partitions().size());
        Plan old = plan;
        if (look.settled() > 0) {
            before = now;
            slowestSeconds = Math.max(slowestSeconds * FORGETS, seconds(counters.slowestNanos.getThenReset()));
        }
        judge(now, old);
        Plan next = path.next(old, look, settings.workers());
        if (!next.equals(old)) {
            LOG.debug("share group {}: {} after {}", settings.groupId(), next, look);
        }
        grows = next.credits() > old.credits() || look.settled() == 0;
        plan = next;
        path.follow(next);
    }

    private void judge(Sums now, Plan current) {
        judged.add(new Moment(now, inHand(), path.widestSpan()));
        while (now.atNanos - judged.element().sums.atNanos > JUDGED_NANOS) {
            judged.remove();
        }
        Look look = now.since(
                judged.element().sums, path, config, start.partitions().size());
        long span = judged.stream().mapToLong(Moment::span).max().orElse(0);
        // If no record was finished, only a full window of locks is a known cause.
        if (look.settled() > 0 || ShareLimits.isFull(span, look.locksPerPartition())) {
            double full = judged.stream()
                    .mapToInt(each -> ShareLimits.isFull(each.span, look.locksPerPartition()) ? 1 : 0)
                    .average()
                    .orElse(0);
            double inHand = judged.stream().mapToInt(Moment::inHand).average().orElse(0);
            limit = ShareLimits.of(
                    look,
                    new Surroundings(
                            settings.workers(), inHand, span, full, lag, confirmationSeconds(), slowestSeconds),
                    current,
                    path.isTuned());
        }
    }

    private double confirmationSeconds() {
        return seconds(counters.acknowledgementNanos.sum()) / Math.max(1, counters.acknowledgements.sum());
    }

    private int inHand() {
        long open = counters.acquired.sum()
                - counters.settled.sum()
                - counters.neverBegun.sum()
                - counters.lockExpired.sum()
                - ready.size();
        return (int) Math.max(0, open);
    }

    private static double seconds(long nanos) {
        return nanos / 1e9;
    }

    private record Moment(Sums sums, int inHand, long span) {}

    private record Sums(
            long atNanos,
            long settled,
            long starved,
            long polls,
            long pollNanos,
            long emptyPollNanos,
            long rounds,
            long roundNanos) {

        Look since(Sums earlier, SharePath path, ShareGroupConfig config, int partitions) {
            double seconds = Math.max(1e-3, seconds(atNanos - earlier.atNanos));
            double laneSeconds = seconds * Math.max(1, path.lanes());
            int lock = path.lockMillis();
            return new Look(
                    seconds,
                    settled - earlier.settled,
                    Math.min(1, seconds(starved - earlier.starved) / seconds),
                    Math.min(1, seconds(emptyPollNanos - earlier.emptyPollNanos) / laneSeconds),
                    seconds(pollNanos - earlier.pollNanos) / Math.max(1, polls - earlier.polls),
                    seconds(roundNanos - earlier.roundNanos) / Math.max(1, rounds - earlier.rounds),
                    lock == 0 ? config.lockDuration().toMillis() / 1e3 : lock / 1e3,
                    config.locksPerPartition(),
                    partitions);
        }
    }

    private Sums sums() {
        return new Sums(
                System.nanoTime(),
                counters.settled.sum(),
                ready.starvedNanos(),
                counters.polls.sum(),
                counters.pollNanos.sum(),
                counters.emptyPollNanos.sum(),
                counters.rounds.sum(),
                counters.roundNanos.sum());
    }

    @Override
    public ConsumerHealth health() {
        boolean live = !closed;
        boolean joined = live && path.isJoined();
        List<String> reasons = new ArrayList<>();
        if (!live) {
            reasons.add("the share group member has ended");
        } else if (!joined) {
            reasons.add("share group " + settings.groupId() + " has assigned it no partitions");
        }
        List<String> stuck = troubles.get();
        reasons.addAll(stuck);
        return ConsumerHealth.of(live, joined, stuck.isEmpty(), String.join("; ", reasons), null);
    }

    @Override
    public Snapshot snapshot() {
        Plan current = plan;
        return Snapshot.builder()
                .accepted(counters.accepted.sum())
                .released(counters.released.sum())
                .rejected(counters.rejected.sum())
                .renewed(counters.renewed.sum())
                .redelivered(counters.redelivered.sum())
                .lockExpired(counters.lockExpired.sum())
                .failedAcknowledgements(counters.failedAcknowledgements.sum())
                .neverBegun(counters.neverBegun.sum())
                .parked(counters.parked.sum())
                .emptiedAnswers(counters.emptiedAnswers.sum())
                .waiting(ready.size())
                .inHand(inHand())
                .lag(lag)
                .lanes(current.consumers())
                .pollRecords(current.pollRecords())
                .acquireMode(current.mode().configured())
                .workers(settings.workers())
                .limit(limit)
                .skipped(counters.skipped.skipped())
                .build();
    }

    @Override
    public String close(Duration patience) {
        closed = true;
        watch.shutdownNow();
        int unfinished;
        try {
            unfinished = path.close(patience);
        } finally {
            try {
                if (copies != null) {
                    copies.close();
                }
            } finally {
                admin.close();
            }
        }
        long lost = counters.lost.sum();
        List<String> said = new ArrayList<>();
        if (unfinished > 0) {
            said.add(unfinished + " records released to share group " + settings.groupId());
        }
        if (lost > 0) {
            said.add(lost
                    + " records lost, as they were released in their last delivery and have no copy (the log"
                    + " names them)");
        }
        return String.join("; ", said);
    }
}
