package dev.weir.stream.internal.substream;

import dev.weir.stream.internal.boundary.BoundaryQueue;
import dev.weir.stream.internal.boundary.OutputQueue;
import dev.weir.stream.internal.failure.SupervisedCall;
import dev.weir.stream.internal.run.BlueprintBranch;
import dev.weir.stream.internal.run.FailureTransfer;
import dev.weir.stream.internal.run.StageEntry.Keeper;
import dev.weir.stream.internal.run.StageEntry.Kept;
import dev.weir.stream.spi.AckTarget;
import dev.weir.stream.spi.Batch;
import dev.weir.stream.spi.Clock;
import dev.weir.stream.spi.Stage;
import dev.weir.stream.spi.StageMeter;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The groups of a {@code groupBy} whose streams have their own threads. Each group has a bounded input queue and a
 * thread that pulls its output. Confined to the thread that pulls the input, except for {@link #find} and
 * {@link #dropRevoked}.
 */
final class AsyncGroups<T, R> extends SubstreamMerge<T, R> implements Keeper {

    /** Buffer size of a key, in elements. */
    static final int BUFFER_PER_KEY = 256;

    private final BlueprintBranch<T, R> branch;
    private final Clock clock;
    private final StageMeter segment;
    private final KeyedGroups<T, AsyncGroup<T>> groups;

    /** The streams of evicted idle keys. They may still be running. */
    private final Map<Object, AsyncGroup<T>> leaving = new HashMap<>();

    private final Set<OutputQueue<T>> outlets = ConcurrentHashMap.newKeySet();

    private int tidyAt = 16;

    AsyncGroups(
            Parts<R> parts,
            BlueprintBranch<T, R> branch,
            GroupBySettings<T> settings,
            SupervisedCall supervised,
            Clock clock,
            StageMeter segment) {
        super(parts);
        this.branch = branch;
        this.clock = clock;
        this.segment = segment;
        this.groups = new KeyedGroups<>(settings, supervised, clock, () -> false, this::begin);
        // Each group's queue settles its stream's unneeded elements, so this store keeps none.
        groups.leftovers.close();
    }

    private AsyncGroup<T> begin(KeyedGroups<T, AsyncGroup<T>> owner, Object key) {
        AtomicReference<ConcurrentSubstreams<?>.Tributary> started = new AtomicReference<>();
        BooleanSupplier isWhole = () -> tributaries.isWhole(started.get());
        OutputQueue<T> outlet = new OutputQueue<>(new BoundaryQueue<>(BUFFER_PER_KEY, clock), isWhole);
        outlets.add(outlet);
        AsyncGroup<T> left = leaving.remove(key);
        ConcurrentSubstreams<?>.Tributary before = left == null ? null : left.stream;
        var stream = tributaries.start(
                branch.lowest(),
                branch.input(),
                before == null ? outlet : new After(before, outlet),
                (target, token) -> owner.outside(outlet.outside(target, token), token),
                () -> {
                    outlets.remove(outlet);
                    outlet.release(isWhole.getAsBoolean());
                });
        started.set(stream);
        return new AsyncGroup<>(owner, outlet, stream, () -> before != null && tributaries.isRunning(before));
    }

    /** Number of elements queued for the streams. May be called from any thread. */
    int depth() {
        return groups.waiting() + outlets.stream().mapToInt(OutputQueue::depth).sum();
    }

    @Override
    long deadlineNanos() {
        return groups.nextEvictionNanos();
    }

    @Override
    void take(Batch<T> parents) throws InterruptedException {
        groups.elements.beginWork();
        try {
            groups.split(parents);
            AsyncGroup<T> group;
            while ((group = groups.nextTouched()) != null) {
                if (!give(group)) {
                    // The stream of this group has failed and closed the queue. This stage fails too, so the remaining
                    // groups need no elements.
                    return;
                }
            }
            groups.evictIdle(this::endIdle);
        } finally {
            groups.elements.endWork();
        }
    }

    /**
     * Puts the elements of a group into its input queue. While it waits for space, other threads may drop revoked
     * elements of other groups.
     */
    private boolean give(AsyncGroup<T> group) throws InterruptedException {
        Batch<T> batch = group.take();
        if (batch.isEmpty()) {
            return true;
        }
        groups.elements.endWork();
        try {
            return group.outlet.give(batch, segment);
        } finally {
            groups.elements.beginWork();
        }
    }

    @Override
    public @Nullable Kept find(AckTarget of, long ofToken) {
        for (OutputQueue<T> outlet : outlets) {
            Kept kept = outlet.find(of, ofToken);
            if (kept != null) {
                return kept;
            }
        }
        return groups.find(of, ofToken);
    }

    @Override
    public void dropRevoked() {
        outlets.forEach(OutputQueue::dropRevoked);
        groups.dropRevoked();
    }

    private void endIdle(Object key, AsyncGroup<T> idle) {
        idle.outlet.end(null);
        leaving.put(key, idle);
        if (leaving.size() >= tidyAt) {
            leaving.values().removeIf(group -> !tributaries.isRunning(group.stream));
            tidyAt = 2 * leaving.size() + 16;
        }
    }

    @Override
    void parentsEnded() {
        groups.all().forEach(group -> group.outlet.end(null));
    }

    /** Abandons the elements that are queued for the streams or held by them. Called at the end of the run. */
    void leave() {
        groups.elements.beginWork();
        List<Runnable> leavings = new ArrayList<>();
        leavings.add(groups::leave);
        // `outlets` contains the input queues of all running streams, including streams of evicted keys.
        outlets.forEach(outlet -> leavings.add(outlet::leave));
        FailureTransfer.runAll(leavings);
    }

    /** The input of a group. It emits no elements until the key's previous stream has ended. */
    private final class After implements Stage<T> {

        private final Stage<T> input;

        /** The key's previous stream; null once it has ended. */
        private ConcurrentSubstreams<?>.@Nullable Tributary before;

        After(ConcurrentSubstreams<?>.Tributary before, Stage<T> input) {
            this.before = before;
            this.input = input;
        }

        @Override
        public @Nullable Batch<T> pull(long deadlineNanos) throws InterruptedException {
            if (before != null && !tributaries.awaitEnd(before, deadlineNanos)) {
                return new Batch<>(0);
            }
            before = null;
            return input.pull(deadlineNanos);
        }

        @Override
        public void close() {
            input.close();
        }
    }

    private static final class AsyncGroup<T> extends KeyedGroups.Group<T> {

        final OutputQueue<T> outlet;
        final ConcurrentSubstreams<?>.Tributary stream;

        /** Returns whether the key's previous stream is still running. */
        private final BooleanSupplier isBeforeAtWork;

        AsyncGroup(
                KeyedGroups<T, ?> owner,
                OutputQueue<T> outlet,
                ConcurrentSubstreams<?>.Tributary stream,
                BooleanSupplier isBeforeAtWork) {
            super(owner);
            this.outlet = outlet;
            this.stream = stream;
            this.isBeforeAtWork = isBeforeAtWork;
        }

        @Override
        boolean mayEndIdle() {
            return outlet.depth() == 0 && !isBeforeAtWork.getAsBoolean();
        }

        @Override
        boolean isOver() {
            return outlet.isReleased();
        }

        @Override
        boolean isWhole() {
            return outlet.isWhole();
        }
    }
}
