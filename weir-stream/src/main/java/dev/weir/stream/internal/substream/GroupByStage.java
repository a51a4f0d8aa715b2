package dev.weir.stream.internal.substream;

import dev.weir.stream.Dispatcher;
import dev.weir.stream.internal.ack.LeftoverAcknowledgements;
import dev.weir.stream.internal.ack.SubstreamTarget;
import dev.weir.stream.internal.boundary.BoundaryQueue;
import dev.weir.stream.internal.failure.SupervisedCall;
import dev.weir.stream.internal.run.BlueprintBranch;
import dev.weir.stream.internal.run.BlueprintNode;
import dev.weir.stream.internal.run.FailureTransfer;
import dev.weir.stream.internal.run.HeldElements;
import dev.weir.stream.internal.run.NestedStreams;
import dev.weir.stream.internal.run.Segment;
import dev.weir.stream.internal.run.StageEntry;
import dev.weir.stream.internal.run.StageEntry.Keeper;
import dev.weir.stream.internal.run.StageEntry.Kept;
import dev.weir.stream.internal.run.ThreadProbe;
import dev.weir.stream.internal.waiting.DeadlineArithmetic;
import dev.weir.stream.internal.waiting.StreamTurn;
import dev.weir.stream.spi.AckTarget;
import dev.weir.stream.spi.Batch;
import dev.weir.stream.spi.Clock;
import dev.weir.stream.spi.Stage;
import dev.weir.stream.spi.StageMeter;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Gives each key its own stream and merges the outputs. Confined to the stage's thread, except for {@link #find} and
 * {@link #dropRevoked}.
 *
 * <p>The elements of a batch are first put into the inboxes of their keys. This stage's thread then pulls the streams
 * of these keys until they are empty, so a key needs no thread. A stream with its own threads could block this thread.
 * {@link AsyncGroups} handles such streams on another thread. This stage first builds one stream and discards it, to
 * find out whether the streams have their own threads.
 */
final class GroupByStage<T, R> implements Stage<R>, Keeper {

    private final Stage<T> upstream;
    private final BlueprintBranch<T, R> branch;
    private final GroupBySettings<T> settings;
    private final SupervisedCall supervised;
    private final Dispatcher dispatcher;
    private final BoundaryQueue<R> out;
    private final NestedStreams nested;
    private final StageEntry entry;
    private final StageMeter segment;
    private final StageMeter meter;
    private final Clock clock;
    private final KeyedGroups<T, InlineGroup> groups;

    /**
     * Maximum number of queued elements of all groups together; one batch may exceed it. At the maximum, the upstream
     * stage is not pulled.
     */
    static final int MAX_WAITING = 4096;

    /** Interval at which this stage checks for revoked elements while groups wait for a turn. */
    private static final long LOOK_NANOS = 100_000_000;

    private final GroupTurns<InlineGroup> turns;

    /** Groups without further input, whose streams have not ended yet. */
    private final Set<InlineGroup> ending = new LinkedHashSet<>();

    /** Evicted groups by key. The next group with the key waits for the evicted one. */
    private final Map<Object, InlineGroup> leaving = new HashMap<>();

    /** The groups in {@link #ending} when this stage was closed. */
    private List<InlineGroup> cutOff = List.of();

    private final @Nullable StreamTurn ownTurn;
    /** The elements that groups have emitted for the current output batch. */
    private final HeldElements emitted;

    private @Nullable InlineGroup pulledLast;
    private boolean begun;
    private boolean ended;
    private @Nullable Throwable failure;

    private static final long QUICK_NANOS = 2_000;

    private static final int UNTIMED = 63;

    /** Time spent in the groups' streams for the current output batch. */
    private long inStreamsNanos;

    /** Number of pulls until the next measured pull. */
    private int untimed;

    /** Number of groups whose stages hold elements until a certain time. */
    private int holding;

    private @Nullable Stage<R> asynchronous;
    /**
     * The groups, if their streams have their own threads; otherwise null. Set at most once, before the first element.
     */
    private volatile @Nullable AsyncGroups<T, R> runningApart;

    private GroupByStage(
            Stage<T> upstream,
            BlueprintBranch<T, R> branch,
            GroupBySettings<T> settings,
            SupervisedCall supervised,
            Dispatcher dispatcher,
            BoundaryQueue<R> out,
            NestedStreams nested,
            StageEntry entry,
            StageMeter segment,
            @Nullable StreamTurn ownTurn) {
        this.upstream = upstream;
        this.branch = branch;
        this.settings = settings;
        this.supervised = supervised;
        this.dispatcher = dispatcher;
        this.out = out;
        this.nested = nested;
        this.entry = entry;
        this.segment = segment;
        this.meter = entry.meter();
        this.clock = entry.clock();
        this.emitted = new HeldElements(meter);
        this.groups = new KeyedGroups<>(settings, supervised, clock, this::isPulledWhole, InlineGroup::new);
        this.turns = new GroupTurns<>(clock);
        this.ownTurn = ownTurn;
    }

    static <T, R> BlueprintNode<R> node(
            BlueprintNode<T> above, GroupBySettings<T> settings, BlueprintBranch<T, R> branch) {
        return new BlueprintNode<>("groupBy", (assembly, attributes) -> {
            Stage<T> upstream = above.build(assembly);
            StageEntry entry = assembly.fused(attributes);
            NestedStreams nested = assembly.nested();
            assembly.noteThreadsWithin(() -> ThreadProbe.hasThreads(nested, branch));
            GroupByStage<T, R> stage = new GroupByStage<>(
                    upstream,
                    branch,
                    settings,
                    SupervisedCall.by(attributes, assembly.clock()),
                    attributes.dispatcherOr(Dispatcher.virtual()),
                    new BoundaryQueue<>(attributes.bufferOr(MergedOutput.DEFAULT_BUFFER), assembly.clock()),
                    nested,
                    entry,
                    assembly.segmentMeter(),
                    assembly.turn());
            entry.depth(stage.groups::waiting);
            entry.keeper(stage);
            return stage;
        });
    }

    @Override
    public @Nullable Batch<R> pull(long deadlineNanos) throws InterruptedException {
        if (!begun) {
            begun = true;
            begin();
        }
        return asynchronous != null ? asynchronous.pull(deadlineNanos) : pullInline(deadlineNanos);
    }

    /** Finds out whether the streams have their own threads. If so, a separate thread starts the streams. */
    private void begin() {
        if (ThreadProbe.hasThreads(nested, branch)) {
            asynchronous = takeOver();
        }
    }

    /** Moves the upstream stage to its own thread, which then starts the streams. */
    private Stage<R> takeOver() {
        String name = entry.stageName();
        NestedStreams.Child<R> above = nested.start(new BlueprintNode<>(name, (assembly, attributes) -> {
            ConcurrentSubstreams<R> tributaries =
                    new ConcurrentSubstreams<>(nested, out, name + "-stream", dispatcher, clock);
            AsyncGroups<T, R> running = new AsyncGroups<>(
                    new SubstreamMerge.Parts<>(out, tributaries, meter),
                    branch,
                    settings,
                    supervised,
                    clock,
                    new StageMeter());
            runningApart = running;
            entry.depth(() -> out.depth() + running.depth());
            Segment<T> upper = assembly.closeSegment(name, dispatcher, upstream, running::run)
                    .countedByItsStage();
            return new MergedOutput<>(out, segment, meter, upper::cancel);
        }));
        return above;
    }

    @Override
    public @Nullable Kept find(AckTarget of, long ofToken) {
        AsyncGroups<T, R> apart = runningApart;
        if (apart == null) {
            return groups.find(of, ofToken);
        }
        Kept kept = out.find(of, ofToken);
        return kept != null ? kept : apart.find(of, ofToken);
    }

    @Override
    public void dropRevoked() {
        AsyncGroups<T, R> apart = runningApart;
        if (apart == null) {
            groups.dropRevoked();
        } else {
            out.dropRevoked();
            apart.dropRevoked();
        }
    }

    private @Nullable Batch<R> pullInline(long deadlineNanos) throws InterruptedException {
        groups.elements.beginWork();
        try {
            return pullAtWork(deadlineNanos);
        } finally {
            groups.elements.endWork();
        }
    }

    /**
     * Adds the duration of a measured pull. After a quick pull, assumes that the next pulls take as long, because
     * reading the clock costs as much as a quick pull.
     */
    private void pulled(long nanos) {
        boolean isQuick = nanos < QUICK_NANOS;
        untimed = isQuick ? UNTIMED : 0;
        inStreamsNanos += isQuick ? nanos * (UNTIMED + 1) : nanos;
    }

    private @Nullable Batch<R> pullAtWork(long deadlineNanos) throws InterruptedException {
        while (true) {
            if (groups.elements.wasCalled()) {
                turns.takeAll(groups::touch);
            }
            long start = System.nanoTime();
            inStreamsNanos = 0;
            Batch<R> done = new Batch<>(Batch.DEFAULT_CAPACITY);
            try {
                drain(done, deadlineNanos);
            } catch (InterruptedException | RuntimeException | Error thrown) {
                done.abandonAll();
                throw thrown;
            } finally {
                emitted.set(0);
            }
            if (!done.isEmpty()) {
                // Exclude the time in the groups' streams, whose stages measure it themselves.
                meter.worked(0, done.size(), start + Math.min(inStreamsNanos, System.nanoTime() - start));
                return done;
            }
            // First emit the elements that the groups hold, then throw the failure. Do not wait for groups that only
            // poll a source: the source may never end.
            boolean waits = holding > 0 || groups.hasTouched();
            if (failure != null && !waits) {
                throw FailureTransfer.rethrow(failure);
            }
            if (ended && ending.isEmpty()) {
                return null;
            }
            if (ended || failure != null || groups.waiting() >= MAX_WAITING) {
                if (!awaitTurn(deadlineNanos)) {
                    return new Batch<>(0);
                }
            } else if (!takeIn(deadlineNanos)) {
                return new Batch<>(0);
            }
        }
    }

    /** Pulls the upstream stage. Returns false if the groups received no elements. */
    private boolean takeIn(long deadlineNanos) throws InterruptedException {
        // If another stage pulls this one in turns, that stage already checks for revoked elements.
        long lookNanos = turns.isEmpty() || ownTurn != null ? NEVER : clock.after(LOOK_NANOS);
        Batch<T> batch;
        groups.elements.endWork();
        try {
            long untilNanos = earliest(deadlineNanos, groups.nextEvictionNanos(), turns.nextNanos());
            batch = upstream.pull(DeadlineArithmetic.earlier(untilNanos, lookNanos));
        } catch (RuntimeException | Error thrown) {
            failure = thrown;
            return true;
        } finally {
            groups.elements.beginWork();
        }
        if (batch == null) {
            ended = true;
            groups.all().forEach(this::end);
            return true;
        }
        if (batch.isEmpty()) {
            groups.evictIdle(this::evict);
            return (hasWork() || clock.hasPassed(lookNanos)) && !clock.hasPassed(deadlineNanos);
        }
        long splitting = System.nanoTime();
        split(batch);
        groups.evictIdle(this::evict);
        meter.worked(batch.size(), 0, splitting);
        return true;
    }

    /** Waits for a group's turn or a revocation. Returns false if the deadline passes first. */
    private boolean awaitTurn(long deadlineNanos) throws InterruptedException {
        if (groups.hasTouched()) {
            return !clock.hasPassed(deadlineNanos);
        }
        long untilNanos = DeadlineArithmetic.earlier(deadlineNanos, turns.nextNanos());
        if (ownTurn != null) {
            if (holding > 0) {
                ownTurn.again(untilNanos);
            } else {
                ownTurn.poll(untilNanos);
            }
            return false;
        }
        groups.elements.endWork();
        boolean isCalled;
        try {
            isCalled = groups.elements.awaitCall(clock, untilNanos);
        } finally {
            groups.elements.beginWork();
        }
        if (isCalled) {
            turns.takeAll(groups::touch);
        }
        return isCalled || clock.hasPassed(turns.nextNanos());
    }

    private static long earliest(long one, long other, long third) {
        return DeadlineArithmetic.earlier(one, DeadlineArithmetic.earlier(other, third));
    }

    private boolean hasWork() {
        return groups.hasTouched() || clock.hasPassed(turns.nextNanos());
    }

    /** Distributes a batch. A failure of a key function is thrown after the results of the preceding elements. */
    private void split(Batch<T> batch) throws InterruptedException {
        try {
            groups.split(batch);
        } catch (RuntimeException | Error thrown) {
            failure = thrown;
        }
    }

    /** Returns false if a stop has ended the group that was pulled last. */
    private boolean isPulledWhole() {
        return pulledLast == null || pulledLast.isWhole();
    }

    private void end(InlineGroup group) {
        group.end();
        if (!group.isOver()) {
            ending.add(group);
            groups.touch(group);
        }
    }

    private void evict(Object key, InlineGroup group) {
        end(group);
        if (!group.isOver()) {
            leaving.put(key, group);
        }
    }

    /**
     * Pulls the streams that have input, are ending, or are due, until the batch is full or the deadline has passed.
     */
    private void drain(Batch<R> done, long deadlineNanos) throws InterruptedException {
        turns.takeDue(groups::touch);
        InlineGroup group;
        while ((group = groups.nextTouched()) != null) {
            if (!group.drain(done, deadlineNanos)) {
                groups.touch(group);
                return;
            }
        }
    }

    @Override
    public void close() {
        groups.elements.beginWork();
        try {
            if (asynchronous != null) {
                asynchronous.close();
            } else {
                closeInline();
            }
        } finally {
            leave();
        }
    }

    private void closeInline() {
        cutOff = List.copyOf(ending);
        List<Runnable> closings = new ArrayList<>();
        groups.all().forEach(group -> closings.add(group::endStream));
        cutOff.forEach(group -> closings.add(group::endStream));
        closings.add(upstream::close);
        FailureTransfer.runAll(closings);
    }

    /** Abandons the elements that are queued for the groups or held by them. Called at the end of the run. */
    private void leave() {
        List<Runnable> leavings = new ArrayList<>();
        groups.all().forEach(group -> leavings.add(group::leave));
        // `cutOff` also contains evicted groups, which `groups` no longer contains.
        cutOff.forEach(group -> leavings.add(group::leave));
        leavings.add(groups::leave);
        AsyncGroups<T, R> apart = runningApart;
        if (apart != null) {
            leavings.add(apart::leave);
        }
        FailureTransfer.runAll(leavings);
    }

    /** A group whose stream is pulled on this stage's thread. */
    private final class InlineGroup extends KeyedGroups.Group<T> implements StreamTurn {

        private final Object key;
        private NestedStreams.@Nullable Child<R> stream;

        /** False if a stop has cut the stream short. Set when the stream has ended. */
        private boolean whole = true;

        /** Acknowledgements of elements that the stream held at the end of earlier turns. */
        private @Nullable LeftoverAcknowledgements left;

        /**
         * The evicted group with the same key while its stream is running. This group's stream is not pulled meanwhile.
         */
        private @Nullable InlineGroup before;

        /** The next group with the same key, which waits for the end of this group's stream. */
        private @Nullable InlineGroup next;

        /** True if a stage requested a turn for its elements during the last pull. */
        private boolean asksForTurn;

        private boolean holds;

        /** Time at which the stream must be pulled even without input, or NEVER. */
        private long wakeNanos = NEVER;

        InlineGroup(KeyedGroups<T, InlineGroup> owner, Object key) {
            super(owner);
            this.key = key;
            InlineGroup evicted = leaving.get(key);
            if (evicted != null) {
                before = evicted;
                evicted.next = this;
            }
            stream = nested.start(branch.lowest(), branch.input(), this, this);
        }

        /**
         * Pulls the stream. Returns true if it is empty for now, and false if the batch is full or the deadline has
         * passed.
         */
        boolean drain(Batch<R> done, long deadlineNanos) throws InterruptedException {
            if (before != null) {
                return true;
            }
            beginTurn();
            NestedStreams.Child<R> pulled = stream;
            while (pulled != null) {
                if (done.size() >= Batch.DEFAULT_CAPACITY) {
                    return false;
                }
                wakeNanos = NEVER;
                asksForTurn = false;
                boolean isTimed = --untimed < 0;
                long pulledAt = isTimed ? System.nanoTime() : 0;
                // Pass no deadline, so that any deadline at the stream's input comes from the stream's own stages.
                Batch<R> batch = pulled.pull(NEVER);
                if (isTimed) {
                    pulled(System.nanoTime() - pulledAt);
                }
                if (batch == null) {
                    endStream();
                    finish();
                    return true;
                }
                noteHolding(asksForTurn);
                if (batch.isEmpty() && (wakeNanos != NEVER || asksForTurn)) {
                    if (wakeNanos != NEVER) { // a stage may ask for a turn at NEVER
                        turns.ask(this, wakeNanos);
                    }
                    return true;
                }
                if (batch.isEmpty() && isEmpty() && !hasEnded()) {
                    return true;
                }
                if (clock.hasPassed(deadlineNanos) && batch.isEmpty()) {
                    return false;
                }
                SubstreamTarget.leave(batch, groups);
                for (int i = 0; i < batch.size(); i++) {
                    done.add(batch.get(i), batch.target(i), batch.token(i));
                }
                emitted.set(done.size());
            }
            return true;
        }

        private void noteHolding(boolean now) {
            if (now != holds) {
                holds = now;
                holding += now ? 1 : -1;
            }
        }

        @Override
        public void again(long nanos) {
            asksForTurn = true;
            wakeNanos = DeadlineArithmetic.earlier(wakeNanos, nanos);
        }

        @Override
        public void poll(long nanos) {
            wakeNanos = DeadlineArithmetic.earlier(wakeNanos, nanos);
        }

        @Override
        void asked(long deadlineNanos) {
            wakeNanos = DeadlineArithmetic.earlier(wakeNanos, deadlineNanos);
        }

        @Override
        boolean mayEndIdle() {
            return isEmpty() && before == null;
        }

        private void beginTurn() {
            InlineGroup before = pulledLast;
            if (before != this) {
                if (before != null) {
                    before.left = groups.leftovers.endTurn(before.left);
                }
                pulledLast = this;
            }
        }

        /**
         * Acknowledges the group's elements if its stream has ended by itself. Abandons them if a stop has cut the
         * stream short.
         */
        private void finish() {
            Batch<T> rest = take();
            if (whole) {
                rest.ackAll();
            } else {
                rest.abandonAll();
            }
            groups.leftovers.endThisTurn(whole);
            if (left != null) {
                left.end(whole);
            }
        }

        /** Abandons the group's elements, because its stream was ended from outside. */
        void leave() {
            take().abandonAll();
            if (left != null) {
                left.close();
            }
        }

        @Override
        boolean isOver() {
            return stream == null;
        }

        @Override
        boolean isWhole() {
            return stream == null ? whole : stream.isWhole();
        }

        void endStream() {
            NestedStreams.Child<R> closing = stream;
            whole = isWhole();
            stream = null;
            noteHolding(false);
            turns.forget(this);
            if (leaving.remove(key, this) && next != null) {
                next.before = null;
                groups.touch(next);
            }
            if (closing != null) {
                closing.close();
            }
            // If closing throws, an evicted group must stay in `ending`, where `leave` finds it.
            ending.remove(this);
        }
    }
}
