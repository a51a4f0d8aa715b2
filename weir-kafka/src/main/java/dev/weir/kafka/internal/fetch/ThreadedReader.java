package dev.weir.kafka.internal.fetch;

import dev.weir.kafka.internal.lookup.Contact;
import dev.weir.lean.LeanException;
import dev.weir.lean.LeanSettings;
import dev.weir.lean.RecordView;
import dev.weir.lean.StartAt;
import dev.weir.lean.spi.Division;
import dev.weir.lean.spi.Slot;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.Supplier;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.Uuid;
import org.jspecify.annotations.Nullable;

/**
 * Reads by several {@link FetchThread}s and divides the partitions among them. The owner thread alone decides: a fetch
 * thread has what it was given, and what it tells of a {@link Placement} that is over is dropped.
 *
 * <pre>
 *   place        PLACED     on a thread that has few
 *   PLACED       LEAVING    the division wants it elsewhere: its thread is asked to give it away
 *   LEAVING      PLACED     its thread has told where it is, behind all that it has read: it is placed there on the
 *                           next one; or a fault: it stays
 *   either       gone       remove; or place, which is another placement
 * </pre>
 */
final class ThreadedReader implements LeanReader {

    private static final long DIVIDE_NANOS = TimeUnit.MILLISECONDS.toNanos(200);

    private final HandOver.Bell bell = new HandOver.Bell();
    private final List<FetchThread> threads = new ArrayList<>();
    private final Map<TopicPartition, Placement> placements = new LinkedHashMap<>();

    /** Which thread a turn begins with, so that none is always the last. */
    private int first;

    /** Whether something has changed that a division goes by. */
    private boolean mayDivide;

    private long dividedNanos = System.nanoTime();

    /**
     * Opens threads, which begin with their first partitions.
     *
     * @param name of the client, for the names of the threads
     * @param views makes the maker of records of each thread
     */
    ThreadedReader(
            String name,
            int count,
            LeanSettings settings,
            Supplier<Function<RecordView, ConsumerRecord<byte[], byte[]>>> views) {
        int turnBytes = settings.maxFetchBytes();
        try {
            for (int number = 0; number < count; number++) {
                String ofThread = "weir-" + name + "-fetch-" + number;
                threads.add(new FetchThread(ofThread, number, settings, turnBytes, views.get(), bell));
            }
        } catch (RuntimeException failure) {
            close();
            throw failure;
        }
    }

    @Override
    public void place(LeanPartition partition, StartAt start) {
        Placement earlier = placements.get(partition.id);
        FetchThread thread = earlier == null ? withFewest() : earlier.thread;
        Placement placement = new Placement(partition, thread, start.offset(), start.leaderEpoch(), Fetcher.UNKNOWN);
        placements.put(partition.id, placement);
        mayDivide = true;
        if (earlier == null) {
            thread.add(placement, start, Uuid.ZERO_UUID, partition.paused);
        } else {
            placement.endOffset = earlier.endOffset;
            placement.broker = earlier.broker;
            thread.replace(earlier, placement, start, partition.paused);
        }
    }

    private FetchThread withFewest() {
        int[] counts = new int[threads.size()];
        for (Placement placement : placements.values()) {
            counts[placement.thread.number]++;
        }
        int best = 0;
        for (int number = 1; number < counts.length; number++) {
            best = counts[number] < counts[best] ? number : best;
        }
        return threads.get(best);
    }

    @Override
    public void remove(LeanPartition partition) {
        Placement placement = placements.remove(partition.id);
        if (placement != null) {
            placement.thread.remove(placement);
            mayDivide = true;
        }
    }

    @Override
    public boolean isPlaced(LeanPartition partition) {
        return placements.containsKey(partition.id);
    }

    @Override
    public void pausedOrResumed(LeanPartition partition) {
        Placement placement = placements.get(partition.id);
        if (placement != null) {
            placement.thread.pausedOrResumed(placement, partition.paused);
        }
    }

    @Override
    public int turn() {
        int work = 0;
        for (int i = 0; i < threads.size(); i++) {
            FetchedTurn turn = threads.get((first + i) % threads.size()).take();
            if (turn != null) {
                turn.parts.forEach(this::add);
                work++;
                throwFailure(turn.failure);
            }
        }
        first = (first + 1) % threads.size();
        divide();
        return work;
    }

    private void add(FetchedTurn.Part part) {
        Placement placement = part.placement;
        LeanPartition partition = placement.partition;
        if (placements.get(partition.id) != placement) {
            return; // Of a time before a seek, or of an assignment that is over.
        }
        partition.add(part.records);
        placement.position = part.position;
        placement.leaderEpoch = part.leaderEpoch;
        placement.endOffset = part.endOffset;
        mayDivide |= placement.broker != part.broker;
        placement.broker = part.broker;
        if (part.failure != null) {
            partition.failure = part.failure;
            placement.next = null;
        }
        FetchThread next = placement.next;
        if (part.givenAway != null && next != null) {
            Placement moved =
                    new Placement(partition, next, placement.position, placement.leaderEpoch, placement.endOffset);
            moved.broker = placement.broker;
            placements.put(partition.id, moved);
            StartAt start = StartAt.offset(moved.position, moved.leaderEpoch);
            next.add(moved, start, part.givenAway, partition.paused);
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

    /** Asks threads to give away what others are to read. */
    private void divide() {
        long now = System.nanoTime();
        if (!mayDivide || now - dividedNanos < DIVIDE_NANOS) {
            return;
        }
        mayDivide = false;
        dividedNanos = now;
        List<Slot> slots = new ArrayList<>();
        placements.forEach((id, placement) -> {
            FetchThread at = placement.next == null ? placement.thread : placement.next;
            slots.add(new Slot(id, placement.broker, at.number));
        });
        for (Slot move : Division.moves(slots, threads.size())) {
            Placement placement = placements.get(move.partition());
            if (placement != null && placement.next == null && placement.partition.failure == null) {
                placement.next = threads.get(move.thread());
                placement.thread.giveAway(placement);
            } else {
                mayDivide = true; // Not now.
            }
        }
    }

    @Override
    public void await(long nanos) {
        bell.await(nanos);
    }

    @Override
    public void wakeup() {
        bell.ring();
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

    private Placement placed(LeanPartition partition) {
        Placement placement = placements.get(partition.id);
        if (placement == null) {
            throw new IllegalStateException(partition.id + " is not placed");
        }
        return placement;
    }

    @Override
    public Contact contact(Contact others) {
        Contact all = others;
        for (FetchThread thread : threads) {
            all = OwnReader.plus(all, thread.metrics());
        }
        return all;
    }

    @Override
    public void close() {
        threads.forEach(FetchThread::end);
        threads.forEach(FetchThread::join);
    }
}
