package dev.weir.kafka.internal.in.fetch;

import dev.weir.kafka.internal.in.lookup.BrokerContact;
import dev.weir.lean.LeanException;
import dev.weir.lean.LeanSettings;
import dev.weir.lean.StartAt;
import dev.weir.lean.spi.Division;
import dev.weir.lean.spi.Slot;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.Uuid;
import org.jspecify.annotations.Nullable;

/**
 * Reads with several {@link FetchThread}s. The owner thread assigns each partition to a fetch thread with a
 * {@link PartitionPlacement}, and drops results for placements that have ended.
 *
 * <pre>
 *   from         to         when
 *   (none)       PLACED     place() is called; the thread with the fewest partitions reads the partition
 *   PLACED       LEAVING    another thread should read the partition; the current thread is asked to give it away
 *   LEAVING      PLACED     the current thread has reported the position after all its records; the other thread
 *                           continues there
 *   LEAVING      PLACED     the current thread has reported a fault; the partition stays with it
 *   any          (none)     remove() is called, or place(), which creates another placement
 * </pre>
 */
final class ThreadedReader implements LeanReader {

    private static final int TURNS = 3;

    private static final long DIVIDE_NANOS = TimeUnit.MILLISECONDS.toNanos(200);

    private final long divideNanos;
    private final HandOver.Signal signal = new HandOver.Signal();
    private final List<PartitionFetcher> fetchers = new ArrayList<>();
    private final Map<TopicPartition, PartitionPlacement> placements = new LinkedHashMap<>();

    /**
     * Resumed partitions whose earlier records still wait to be handed out. The fetch threads resume these partitions
     * only once the records are handed out, to limit the number of waiting records.
     */
    private final List<LeanPartition> resumed = new ArrayList<>();

    /** Index of the fetch thread whose result is taken first. Rotates for fairness. */
    private int first;

    private boolean mayDivide;

    private long dividedNanos = System.nanoTime();

    /**
     * Creates the threads. Each thread starts when it receives its first partition.
     *
     * @param name the client's name, used in thread names
     * @param cpus the CPU of each thread; empty to bind none
     * @param views creates each thread's record maker
     */
    ThreadedReader(String name, int count, List<Integer> cpus, LeanSettings settings, Supplier<FetchedMaker> views) {
        this.divideNanos = DIVIDE_NANOS;
        // A thread has up to three results: one that it fills, one that waits, and one that the owner thread processes.
        int turnBytes = Math.max(1, settings.maxFetchBytes() / TURNS);
        try {
            for (int number = 0; number < count; number++) {
                String ofThread = "weir-" + name + "-fetch-" + number;
                int cpu = cpus.isEmpty() ? FetchThread.ANY_CPU : cpus.get(number);
                fetchers.add(new FetchThread(ofThread, number, cpu, settings, turnBytes, views.get(), signal));
            }
        } catch (RuntimeException failure) {
            close();
            throw failure;
        }
    }

    ThreadedReader(List<? extends PartitionFetcher> fetchers, long divideNanos) {
        this.divideNanos = divideNanos;
        this.fetchers.addAll(fetchers);
    }

    @Override
    public void place(LeanPartition partition, StartAt start) {
        PartitionPlacement earlier = placements.get(partition.id);
        PartitionFetcher fetcher = earlier == null ? withFewest() : earlier.fetcher;
        PartitionPlacement placement =
                new PartitionPlacement(partition, fetcher, start.offset(), start.leaderEpoch(), RecordFetcher.UNKNOWN);
        placement.paused = partition.paused;
        placements.put(partition.id, placement);
        mayDivide = true;
        if (earlier == null) {
            fetcher.add(placement, start, Uuid.ZERO_UUID);
        } else {
            placement.endOffset = earlier.endOffset;
            placement.broker = earlier.broker;
            fetcher.replace(earlier, placement, start);
        }
    }

    private PartitionFetcher withFewest() {
        int[] counts = new int[fetchers.size()];
        for (PartitionPlacement placement : placements.values()) {
            counts[placement.fetcher.number()]++;
        }
        int best = 0;
        for (int number = 1; number < counts.length; number++) {
            best = counts[number] < counts[best] ? number : best;
        }
        return fetchers.get(best);
    }

    @Override
    public void remove(LeanPartition partition) {
        PartitionPlacement placement = placements.remove(partition.id);
        if (placement != null) {
            placement.fetcher.remove(placement);
            mayDivide = true;
        }
    }

    @Override
    public boolean isPlaced(LeanPartition partition) {
        return placements.containsKey(partition.id);
    }

    @Override
    public void pausedOrResumed(LeanPartition partition) {
        PartitionPlacement placement = placements.get(partition.id);
        if (placement == null || partition.paused == placement.paused) {
            return;
        }
        if (partition.paused || partition.isEmpty()) {
            tell(placement, partition.paused);
        } else {
            resumed.add(partition);
        }
    }

    private static void tell(PartitionPlacement placement, boolean paused) {
        placement.paused = paused;
        placement.fetcher.pausedOrResumed(placement, paused);
    }

    /** Resumes partitions whose earlier records have been handed out. */
    private void resume() {
        for (LeanPartition partition : resumed) {
            PartitionPlacement placement = placements.get(partition.id);
            if (placement != null && placement.partition == partition && placement.paused && !partition.paused) {
                tell(placement, false);
            }
        }
        resumed.clear();
    }

    @Override
    public int turn() {
        resume();
        int work = 0;
        for (int i = 0; i < fetchers.size(); i++) {
            FetchedTurn turn = fetchers.get((first + i) % fetchers.size()).take();
            if (turn != null) {
                turn.parts.forEach(this::add);
                work++;
                throwFailure(turn.failure);
            }
        }
        first = (first + 1) % fetchers.size();
        divide();
        return work;
    }

    private void add(FetchedTurn.Part part) {
        PartitionPlacement placement = part.placement;
        LeanPartition partition = placement.partition;
        if (placements.get(partition.id) != placement) {
            return; // Read before a seek or in an earlier assignment.
        }
        partition.add(part.elements);
        placement.position = part.position;
        placement.leaderEpoch = part.leaderEpoch;
        if (part.endOffset >= 0) { // Unknown right after the start.
            placement.endOffset = part.endOffset;
        }
        if (part.broker >= 0 && part.broker != placement.broker) {
            placement.broker = part.broker;
            mayDivide = true;
        }
        if (part.failure != null) {
            partition.failure = part.failure;
            placement.next = null;
        }
        PartitionFetcher next = placement.next;
        if (part.givenAway != null && next != null) {
            PartitionPlacement moved = new PartitionPlacement(
                    partition, next, placement.position, placement.leaderEpoch, placement.endOffset);
            moved.broker = placement.broker;
            moved.paused = placement.paused;
            mayDivide = true; // divide() skips partitions that are being moved, so divide again
            placements.put(partition.id, moved);
            StartAt start = StartAt.offset(moved.position, moved.leaderEpoch);
            next.add(moved, start, part.givenAway);
        }
    }

    private static void throwFailure(@Nullable Throwable failure) {
        switch (failure) {
            case null -> {}
            case RuntimeException unchecked -> throw unchecked;
            case Error error -> throw error;
            default -> throw new LeanException("a fetch thread has ended: " + failure, failure);
        }
    }

    /**
     * Asks threads to give away partitions that other threads should read. A partition that cannot move now is
     * considered again after the next change.
     */
    private void divide() {
        long now = System.nanoTime();
        if (!mayDivide || now - dividedNanos < divideNanos) {
            return;
        }
        mayDivide = false;
        dividedNanos = now;
        List<Slot> slots = new ArrayList<>();
        placements.forEach((id, placement) -> {
            PartitionFetcher at = placement.next == null ? placement.fetcher : placement.next;
            slots.add(new Slot(id, placement.broker, at.number()));
        });
        for (Slot move : Division.moves(slots, fetchers.size())) {
            PartitionPlacement placement = placements.get(move.partition());
            if (placement != null && placement.next == null && placement.partition.failure == null) {
                placement.next = fetchers.get(move.thread());
                placement.fetcher.giveAway(placement);
            }
        }
    }

    @Override
    public void await(long nanos) {
        signal.await(nanos);
    }

    @Override
    public void wakeup() {
        signal.raise();
    }

    @Override
    public long position(LeanPartition partition) {
        return placed(partition).position;
    }

    @Override
    public int leaderEpoch(LeanPartition partition) {
        return placed(partition).leaderEpoch;
    }

    @Override
    public long endOffset(LeanPartition partition) {
        return placed(partition).endOffset;
    }

    private PartitionPlacement placed(LeanPartition partition) {
        PartitionPlacement placement = placements.get(partition.id);
        if (placement == null) {
            throw new IllegalStateException(partition.id + " is not placed");
        }
        return placement;
    }

    @Override
    public long throttledMillis() {
        return fetchers.stream()
                .mapToLong(fetcher -> fetcher.metrics().throttledMillis())
                .sum();
    }

    @Override
    public BrokerContact contact(BrokerContact others) {
        BrokerContact all = others;
        for (PartitionFetcher fetcher : fetchers) {
            all = OwnReader.plus(all, fetcher.metrics());
        }
        return all;
    }

    @Override
    public void close() {
        fetchers.forEach(PartitionFetcher::end);
        fetchers.forEach(PartitionFetcher::join);
    }
}
