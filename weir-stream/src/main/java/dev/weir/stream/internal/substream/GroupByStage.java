package dev.weir.stream.internal.substream;

import dev.weir.stream.Dispatcher;
import dev.weir.stream.internal.ack.Leftovers;
import dev.weir.stream.internal.ack.Within;
import dev.weir.stream.internal.boundary.BoundaryQueue;
import dev.weir.stream.internal.failure.Supervised;
import dev.weir.stream.internal.run.Branch;
import dev.weir.stream.internal.run.Failures;
import dev.weir.stream.internal.run.HeldElements;
import dev.weir.stream.internal.run.Nest;
import dev.weir.stream.internal.run.Node;
import dev.weir.stream.internal.run.Segment;
import dev.weir.stream.internal.run.StageEntry;
import dev.weir.stream.internal.run.ThreadProbe;
import dev.weir.stream.spi.Batch;
import dev.weir.stream.spi.Clock;
import dev.weir.stream.spi.Stage;
import dev.weir.stream.spi.StageMeter;
import java.util.ArrayDeque;
import org.jspecify.annotations.Nullable;

/**
 * Gives each key a stream of its own and merges them again. Confined to its segment.
 *
 * <p>A batch is first split over the inboxes of its keys; then the streams of these keys are pulled on this stage's
 * thread until they have nothing more, so that a key costs no thread. Where the stream of a key has threads of its own
 * (which the first one shows, before it has an element), that would wait where nothing comes; then {@link AsyncGroups}
 * takes over, on a segment that this stage starts.
 */
final class GroupByStage<T, R> implements Stage<R> {

    private final Stage<T> upstream;
    private final Branch<T, R> branch;
    private final GroupBySettings<T> settings;
    private final Supervised supervised;
    private final Dispatcher dispatcher;
    private final BoundaryQueue<R> out;
    private final Nest nest;
    private final StageEntry entry;
    private final StageMeter segment;
    private final StageMeter meter;
    private final Clock clock;
    private final KeyedGroups<T, InlineGroup> groups;

    private final ArrayDeque<InlineGroup> ending = new ArrayDeque<>();
    /** What the groups have emitted for the batch that is being filled. */
    private final HeldElements emitted;

    private @Nullable InlineGroup pulledLast;
    private boolean begun;
    private boolean ended;
    private @Nullable Throwable failure;
    private @Nullable Stage<R> asynchronous;
    private @Nullable AsyncGroups<T, R> runningApart;

    private GroupByStage(
            Stage<T> upstream,
            Branch<T, R> branch,
            GroupBySettings<T> settings,
            Supervised supervised,
            Dispatcher dispatcher,
            BoundaryQueue<R> out,
            Nest nest,
            StageEntry entry,
            StageMeter segment) {
        this.upstream = upstream;
        this.branch = branch;
        this.settings = settings;
        this.supervised = supervised;
        this.dispatcher = dispatcher;
        this.out = out;
        this.nest = nest;
        this.entry = entry;
        this.segment = segment;
        this.meter = entry.meter();
        this.clock = entry.clock();
        this.emitted = new HeldElements(meter);
        this.groups = new KeyedGroups<>(settings, supervised, clock, (owner, key) -> new InlineGroup(owner));
    }

    static <T, R> Node<R> node(Node<T> above, GroupBySettings<T> settings, Branch<T, R> branch) {
        return new Node<>("groupBy", (assembly, attributes) -> {
            Stage<T> upstream = above.build(assembly);
            StageEntry entry = assembly.fused(attributes);
            Nest nest = assembly.nest();
            assembly.noteThreadsWithin(() -> ThreadProbe.hasThreads(nest, branch));
            GroupByStage<T, R> stage = new GroupByStage<>(
                    upstream,
                    branch,
                    settings,
                    Supervised.by(attributes, assembly.clock()),
                    attributes.dispatcherOr(Dispatcher.virtual()),
                    new BoundaryQueue<>(attributes.bufferOr(MergedOutput.DEFAULT_BUFFER), assembly.clock()),
                    nest,
                    entry,
                    assembly.segmentMeter());
            entry.depth(stage.groups::waiting);
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

    /** Looks at a first stream, which is not used. */
    private void begin() {
        if (ThreadProbe.hasThreads(nest, branch)) {
            asynchronous = takeOver();
        }
    }

    /** Hands the stage above over to a segment of its own, which then starts the streams. */
    private Stage<R> takeOver() {
        String name = entry.stageName();
        Nest.Child<R> above = nest.start(new Node<>(name, (assembly, attributes) -> {
            Tributaries<R> tributaries = new Tributaries<>(nest, out, name + "-stream", dispatcher, clock);
            AsyncGroups<T, R> running = new AsyncGroups<>(
                    new Confluence.Parts<>(out, tributaries, meter),
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
        entry.keeper(out);
        return above;
    }

    private @Nullable Batch<R> pullInline(long deadlineNanos) throws InterruptedException {
        while (true) {
            long start = System.nanoTime();
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
                meter.worked(0, done.size(), start);
                return done;
            }
            if (failure != null) {
                throw Failures.rethrow(failure);
            }
            if (ended) {
                return ending.isEmpty() ? null : new Batch<>(0);
            }
            long wake = groups.nextEvictionNanos();
            boolean evictsFirst = wake != NEVER && (deadlineNanos == NEVER || wake - deadlineNanos < 0);
            Batch<T> batch = upstream.pull(evictsFirst ? wake : deadlineNanos);
            if (batch == null) {
                ended = true;
                groups.all().forEach(this::end);
            } else if (batch.isEmpty()) {
                groups.evictIdle(this::end);
                if (ending.isEmpty() || clock.hasPassed(deadlineNanos)) {
                    return batch.retyped();
                }
            } else {
                long splitting = System.nanoTime();
                split(batch);
                groups.evictIdle(this::end);
                meter.worked(batch.size(), 0, splitting);
            }
        }
    }

    /** What fails goes behind what comes of the elements before it. */
    private void split(Batch<T> batch) throws InterruptedException {
        try {
            groups.split(batch);
        } catch (RuntimeException | Error thrown) {
            failure = thrown;
        }
    }

    private void end(InlineGroup group) {
        group.end();
        ending.add(group);
    }

    /**
     * Pulls the streams that have been given something, then those that are to end, until the batch is full or the
     * deadline has come.
     */
    private void drain(Batch<R> done, long deadlineNanos) throws InterruptedException {
        InlineGroup group;
        while ((group = groups.nextTouched()) != null) {
            if (!group.drain(done, deadlineNanos)) {
                groups.touchAgain(group);
                return;
            }
        }
        while ((group = ending.peek()) != null) {
            boolean over = group.drain(done, deadlineNanos);
            ending.remove();
            if (!over) {
                ending.add(group);
                return;
            }
            group.endStream();
        }
    }

    @Override
    public void close() {
        try {
            if (asynchronous != null) {
                // The stage above is that segment's.
                asynchronous.close();
            } else {
                closeInline();
            }
        } finally {
            leave();
        }
    }

    private void closeInline() {
        try {
            for (InlineGroup group : groups.all()) {
                group.endStream();
            }
            ending.forEach(InlineGroup::endStream);
        } finally {
            upstream.close();
        }
    }

    /** All is over: what waits for the groups, and what they have left, is nobody's. */
    private void leave() {
        groups.all().forEach(InlineGroup::leave);
        ending.forEach(InlineGroup::leave);
        groups.leave();
        if (runningApart != null) {
            runningApart.leave();
        }
    }

    /** One group. */
    private final class InlineGroup extends KeyedGroups.Group<T> {

        private @Nullable Stage<R> stream;

        /** What its stream has left in earlier turns. */
        private @Nullable Leftovers left;

        InlineGroup(KeyedGroups<T, InlineGroup> owner) {
            super(owner);
            stream = nest.start(branch.lowest(), branch.input(), this);
        }

        /**
         * Whether the stream has nothing more for now; otherwise the batch is full, or it has not taken all by the
         * deadline.
         */
        boolean drain(Batch<R> done, long deadlineNanos) throws InterruptedException {
            beginTurn();
            Stage<R> pulled = stream;
            while (pulled != null) {
                if (done.size() >= Batch.DEFAULT_CAPACITY) {
                    return false;
                }
                Batch<R> batch = pulled.pull(deadlineNanos);
                if (batch == null) {
                    endStream();
                    finish();
                    return true;
                }
                if (batch.isEmpty() && isEmpty() && !hasEnded()) {
                    return true;
                }
                if (batch.isEmpty() && clock.hasPassed(deadlineNanos)) {
                    return false;
                }
                Within.leave(batch, groups::outside);
                for (int i = 0; i < batch.size(); i++) {
                    done.add(batch.get(i), batch.target(i), batch.token(i));
                }
                emitted.set(done.size());
            }
            return true;
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

        /** The stream has ended by itself: all that was for it is done with. */
        private void finish() {
            take().ackAll();
            groups.leftovers.finishThisTurn();
            if (left != null) {
                left.finish();
            }
        }

        /** The stream was ended: what it has left, and what waits for it, is nobody's. */
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

        void endStream() {
            Stage<R> closing = stream;
            stream = null;
            if (closing != null) {
                closing.close();
            }
        }
    }
}
