package dev.weir.stream.internal.substream;

import dev.weir.stream.internal.boundary.BoundaryQueue;
import dev.weir.stream.internal.boundary.Outlet;
import dev.weir.stream.internal.failure.Supervised;
import dev.weir.stream.internal.run.Branch;
import dev.weir.stream.spi.Batch;
import dev.weir.stream.spi.Clock;
import dev.weir.stream.spi.StageMeter;

/**
 * The groups of a {@code groupBy} whose streams have threads of their own: each has a bounded queue for its input and a
 * segment that takes its output. Confined to the segment of the parents.
 */
final class AsyncGroups<T, R> extends Confluence<T, R> {

    /** How many elements of one key may wait. */
    static final int BUFFER_PER_KEY = 256;

    private final Branch<T, R> branch;
    private final Clock clock;
    private final StageMeter segment;
    private final KeyedGroups<T, AsyncGroup<T>> groups;

    AsyncGroups(
            Parts<R> parts,
            Branch<T, R> branch,
            GroupBySettings<T> settings,
            Supervised supervised,
            Clock clock,
            StageMeter segment) {
        super(parts);
        this.branch = branch;
        this.clock = clock;
        this.segment = segment;
        this.groups = new KeyedGroups<>(settings, supervised, clock, this::begin);
    }

    private AsyncGroup<T> begin(KeyedGroups<T, AsyncGroup<T>> owner) {
        Outlet<T> outlet = new Outlet<>(new BoundaryQueue<>(BUFFER_PER_KEY, clock), new StageMeter(), () -> true);
        var ignored = tributaries.start(branch.lowest(), branch.hole(), outlet, outlet::release);
        return new AsyncGroup<>(owner, outlet);
    }

    @Override
    long deadlineNanos() {
        return groups.nextEvictionNanos();
    }

    @Override
    void take(Batch<T> parents) throws InterruptedException {
        groups.split(parents);
        AsyncGroup<T> group;
        while ((group = groups.nextTouched()) != null) {
            if (!group.outlet.give(group.take(), segment)) {
                // Its stream failed, and so does this one.
                return;
            }
        }
        groups.evictIdle(idle -> idle.outlet.end(null));
    }

    @Override
    void parentsEnded() {
        groups.all().forEach(group -> group.outlet.end(null));
    }

    /** One group. */
    private static final class AsyncGroup<T> extends KeyedGroups.Group<T> {

        final Outlet<T> outlet;

        AsyncGroup(KeyedGroups<T, ?> owner, Outlet<T> outlet) {
            super(owner);
            this.outlet = outlet;
        }

        @Override
        boolean isOver() {
            return outlet.isReleased();
        }
    }
}
