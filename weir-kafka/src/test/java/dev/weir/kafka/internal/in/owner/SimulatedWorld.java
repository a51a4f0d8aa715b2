package dev.weir.kafka.internal.in.owner;

import dev.weir.kafka.ConsumerSettings;
import dev.weir.kafka.KafkaPipelineException;
import dev.weir.kafka.OutOfRangePolicy;
import dev.weir.kafka.Subscription;
import dev.weir.kafka.internal.in.buffer.ConsumerPlan;
import dev.weir.kafka.internal.in.buffer.ConsumerPlan.Delivery;
import dev.weir.kafka.internal.in.buffer.RecordOutlets;
import dev.weir.kafka.internal.in.fetch.ClientFetcher;
import dev.weir.kafka.internal.in.fetch.ClientLimits;
import dev.weir.kafka.internal.in.lookup.OwnerClock;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;

/**
 * Simulates a cluster, a group, a user, a pipeline and time around one real consumer loop. One seed determines
 * everything, on one thread. Each poll or park of the loop is a step. Each step checks promises from
 * docs/reference/guarantees.md.
 */
final class SimulatedWorld implements OwnerClock {

    /** Ends the process. The cluster no longer sees what it does. */
    @SuppressWarnings("serial") // never serialised
    private static final class Crash extends Error {}

    /** Steps without faults after which a simulation counts as stuck. Most need less than a hundredth of them. */
    private static final int MAX_CALM_STEPS = 200_000;

    final Random random;
    final Map<TopicPartition, SimulatedLog> logs = new LinkedHashMap<>();
    final SimulatedContext context = new SimulatedContext();
    final SimulatedClient client;
    final SimulatedLookup lookup = new SimulatedLookup(this);
    private final ConsumerSettings<byte[], byte[]> settings;

    final boolean bounded;
    final SimulatedTroubles troubles;

    /** Policy for a lost position. */
    final OutOfRangePolicy outOfRange;

    /** Number of records to commit before they are pulled; 0 commits records when they are finished. */
    final int commitAhead;

    // State of the current process.
    private SimulatedPipeline pipeline;
    private ConsumerLoop loop;
    SimulatedUser user;

    private long nowNanos = 1_000_000_000_000L;
    private int stepsLeft;
    boolean crashed;
    boolean refused;
    boolean stopped;
    boolean closeRequested;
    boolean abandoned;
    private boolean calm;
    private int calmSteps;
    private long closeDeadlineNanos;

    /**
     * Generates a simulation from the seed.
     *
     * @param allowed the events that may happen to topics; without effect on other random choices
     * @param faults the planted faults
     */
    SimulatedWorld(long seed, Set<SimulatedEvent> allowed, Set<SimulatedEvent.Planted> faults) {
        random = new Random(seed);
        int partitions = 1 + random.nextInt(5);
        for (int i = 0; i < partitions; i++) {
            SimulatedLog log = new SimulatedLog(new TopicPartition("t", i));
            log.grow(random, random.nextInt(60));
            log.endAtStart = log.end;
            log.priority = random.nextInt(3);
            logs.put(log.id, log);
        }
        bounded = random.nextInt(3) == 0;
        commitAhead = random.nextInt(4) == 0 ? 1 + random.nextInt(60) : 0;
        stepsLeft = 20 + random.nextInt(200);
        troubles = new SimulatedTroubles(this, seed, allowed, faults);
        outOfRange = troubles.drawPolicy();
        client = new SimulatedClient(this);
        settings = ConsumerSettings.builder()
                .bootstrapServers("simulated:1")
                .groupId("g")
                .commitInterval(Duration.ofMillis(1 + random.nextInt(2_000)))
                .commitRecords(1 + random.nextInt(100))
                .maxOutstandingRecords(1 + random.nextInt(100))
                .revokeDeadline(Duration.ofMillis(random.nextInt(3_000)))
                .outOfRange(outOfRange)
                .property("auto.offset.reset", troubles.startsAtEnd() ? "latest" : "earliest")
                .build();
        pipeline = new SimulatedPipeline(this);
        loop = newLoop();
        user = new SimulatedUser(this, loop.control());
    }

    SimulatedLog addLog() {
        SimulatedLog log = new SimulatedLog(new TopicPartition("t", logs.size()));
        log.added = true;
        logs.put(log.id, log);
        return log;
    }

    private ConsumerLoop newLoop() {
        Subscription all = Subscription.topics("t");
        for (SimulatedLog log : logs.values()) {
            all = all.priority(log.id, log.priority);
        }
        Map<TopicPartition, Long> endOffsets =
                logs.values().stream().collect(Collectors.toMap(log -> log.id, log -> log.endAtStart));
        return new ConsumerLoop(
                client,
                new ClientFetcher(client),
                settings,
                new ClientLimits(client.maxPollRecords(), Duration.ofMinutes(5), Duration.ofSeconds(30)),
                new ConsumerPlan(
                        bounded ? all.untilEnd() : all,
                        bounded ? endOffsets : Map.of(),
                        commitAhead > 0 ? new Delivery.AtMostOnce(commitAhead) : new Delivery.Committable(),
                        null,
                        Set.of()),
                context::fail,
                RecordOutlets.single(pipeline.buffer),
                lookup,
                this,
                client::commitDirectly,
                null);
    }

    ConsumerLoop loop() {
        return loop;
    }

    SimulatedPipeline pipeline() {
        return pipeline;
    }

    long revokeDeadlineNanos() {
        return settings.revokeDeadline().toNanos();
    }

    SimulatedLog log(TopicPartition id) {
        return Objects.requireNonNull(logs.get(id));
    }

    static void require(boolean holds, String otherwise) {
        require(holds, otherwise, null);
    }

    /** Requires a condition. */
    static void require(boolean holds, Supplier<String> otherwise) {
        if (!holds) {
            throw new AssertionError(otherwise.get());
        }
    }

    private static void require(boolean holds, String otherwise, @Nullable Throwable cause) {
        if (!holds) {
            throw new AssertionError(otherwise, cause);
        }
    }

    // ---- From the first process to the last
    // --------------------------------------------------------------------------

    void run() {
        loop.run();
        while (crashed || troubles.isLossNoticed()) {
            restart();
            loop.run();
        }
        require(refused || context.failure == null, "the loop failed", context.failure);
        String left = loop.close(Duration.ZERO);
        user.requireAnswers();
        if (refused) {
            // A refused commit must fail the run, unless the run is already ending.
            require(
                    closeRequested || context.failure instanceof KafkaPipelineException,
                    "failed with",
                    context.failure);
            return;
        }
        for (SimulatedLog log : logs.values()) {
            if (commitAhead > 0) {
                require(
                        abandoned || log.unseen().isEmpty(),
                        () -> "committed and never emitted: " + log.id + log.unseen());
                require(abandoned || !left.contains(log.id + "@"), () -> "all was pulled, but reported: " + left);
                log.requirePlaceIsCommitted();
                if (log.owned) {
                    checkEnd(log, false);
                }
            } else if (log.owned) {
                checkFinalCommit(log, left);
            }
        }
    }

    /** Starts the next process. It knows only the commits. */
    private void restart() {
        if (crashed) {
            require(context.failure instanceof Crash, "did not die of the crash", context.failure);
        } else {
            troubles.setByHand();
        }
        user.requireAnswers();
        client.restart();
        lookup.forget();
        int lost = logs.values().stream()
                .mapToInt(log -> log.unseen().cardinality())
                .sum();
        // Records held back by a pause do not count toward the limit.
        int most = commitAhead * (1 + user.pauses);
        require(commitAhead == 0 || lost <= most, () -> "lost in a crash: " + lost + ", more than " + most);
        logs.values().forEach(SimulatedLog::forgiveUnseen);
        logs.values().forEach(SimulatedLog::forgetPlace);
        if (logs.values().stream().allMatch(SimulatedLog::isUntouched)) {
            // Nobody has read the topic yet, so no partition counts as added later.
            logs.values().forEach(log -> log.added = false);
        }
        crashed = false;
        // A stopped or abandoned run may still fail because of a lost position. Reset its flags.
        stopped = false;
        abandoned = false;
        closeRequested = false;
        context.failure = null;
        pipeline = new SimulatedPipeline(this);
        loop = newLoop();
        user = new SimulatedUser(this, loop.control());
    }

    private void checkFinalCommit(SimulatedLog log, String leftUndone) {
        log.requireFinishedIsCommitted();
        boolean isLeft = pipeline.holds(log);
        require(
                isLeft == leftUndone.contains(log.id + "@"),
                () -> log.id + " unfinished: " + isLeft + ", but reported: " + leftUndone);
        checkEnd(log, isLeft);
    }

    /** Requires that a bounded read which ended by itself has committed the end offset. */
    private void checkEnd(SimulatedLog log, boolean isLeft) {
        boolean throughAll = bounded && !stopped && !abandoned && !isLeft && !log.held;
        if (throughAll && log.placed && log.position >= log.endAtStart) {
            require(
                    Math.max(0, log.committed) >= log.endAtStart,
                    () -> "the end of " + log.id + " was " + log.endAtStart + ", committed " + log.committed);
        }
    }

    // ---- What happens ----------------------------------------------------------------------------------------------

    void act() {
        if (stepsLeft-- <= 0) {
            actCalmly();
            return;
        }
        troubles.act();
        switch (random.nextInt(18)) {
            case 0, 1, 2 -> pipeline.take();
            case 3, 4, 5 -> pipeline.finishSome();
            case 6, 7 -> logs.values().forEach(log -> log.grow(random, random.nextInt(8)));
            case 8 -> client.othersWork();
            case 9 -> {
                if (!client.isInCallback() && random.nextInt(4) == 0) {
                    client.rebalance(false);
                }
            }
            case 10 -> {
                if (random.nextInt(30) == 0) {
                    stop();
                }
            }
            case 11 -> {
                if (random.nextInt(40) == 0) {
                    crashIfItRuns();
                }
            }
            case 12 -> {
                if (random.nextInt(60) == 0) {
                    abandoned = true;
                    pipeline.abandon();
                    requestClose(Duration.ofSeconds(30L * random.nextInt(2)));
                }
            }
            case 13 -> lookup.answerNext();
            case 14, 15, 16 -> userActs();
            default -> pass(random.nextInt(5_000_000));
        }
    }

    void crashIfItRuns() {
        if (!stopped && !closeRequested && !abandoned && !refused) {
            crashed = true;
            throw new Crash();
        }
    }

    private void userActs() {
        if (stopped || closeRequested) {
            return;
        }
        switch (random.nextInt(6)) {
            case 0 -> user.pauseSome();
            case 1, 2 -> user.resumeSome();
            case 3 -> user.seek();
            default -> lookup.answerNext();
        }
    }

    /** Performs a step without faults. */
    private void actCalmly() {
        require(++calmSteps < MAX_CALM_STEPS, () -> "never comes to its end: " + logs.values());
        if (!calm) {
            calm = true;
            user.resumeAll();
            troubles.calmDown();
        }
        switch (random.nextInt(7)) {
            case 0, 1, 2 -> pipeline.take();
            case 3, 4, 5 -> pipeline.finishSome();
            default -> lookup.answerNext();
        }
        if (!bounded && !stopped && troubles.isThrough()) {
            stop();
        }
    }

    private void stop() {
        stopped = true;
        if (commitAhead > 0) {
            // Resume all partitions: records that were committed ahead must be emitted.
            user.letGo();
        }
        loop.stop();
    }

    /** Called when the pipeline has pulled all records. */
    void pipelineEnded() {
        requestClose(Duration.ofSeconds(random.nextInt(60)));
    }

    private void requestClose(Duration patience) {
        if (!closeRequested) {
            closeRequested = true;
            closeDeadlineNanos = nowNanos + patience.toNanos();
            loop.requestClose(patience);
        }
    }

    /** Requires a reason for a poll that waits. */
    void requireReasonToSleep(boolean finalRebalance) {
        if (!stopped && !closeRequested && !bounded && commitAhead == 0) {
            logs.values().stream()
                    .filter(log -> log.owned && log.paused && !log.held && !log.doubtful && log.position > log.start)
                    .forEach(log -> require(!log.isAllFetchedFinished(), () -> log.id + " is paused for ever"));
        }
        if (closeRequested) {
            require(nowNanos - closeDeadlineNanos < TimeUnit.SECONDS.toNanos(2), "polls though its time is up");
            require(
                    client.rebalancedInPoll
                            || finalRebalance
                            || logs.values().stream().anyMatch(log -> log.owned && pipeline.holds(log)),
                    "waits for nothing");
        }
    }

    // ---- Time ------------------------------------------------------------------------------------------------------

    @Override
    public long nanoTime() {
        return nowNanos;
    }

    void pass(long nanos) {
        nowNanos += nanos;
    }

    void passAtMost(long nanos) {
        nowNanos += Math.max(1, (long) (nanos * random.nextDouble()));
    }

    @Override
    public void park(long nanos) {
        require(nanos > 0, () -> "parked for " + nanos);
        require(
                !client.isInCallback() || !closeRequested || nowNanos + nanos <= closeDeadlineNanos,
                "parks beyond the end of a closing pipeline's patience");
        passAtMost(nanos);
        act();
    }
}
