package dev.weir.stream.internal.substream;

import dev.weir.stream.internal.ack.EachAcknowledgement;
import dev.weir.stream.internal.ack.LeftoverAcknowledgements;
import dev.weir.stream.internal.ack.RevocableElements;
import dev.weir.stream.internal.ack.SubstreamTarget;
import dev.weir.stream.internal.failure.SupervisedCall;
import dev.weir.stream.internal.run.StageEntry.Kept;
import dev.weir.stream.spi.AckTarget;
import dev.weir.stream.spi.Batch;
import dev.weir.stream.spi.Clock;
import dev.weir.stream.spi.Stage;
import java.util.ArrayDeque;
import java.util.Collection;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiConsumer;
import java.util.function.BiFunction;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The groups of a {@code groupBy}, by key. With eviction, they are ordered by idle time, longest first. Confined to one
 * thread, which must call {@link RevocableElements#beginWork} on {@link #elements} before it uses the groups. Other
 * threads may call {@link #dropRevoked} and {@link #find}.
 */
final class KeyedGroups<T, G extends KeyedGroups.Group<T>> implements SubstreamTarget.Exit {

    /** Minimum delay before an idle group that could not be evicted is checked again. */
    private static final long SOONEST_AGAIN_NANOS = 1_000_000;

    private final GroupBySettings<T> settings;
    private final SupervisedCall supervised;
    private final Clock clock;
    private final BiFunction<KeyedGroups<T, G>, Object, G> begin;
    private final Map<Object, G> groups;
    /** Leftover acknowledgements of the streams without their own threads. */
    final LeftoverAcknowledgements leftovers = new LeftoverAcknowledgements();

    private final SubstreamTarget.Wrapper within;
    private final AtomicInteger waiting = new AtomicInteger();

    final RevocableElements elements = new RevocableElements(this::takeRevoked);

    private final ArrayDeque<G> touched = new ArrayDeque<>();
    private Batch<T> empty = new Batch<>(0);

    /**
     * A group: an inbox for the elements of a key. A stream without its own threads reads the inbox directly. For other
     * streams, {@link AsyncGroups} moves the elements to a queue.
     */
    abstract static class Group<T> implements Stage<T> {

        private final KeyedGroups<T, ?> owner;
        private @Nullable Batch<T> waiting;
        private boolean ended;
        private long touchedNanos;
        private boolean isTouched;

        Group(KeyedGroups<T, ?> owner) {
            this.owner = owner;
        }

        /** Returns whether the group's stream has ended without a failure. */
        abstract boolean isOver();

        /** Returns whether the group's stream has ended by itself, not because of a stop. */
        abstract boolean isWhole();

        /**
         * Returns whether the group may be evicted: it has no elements, and the previous group with the same key has
         * ended.
         */
        abstract boolean mayEndIdle();

        /** Called when the stream pulls an empty inbox. The stream must be pulled again by {@code deadlineNanos}. */
        void asked(long deadlineNanos) {}

        private void add(Batch<T> from, int index) {
            Batch<T> batch = waiting;
            if (batch == null) {
                batch = new Batch<>(2);
                waiting = batch;
            }
            batch.add(from.get(index), from.target(index), from.token(index));
            owner.waits(1);
        }

        /** Marks the group as ended: no more elements will be added. */
        final void end() {
            ended = true;
        }

        final boolean hasEnded() {
            return ended;
        }

        final boolean isEmpty() {
            return waiting == null;
        }

        private void takeRevoked(Batch<Object> to) {
            Batch<T> batch = waiting;
            if (batch == null) {
                return;
            }
            Batch<?> revoked = batch.removeRevoked();
            for (int i = 0; i < revoked.size(); i++) {
                to.add(revoked.get(i), revoked.target(i), revoked.token(i));
            }
            if (batch.isEmpty()) {
                waiting = null;
            }
            owner.waits(-revoked.size());
        }

        private @Nullable Kept find(AckTarget of, long ofToken) {
            Batch<T> batch = waiting;
            int index = batch == null ? -1 : batch.find(of, ofToken);
            return batch == null || index < 0 ? null : new Kept(batch.get(index), false);
        }

        final Batch<T> take() {
            Batch<T> batch = waiting;
            if (batch == null) {
                return owner.empty();
            }
            waiting = null;
            owner.waits(-batch.size());
            return batch;
        }

        @Override
        public final @Nullable Batch<T> pull(long deadlineNanos) {
            if (waiting != null) {
                return take();
            }
            if (ended) {
                return null;
            }
            asked(deadlineNanos);
            return owner.empty();
        }

        @Override
        public void close() {}
    }

    /**
     * Adds to the number of queued elements. A plain read is enough, because one thread at a time changes the number.
     */
    private void waits(int more) {
        waiting.lazySet(waiting.getPlain() + more);
    }

    /** Number of elements in the inboxes. May be called from any thread. */
    int waiting() {
        return waiting.get();
    }

    /** Returns the shared empty batch. Replaces it if a stage has added elements to it. */
    private Batch<T> empty() {
        if (!empty.isEmpty()) {
            empty = new Batch<>(0);
        }
        return empty;
    }

    /**
     * Creates an empty set of groups.
     *
     * @param isWhole returns whether elements that the groups' streams did not need are acknowledged
     * @param begin creates the group of a key
     */
    KeyedGroups(
            GroupBySettings<T> settings,
            SupervisedCall supervised,
            Clock clock,
            BooleanSupplier isWhole,
            BiFunction<KeyedGroups<T, G>, Object, G> begin) {
        this.within = new SubstreamTarget.Wrapper(isWhole, leftovers);
        this.settings = settings;
        this.supervised = supervised;
        this.clock = clock;
        this.begin = begin;
        this.groups = new LinkedHashMap<>(16, 0.75f, settings.evicts());
    }

    @Override
    public AckTarget outside(AckTarget target, long token) {
        return within.outside(target, token);
    }

    /**
     * Puts each element into the inbox of its group. {@link #nextTouched} then returns these groups. If a group cannot
     * be created, its element and all later elements are abandoned.
     */
    void split(Batch<T> batch) throws InterruptedException {
        batch.retarget(within);
        long now = settings.evicts() ? clock.nanoTime() : 0;
        int next = 0;
        try {
            for (; next < batch.size(); next++) {
                Object key = SubstreamHelpers.of(batch, next, settings.key(), supervised);
                if (key != null) {
                    add(batch, next, key, now);
                }
            }
        } catch (InterruptedException | RuntimeException | Error thrown) {
            // Use the targets outside the groups' streams. The targets inside would keep the elements as leftovers.
            SubstreamTarget.leave(batch, this);
            batch.abandonFrom(next);
            throw thrown;
        }
    }

    private void add(Batch<T> batch, int index, Object key, long now) {
        G group = groups.get(key);
        if (group == null) {
            group = begin(key);
        }
        ((Group<T>) group).touchedNanos = now;
        if (group.isOver()) {
            if (group.isWhole()) {
                batch.ack(index);
            } else {
                // Use the target outside the group's stream. The target inside would keep the element as a leftover.
                long token = batch.token(index);
                outside(batch.target(index), token).abandon(token);
            }
            return;
        }
        ((Group<T>) group).add(batch, index);
        touch(group);
    }

    private G begin(Object key) {
        if (groups.size() >= settings.maxSubstreams()) {
            throw new IllegalStateException("groupBy has as many groups as it may have: maxSubstreams="
                    + settings.maxSubstreams() + "; raise maxSubstreams, or set idleAfter to let go of idle keys");
        }
        G group = begin.apply(this, key);
        groups.put(key, group);
        return group;
    }

    /** Removes and returns the next group with new elements, or null. */
    @Nullable
    G nextTouched() {
        G group = touched.poll();
        if (group != null) {
            ((Group<T>) group).isTouched = false;
        }
        return group;
    }

    /** Appends a group to the groups with new elements. */
    void touch(G group) {
        if (!((Group<T>) group).isTouched) {
            ((Group<T>) group).isTouched = true;
            touched.addLast(group);
        }
    }

    boolean hasTouched() {
        return !touched.isEmpty();
    }

    /** Returns the time at which the next idle group is evicted, or NEVER. */
    long nextEvictionNanos() {
        if (!settings.evicts() || groups.isEmpty()) {
            return Stage.NEVER;
        }
        G eldest = groups.values().iterator().next();
        return ((Group<T>) eldest).touchedNanos + settings.idleNanos();
    }

    void evictIdle(BiConsumer<Object, G> then) {
        while (clock.hasPassed(nextEvictionNanos())) {
            Iterator<Map.Entry<Object, G>> entries = groups.entrySet().iterator();
            Map.Entry<Object, G> eldest = entries.next();
            Object key = eldest.getKey();
            G group = eldest.getValue();
            if (group.isOver() || group.mayEndIdle()) {
                entries.remove();
                then.accept(key, group);
            } else {
                // Accessing the group moves it to the end of the map, which is in access order.
                Object ignored = groups.get(key);
                ((Group<T>) group).touchedNanos =
                        clock.nanoTime() + Math.max(0, SOONEST_AGAIN_NANOS - settings.idleNanos());
            }
        }
    }

    /** Drops queued elements that their source no longer owns. May be called from any thread. */
    void dropRevoked() {
        elements.dropRevoked();
    }

    private Batch<?> takeRevoked() {
        Batch<Object> revoked = new Batch<>(0);
        if (waiting() > 0) {
            groups.values().forEach(group -> ((Group<T>) group).takeRevoked(revoked));
        }
        return revoked;
    }

    /** Finds a queued element by its acknowledgement target and token. May be called from any thread. */
    @Nullable
    Kept find(AckTarget of, long ofToken) {
        return elements.find(() -> {
            for (G group : groups.values()) {
                Kept kept = ((Group<T>) group).find(of, ofToken);
                if (kept != null) {
                    return kept;
                }
            }
            return null;
        });
    }

    /**
     * Abandons the elements that are queued for the groups, or held by streams without their own threads. Called at the
     * end of the run.
     */
    void leave() {
        try {
            EachAcknowledgement.of(
                    List.copyOf(groups.values()), group -> group.take().abandonAll());
        } finally {
            leftovers.close();
        }
    }

    Collection<G> all() {
        return groups.values();
    }
}
