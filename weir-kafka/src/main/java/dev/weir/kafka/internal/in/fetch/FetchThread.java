package dev.weir.kafka.internal.in.fetch;

import dev.weir.lean.BatchView;
import dev.weir.lean.LeanConsumer;
import dev.weir.lean.LeanMetrics;
import dev.weir.lean.LeanSettings;
import dev.weir.lean.PartitionException;
import dev.weir.lean.RecordView;
import dev.weir.lean.StartAt;
import dev.weir.lean.spi.CpuBinding;
import dev.weir.stream.spi.JvmExit;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.apache.kafka.common.Uuid;
import org.jspecify.annotations.Nullable;

/**
 * A thread that fetches some of the partitions with its own {@link LeanConsumer}. The consumer and the {@link Reading}s
 * are confined to this thread. The owner thread calls the methods and takes the results, one {@link FetchedTurn} per
 * poll. Most methods queue a command that this thread executes between two polls.
 */
final class FetchThread implements PartitionFetcher {

    private static final Duration LONGEST_WAIT = Duration.ofMillis(100);

    /** Interval at which {@link #join} checks whether the decoder has called System.exit. */
    private static final Duration EXIT_LOOK = Duration.ofMillis(200);

    private static final int TURNS_ON_THEIR_WAY = 1;

    /** The setting with the CPU numbers, for messages. */
    static final String CPUS = "fetchCpus";

    /** The CPU number of a thread that is not bound. */
    static final int ANY_CPU = -1;

    private final int number;

    private final int cpu;

    private final LeanConsumer lean;
    private final int maxTurnBytes;
    private final FetchedMaker maker;
    private final Queue<Runnable> orders = new ConcurrentLinkedQueue<>();
    private final HandOver<FetchedTurn> turns;
    private final Thread thread;

    /** Confined to the owner thread. */
    private boolean started;

    private volatile boolean ending;

    // The partitions that this thread reads, by placement and by index in the lean consumer, and the result being
    // filled. Confined to this thread.
    private final Map<PartitionPlacement, Reading> readings = new HashMap<>();
    private final List<@Nullable Reading> byIndex = new ArrayList<>();
    private FetchedTurn turn = new FetchedTurn();
    private long turnBytes;

    /** A partition that this thread reads, with the values last reported to the owner thread. */
    private static final class Reading {

        final PartitionPlacement placement;
        final int index;
        long position = RecordFetcher.UNKNOWN;
        int leaderEpoch;
        long endOffset;
        int broker;

        FetchedTurn.@Nullable Part part;

        Reading(PartitionPlacement placement, int index) {
            this.placement = placement;
            this.index = index;
        }
    }

    /**
     * Creates a fetch thread, which its first command starts.
     *
     * @param cpu the CPU to which the thread is bound, or {@link #ANY_CPU}
     * @param maxTurnBytes decompressed size of the fetched records at which a poll ends
     * @param maker used only by this thread
     * @param signal raised when a result is ready
     */
    FetchThread(
            String name,
            int number,
            int cpu,
            LeanSettings settings,
            int maxTurnBytes,
            FetchedMaker maker,
            HandOver.Signal signal) {
        this.number = number;
        this.cpu = cpu;
        this.lean = LeanConsumer.open(settings);
        this.maxTurnBytes = maxTurnBytes;
        this.maker = maker;
        this.turns = new HandOver<>(TURNS_ON_THEIR_WAY, signal);
        this.thread = Thread.ofPlatform().daemon().name(name).unstarted(this::run);
    }

    @Override
    public int number() {
        return number;
    }

    @Override
    public void add(PartitionPlacement placement, StartAt start, Uuid topicId) {
        boolean paused = placement.paused;
        order(() -> begin(placement, start, topicId, paused));
    }

    @Override
    public void replace(PartitionPlacement earlier, PartitionPlacement placement, StartAt start) {
        boolean paused = placement.paused;
        order(() -> {
            Reading reading = readings.remove(earlier);
            if (reading == null) {
                // The partition was given away: start to read it again. A seek applies to the current topic, so pass no
                // topic id.
                begin(placement, start, Uuid.ZERO_UUID, paused);
            } else {
                lean.seek(reading.index, start);
                read(placement, reading.index, paused);
            }
        });
    }

    @Override
    public void remove(PartitionPlacement placement) {
        order(() -> {
            Reading reading = readings.get(placement);
            if (reading != null) {
                forget(reading);
            }
        });
    }

    /**
     * Does nothing if a fault was found in the partition. The position may then belong to a deleted topic, and no other
     * thread may continue there.
     */
    @Override
    public void giveAway(PartitionPlacement placement) {
        order(() -> {
            Reading reading = readings.get(placement);
            if (reading != null && !lean.isAtFault(reading.index)) {
                told(reading).givenAway = lean.topicId(reading.index);
                forget(reading);
            }
        });
    }

    @Override
    public void pausedOrResumed(PartitionPlacement placement, boolean paused) {
        order(() -> {
            Reading reading = readings.get(placement);
            if (reading != null) {
                pausedOrResumed(reading, paused);
            }
        });
    }

    private void order(Runnable order) {
        orders.add(order);
        if (started) {
            lean.wakeup();
        } else {
            started = true;
            thread.start();
        }
    }

    @Override
    public @Nullable FetchedTurn take() {
        return turns.take();
    }

    @Override
    public LeanMetrics metrics() {
        return lean.metrics();
    }

    @Override
    public void end() {
        ending = true;
        turns.close();
        if (started) {
            lean.wakeup();
        } else {
            lean.close();
        }
    }

    @Override
    public void join() {
        boolean interrupted = false;
        // Do not wait for a thread whose decoder has called System.exit, because the wait would block the JVM's
        // shutdown.
        while (thread.isAlive() && !JvmExit.isExiting(thread)) {
            try {
                boolean ignored = thread.join(EXIT_LOOK);
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    private void run() {
        try (lean) {
            if (cpu != ANY_CPU) {
                CpuBinding.bindTo(CPUS, cpu);
            }
            while (!ending) {
                if (read() == 0) {
                    lean.await(LONGEST_WAIT);
                }
            }
        } catch (Throwable e) { // including exceptions of the record maker; the owner thread's poll rethrows them
            fail(e);
        }
    }

    /** Passes the failure to the owner thread. The records of the result being filled will be fetched again. */
    private void fail(Throwable failure) {
        turn = new FetchedTurn();
        turn.failure = failure;
        try {
            var ignored = turns.put(turn);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Executes queued commands, polls the consumer and passes on the result. Returns 0 if there was nothing to do. */
    private int read() throws InterruptedException {
        int work = 0;
        for (Runnable order = orders.poll(); order != null; order = orders.poll()) {
            order.run();
            work++;
        }
        turnBytes = 0;
        work += poll();
        for (Reading reading : readings.values()) {
            tellChanges(reading);
        }
        if (!turn.isEmpty()) {
            if (turns.put(turn)) {
                turn = new FetchedTurn();
            }
            work++;
        }
        return work;
    }

    private int poll() {
        try {
            return maker.poll(lean, this::take, this::take);
        } catch (PartitionException fault) {
            int index = lean.index(fault.topic(), fault.partition());
            Reading reading = index < 0 ? null : byIndex.get(index);
            if (reading != null) {
                told(reading).failure = LeanFaults.asOfClient(reading.placement.partition.id, fault, lean, index);
            }
            return 1;
        }
    }

    private void take(RecordView record) {
        turnBytes += record.sizeBytes();
        if (turnBytes >= maxTurnBytes || ending || maker.hasDecodedForLong()) {
            lean.endPoll();
        }
        part(Objects.requireNonNull(byIndex.get(record.index()))).elements.add(maker.make(record));
    }

    private void take(BatchView batch) {
        turnBytes += maker.keep(part(Objects.requireNonNull(byIndex.get(batch.index()))).elements, batch);
        if (turnBytes >= maxTurnBytes || ending) {
            lean.endPoll();
        }
    }

    private FetchedTurn.Part part(Reading reading) {
        FetchedTurn.Part part = reading.part;
        if (part == null) {
            part = new FetchedTurn.Part(reading.placement);
            reading.part = part;
            turn.parts.add(part);
        }
        return part;
    }

    private void tellChanges(Reading reading) {
        if (reading.part != null
                || reading.position != lean.position(reading.index)
                || reading.endOffset != lean.endOffset(reading.index)
                || reading.broker != lean.broker(reading.index)) {
            told(reading);
            reading.part = null;
        }
    }

    private FetchedTurn.Part told(Reading reading) {
        reading.position = lean.position(reading.index);
        reading.leaderEpoch = lean.leaderEpoch(reading.index);
        reading.endOffset = lean.endOffset(reading.index);
        reading.broker = lean.broker(reading.index);
        FetchedTurn.Part part = part(reading);
        part.position = reading.position;
        part.leaderEpoch = reading.leaderEpoch;
        part.endOffset = reading.endOffset;
        part.broker = reading.broker;
        return part;
    }

    private void begin(PartitionPlacement placement, StartAt start, Uuid topicId, boolean paused) {
        int index = lean.assign(placement.partition.id.topic(), placement.partition.id.partition(), start, topicId);
        while (byIndex.size() <= index) {
            byIndex.add(null);
        }
        read(placement, index, paused);
    }

    private void read(PartitionPlacement placement, int index, boolean paused) {
        Reading reading = new Reading(placement, index);
        readings.put(placement, reading);
        byIndex.set(index, reading);
        if (paused != lean.isPaused(index)) {
            pausedOrResumed(reading, paused);
        }
    }

    private void pausedOrResumed(Reading reading, boolean paused) {
        if (paused) {
            lean.pause(reading.index);
        } else {
            lean.resume(reading.index);
        }
    }

    private void forget(Reading reading) {
        lean.unassign(reading.index);
        byIndex.set(reading.index, null);
        readings.remove(reading.placement);
    }
}
