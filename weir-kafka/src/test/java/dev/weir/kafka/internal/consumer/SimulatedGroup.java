package dev.weir.kafka.internal.consumer;

import dev.weir.kafka.ConsumerSettings;
import dev.weir.kafka.KafkaPipelineException;
import dev.weir.kafka.Subscription;
import dev.weir.stream.spi.Batch;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.OptionalLong;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.apache.kafka.clients.consumer.CloseOptions;
import org.apache.kafka.clients.consumer.CommitFailedException;
import org.apache.kafka.clients.consumer.ConsumerRebalanceListener;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.MockConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.consumer.OffsetCommitCallback;
import org.apache.kafka.clients.consumer.RetriableCommitFailedException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.FencedInstanceIdException;
import org.apache.kafka.common.errors.RebalanceInProgressException;
import org.apache.kafka.common.errors.StaleMemberEpochException;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.errors.WakeupException;
import org.jspecify.annotations.Nullable;

/**
 * A cluster, a group, a pipeline and time itself around one real consumer loop, all on one thread and all drawn from one
 * seed. Whatever the world does, it does while the loop polls or parks; each step checks what docs/guarantees.md promises.
 */
@SuppressWarnings("UnsynchronizedOverridesSynchronized") // everything here runs on one thread
final class SimulatedGroup extends MockConsumer<byte[], byte[]> implements Clock {

    private static final int MAX_IDLE_SPINS = 20;

    private final Random random;
    private final Map<TopicPartition, SimulatedLog> logs = new LinkedHashMap<>();
    private final SimulatedContext context = new SimulatedContext();
    private RecordBuffer buffer;
    private ConsumerLoop loop;
    private final ConsumerSettings<byte[], byte[]> settings;
    private final int maxPollRecords;
    private final boolean eager;
    private final boolean bounded;
    private final int[] priorities;

    private long nowNanos = 1_000_000_000_000L;
    private int stepsLeft;
    private int spins;
    private boolean woken;
    private boolean inCallback;
    private boolean rebalancedInPoll;
    private boolean commitRefused;
    private @Nullable ConsumerRebalanceListener listener;
    private boolean crashed;
    private boolean refused;

    /** The process is gone: nothing after this reaches the cluster. */
    @SuppressWarnings("serial") // never serialised
    private static final class Crash extends Error {}

    /** An element in the pipeline, with the claims on it that have not ended. */
    private static final class Taken {
        final Batch<?> batch;
        final int index;
        final SimulatedLog log;
        final long offset;
        final int epoch;
        int claims;
        boolean begun;
        boolean dropped;

        Taken(Batch<?> batch, int index, SimulatedLog log, long offset, int claims) {
            this.batch = batch;
            this.index = index;
            this.log = log;
            this.offset = offset;
            this.epoch = log.epoch;
            this.claims = claims;
        }
    }

    private final List<Taken> inFlight = new ArrayList<>();

    private record Pending(
            Map<TopicPartition, OffsetAndMetadata> offsets, OffsetCommitCallback callback, long answerNanos) {}

    private @Nullable Pending pendingCommit;

    private boolean stopped;
    private boolean closeRequested;
    private boolean abandoned;
    private boolean ended;
    private long closeDeadlineNanos;
    private int finalRebalances;

    SimulatedGroup(long seed) {
        super("earliest");
        random = new Random(seed);
        int partitions = 1 + random.nextInt(5);
        for (int i = 0; i < partitions; i++) {
            SimulatedLog log = new SimulatedLog(new TopicPartition("t", i));
            log.grow(random, random.nextInt(60));
            log.endAtStart = log.end;
            logs.put(log.id, log);
        }
        priorities = random.ints(partitions, 0, 3).toArray();
        eager = random.nextBoolean();
        bounded = random.nextInt(3) == 0;
        maxPollRecords = 1 + random.nextInt(40);
        stepsLeft = 20 + random.nextInt(200);
        settings = ConsumerSettings.builder()
                .bootstrapServers("simulated:1")
                .groupId("g")
                .commitInterval(Duration.ofMillis(1 + random.nextInt(2_000)))
                .commitRecords(1 + random.nextInt(100))
                .maxOutstandingRecords(1 + random.nextInt(100))
                .revokeDeadline(Duration.ofMillis(random.nextInt(3_000)))
                .build();
        buffer = new RecordBuffer(dev.weir.stream.spi.Clock.SYSTEM);
        loop = newLoop();
    }

    private ConsumerLoop newLoop() {
        Subscription all = Subscription.topics("t");
        for (TopicPartition id : logs.keySet()) {
            all = all.priority(id, priorities[id.partition()]);
        }
        Map<TopicPartition, Long> endOffsets =
                logs.values().stream().collect(Collectors.toMap(log -> log.id, log -> log.endAtStart));
        return new ConsumerLoop(
                this,
                new ClientFetcher(this),
                settings,
                new ClientLimits(maxPollRecords, Duration.ofMinutes(5), Duration.ofSeconds(30)),
                Plan.committable(bounded ? all.untilEnd() : all, bounded ? endOffsets : Map.of()),
                context::fail,
                Outlets.single(buffer),
                new NoLookup(),
                this);
    }

    void run() throws InterruptedException {
        loop.run();
        while (crashed) {
            restart();
            loop.run();
        }
        require(refused || context.failure == null, "the loop failed", context.failure);
        String left = loop.close(Duration.ZERO);
        if (refused) {
            // Refused while it ended, it has nothing more to fail.
            require(
                    closeRequested || context.failure instanceof KafkaPipelineException,
                    "failed with",
                    context.failure);
            return;
        }
        for (SimulatedLog log : logs.values()) {
            if (log.owned) {
                checkFinalCommit(log, left);
            }
        }
    }

    /** Another process takes the place of one that died: it has nothing but what is committed. */
    private void restart() {
        require(context.failure instanceof Crash, "did not die of the crash", context.failure);
        answerCommit(new CommitFailedException());
        crashed = false;
        inCallback = false;
        woken = false;
        context.failure = null;
        inFlight.clear();
        owned().forEach(id -> log(id).release());
        buffer = new RecordBuffer(dev.weir.stream.spi.Clock.SYSTEM);
        loop = newLoop();
    }

    private static void checkFinishedIsCommitted(SimulatedLog log) {
        long unfinished = log.firstUnfinishedHere();
        int lastFinished = unfinished == 0 ? -1 : log.visible.previousSetBit((int) unfinished - 1);
        require(
                lastFinished < log.start || log.committed > lastFinished || log.isNoted(lastFinished),
                "finished " + log.id + "@" + lastFinished + ", but committed " + log.committed,
                null);
    }

    private void checkFinalCommit(SimulatedLog log, String leftUndone) {
        checkFinishedIsCommitted(log);
        boolean isLeft = inFlight.stream().anyMatch(taken -> taken.log == log && taken.epoch == log.epoch);
        require(
                isLeft == leftUndone.contains(log.id + "@"),
                log.id + " unfinished: " + isLeft + ", but reported: " + leftUndone,
                null);
        if (bounded && !stopped && !abandoned && !isLeft && log.positionKnown && log.position >= log.endAtStart) {
            require(
                    Math.max(0, log.committed) >= log.endAtStart,
                    "the end of " + log.id + " was " + log.endAtStart + ", committed " + log.committed,
                    null);
        }
    }

    private SimulatedLog log(TopicPartition id) {
        return Objects.requireNonNull(logs.get(id));
    }

    private static void require(boolean holds, String otherwise, @Nullable Throwable cause) {
        if (!holds) {
            throw new AssertionError(otherwise, cause);
        }
    }

    // ---- The world -------------------------------------------------------------------------------------------------

    private void act() {
        int quiet = stepsLeft-- > 0 ? 0 : 1;
        switch (random.nextInt(quiet == 0 ? 14 : 6)) {
            case 0, 1, 2 -> take();
            case 3, 4, 5 -> finishSome();
            case 6, 7 -> logs.values().forEach(log -> log.grow(random, random.nextInt(8)));
            case 8 -> othersWork();
            case 9 -> {
                if (!inCallback && random.nextInt(4) == 0) {
                    rebalance();
                }
            }
            case 10 -> {
                if (random.nextInt(30) == 0) {
                    stopped = true;
                    loop.stop();
                }
            }
            case 11 -> {
                if (random.nextInt(40) == 0 && !stopped && !closeRequested && !abandoned && !refused) {
                    crashed = true;
                    throw new Crash();
                }
            }
            case 12 -> {
                if (random.nextInt(60) == 0) {
                    abandoned = true;
                    requestClose(Duration.ZERO);
                }
            }
            default -> nowNanos += random.nextInt(5_000_000);
        }
        if (quiet == 1 && !bounded && !stopped) {
            stopped = true;
            loop.stop();
        }
    }

    private void requestClose(Duration patience) {
        if (!closeRequested) {
            closeRequested = true;
            closeDeadlineNanos = nowNanos + patience.toNanos();
            loop.requestClose(patience);
        }
    }

    /** The pipeline pulls a batch. */
    private void take() {
        if (abandoned || ended) {
            return;
        }
        Batch<ConsumerRecord<byte[], byte[]>> batch;
        try {
            batch = buffer.take(System.nanoTime() - 1, context.meter());
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
        if (batch == null) {
            ended = true;
            requestClose(Duration.ofSeconds(random.nextInt(60)));
            return;
        }
        for (int i = 0; i < batch.size(); i++) {
            ConsumerRecord<byte[], byte[]> record = batch.get(i);
            SimulatedLog log = log(new TopicPartition(record.topic(), record.partition()));
            require(log.owned, "emitted after it was taken away: " + log.id + "@" + record.offset(), null);
            long expected = log.nextToEmit(log.nextToTake);
            require(
                    record.offset() == expected,
                    "expected " + log.id + "@" + expected + " got " + record.offset(),
                    null);
            require(!bounded || record.offset() < log.endAtStart, "emitted past the end: " + record, null);
            log.nextToTake = record.offset() + 1;
            int more = random.nextInt(10) == 0 ? 1 + random.nextInt(2) : 0;
            if (more > 0) {
                batch.target(i).retain(batch.token(i), more);
            }
            inFlight.add(new Taken(batch, i, log, record.offset(), 1 + more));
        }
    }

    private void finishSome() {
        if (abandoned) {
            return;
        }
        for (int n = random.nextInt(40); n > 0 && !inFlight.isEmpty(); n--) {
            int at = random.nextInt(Math.min(inFlight.size(), random.nextInt(4) == 0 ? Integer.MAX_VALUE : 8));
            Taken taken = inFlight.get(at);
            if (!taken.begun && taken.batch.dropIfRevoked(taken.index)) {
                require(!taken.log.owned || taken.epoch != taken.log.epoch || inCallback, "dropped while owned", null);
                taken.dropped = true;
                if (--taken.claims == 0) {
                    inFlight.remove(at);
                }
                continue;
            }
            taken.begun = true;
            if (--taken.claims == 0) {
                inFlight.remove(at);
                if (!taken.dropped) {
                    taken.log.finish(taken.offset, taken.epoch);
                }
            }
            taken.batch.ack(taken.index);
        }
    }

    /** What nobody has here, other members read and commit. */
    private void othersWork() {
        for (SimulatedLog log : logs.values()) {
            if (!log.owned && log.committed < log.end && random.nextBoolean()) {
                long to = Math.max(0, log.committed) + random.nextInt(log.end - (int) Math.max(0, log.committed) + 1);
                log.finished.set((int) Math.max(0, log.committed), (int) to);
                log.commit(to, "");
            }
        }
    }

    private void rebalance() {
        if (listener == null) {
            return;
        }
        inCallback = true;
        rebalancedInPoll = true;
        List<TopicPartition> target =
                logs.keySet().stream().filter(id -> random.nextInt(3) != 0).toList();
        List<TopicPartition> owned = owned();
        if (random.nextInt(6) == 0) {
            listener.onPartitionsLost(owned);
            release(owned);
        } else {
            List<TopicPartition> revoked =
                    owned.stream().filter(id -> eager || !target.contains(id)).toList();
            if (!revoked.isEmpty()) {
                commitRefused = false;
                listener.onPartitionsRevoked(revoked);
                if (!commitRefused && !refused) {
                    revoked.forEach(id -> checkFinishedIsCommitted(log(id)));
                }
                release(revoked);
            }
        }
        List<TopicPartition> added =
                target.stream().filter(id -> !log(id).owned).toList();
        added.forEach(id -> log(id).assign());
        listener.onPartitionsAssigned(added);
        inCallback = false;
    }

    private List<TopicPartition> owned() {
        return logs.values().stream()
                .filter(log -> log.owned)
                .map(log -> log.id)
                .toList();
    }

    private void release(Collection<TopicPartition> ids) {
        ids.forEach(id -> log(id).release());
        answerCommit(new CommitFailedException());
    }

    // ---- Time ------------------------------------------------------------------------------------------------------

    @Override
    public long nanoTime() {
        return nowNanos;
    }

    @Override
    public void park(long nanos) {
        require(nanos > 0, "parked for " + nanos, null);
        require(
                !inCallback || !closeRequested || nowNanos + nanos <= closeDeadlineNanos,
                "parks beyond the end of a closing pipeline's patience",
                null);
        nowNanos += Math.max(1, (long) (nanos * random.nextDouble()));
        act();
    }

    // ---- The client ------------------------------------------------------------------------------------------------

    @Override
    public void subscribe(Collection<String> topics, ConsumerRebalanceListener callback) {
        listener = callback;
    }

    @Override
    public ConsumerRecords<byte[], byte[]> poll(Duration timeout) {
        throwIfWoken();
        rebalancedInPoll = false;
        if (pendingCommit != null && nowNanos - pendingCommit.answerNanos >= 0) {
            answerCommit(drawCommitFailure());
        }
        int actions = random.nextInt(4);
        for (int i = 0; i < actions; i++) {
            act();
        }
        if (random.nextInt(100) == 0) {
            throw new TimeoutException("a broker is slow");
        }
        ConsumerRecords<byte[], byte[]> records = fetch();
        if (records.isEmpty()) {
            sleep(timeout);
        } else {
            spins = 0;
        }
        return records;
    }

    private void sleep(Duration timeout) {
        if (timeout.isZero()) {
            require(++spins < MAX_IDLE_SPINS, "polls without waiting though nothing happens", null);
            return;
        }
        spins = 0;
        throwIfWoken();
        if (!stopped && !closeRequested && !bounded) {
            logs.values().stream()
                    .filter(log -> log.owned && log.paused && log.position > log.start)
                    .forEach(log -> require(!log.isAllFetchedFinished(), log.id + " is paused for ever", null));
        }
        if (closeRequested) {
            require(nowNanos - closeDeadlineNanos < TimeUnit.SECONDS.toNanos(2), "polls though its time is up", null);
            require(
                    rebalancedInPoll
                            || finalRebalances > 0
                            || inFlight.stream().anyMatch(taken -> taken.log.owned && taken.epoch == taken.log.epoch),
                    "waits for nothing",
                    null);
        }
        nowNanos += Math.max(1, (long) (timeout.toNanos() * random.nextDouble()));
        throwIfWoken();
    }

    private ConsumerRecords<byte[], byte[]> fetch() {
        Map<TopicPartition, List<ConsumerRecord<byte[], byte[]>>> fetched = new HashMap<>();
        int room = maxPollRecords;
        List<SimulatedLog> inAnyOrder = new ArrayList<>(logs.values());
        Collections.shuffle(inAnyOrder, random);
        for (SimulatedLog log : inAnyOrder) {
            if (!log.owned || random.nextInt(3) == 0) {
                continue;
            }
            if (!log.positionKnown) {
                log.positionKnown = true;
                continue;
            }
            List<ConsumerRecord<byte[], byte[]>> list = new ArrayList<>();
            while (!log.paused && room > 0 && log.position < log.end) {
                if (log.visible.get((int) log.position)) {
                    list.add(new ConsumerRecord<>(log.id.topic(), log.id.partition(), log.position, null, new byte[4]));
                    room--;
                }
                log.position++;
            }
            if (!list.isEmpty()) {
                fetched.put(log.id, list);
            }
        }
        return new ConsumerRecords<>(fetched, Map.of());
    }

    @Override
    public void wakeup() {
        woken = true;
    }

    private void throwIfGone() {
        if (crashed || refused) {
            throw new FencedInstanceIdException("gone");
        }
    }

    private void throwIfWoken() {
        if (woken) {
            woken = false;
            throw new WakeupException();
        }
    }

    private void answerCommit(@Nullable Exception failure) {
        Pending answered = pendingCommit;
        if (answered == null) {
            return;
        }
        pendingCommit = null;
        boolean applied =
                failure == null || (failure instanceof RetriableCommitFailedException && random.nextBoolean());
        if (applied) {
            apply(answered.offsets);
        }
        answered.callback.onComplete(answered.offsets, failure);
    }

    private @Nullable Exception drawCommitFailure() {
        return switch (random.nextInt(8)) {
            case 0 -> new RetriableCommitFailedException(new TimeoutException("drawn"));
            case 1 -> new StaleMemberEpochException("drawn");
            case 2 -> new RebalanceInProgressException("drawn");
            case 3 -> {
                if (random.nextInt(200) != 0 || bounded) {
                    yield null;
                }
                refused = true;
                yield new FencedInstanceIdException("drawn");
            }
            default -> null;
        };
    }

    private void apply(Map<TopicPartition, OffsetAndMetadata> offsets) {
        offsets.forEach((id, offset) -> log(id).commit(offset.offset(), offset.metadata()));
    }

    @Override
    public void commitAsync(Map<TopicPartition, OffsetAndMetadata> offsets, OffsetCommitCallback callback) {
        require(pendingCommit == null, "two commits at once", null);
        requireOwned(offsets.keySet());
        long latencyNanos = random.nextInt(4) == 0 ? random.nextLong(5_000_000_000L) : random.nextInt(3_000_000);
        pendingCommit = new Pending(Map.copyOf(offsets), callback, nowNanos + latencyNanos);
    }

    private void requireOwned(Set<TopicPartition> ids) {
        ids.forEach(id -> require(log(id).owned, "commits what it does not have: " + id, null));
    }

    @Override
    public void commitSync(Map<TopicPartition, OffsetAndMetadata> offsets, Duration timeout) {
        throwIfGone();
        requireOwned(offsets.keySet());
        throwIfWoken();
        answerCommit(drawCommitFailure());
        if (closeRequested && !inCallback) {
            if (finalRebalances++ < 3 && random.nextBoolean()) {
                throw new RebalanceInProgressException("drawn");
            }
        } else if (random.nextInt(5) == 0) {
            commitRefused = true;
            throw random.nextBoolean() ? new TimeoutException("drawn") : new RebalanceInProgressException("drawn");
        }
        apply(offsets);
    }

    @Override
    public long position(TopicPartition id, Duration timeout) {
        SimulatedLog log = log(id);
        if (!log.owned) {
            throw new IllegalStateException("not assigned: " + id);
        }
        if (!log.positionKnown) {
            throwIfWoken();
            throw new TimeoutException("not known yet");
        }
        return log.position;
    }

    @Override
    public Map<TopicPartition, OffsetAndMetadata> committed(Set<TopicPartition> ids, Duration timeout) {
        throwIfWoken();
        if (inCallback) {
            if (random.nextInt(10) == 0) {
                nowNanos += timeout.toNanos();
                throw new TimeoutException("drawn");
            }
            ids.forEach(id -> log(id).restore());
        } else {
            othersWork();
        }
        return ids.stream()
                .filter(id -> log(id).committed >= 0)
                .collect(Collectors.toMap(
                        id -> id, id -> new OffsetAndMetadata(log(id).committed, log(id).committedText)));
    }

    @Override
    public void pause(Collection<TopicPartition> ids) {
        ids.forEach(id -> paused(id, true));
    }

    @Override
    public void resume(Collection<TopicPartition> ids) {
        require(!stopped || !ended, "resumed after the end: " + ids, null);
        ids.forEach(id -> paused(id, false));
    }

    private void paused(TopicPartition id, boolean to) {
        SimulatedLog log = log(id);
        require(log.owned, "pause or resume of what it does not have: " + id, null);
        require(to || log.paused, id + " resumed though it was not paused", null);
        log.paused = to;
    }

    @Override
    public OptionalLong currentLag(TopicPartition id) {
        SimulatedLog log = log(id);
        return log.positionKnown ? OptionalLong.of(log.end - log.position) : OptionalLong.empty();
    }

    @Override
    public void close(CloseOptions options) {
        if (crashed) {
            return;
        }
        Objects.requireNonNull(listener).onPartitionsRevoked(owned());
    }
}
