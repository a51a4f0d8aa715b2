package dev.weir.stream.internal.substream;

import dev.weir.stream.Dispatcher;
import dev.weir.stream.internal.ack.SubstreamTarget;
import dev.weir.stream.internal.boundary.BoundaryQueue;
import dev.weir.stream.internal.run.BlueprintNode;
import dev.weir.stream.internal.run.NestedStreams;
import dev.weir.stream.internal.run.OpenInput;
import dev.weir.stream.internal.run.Segment;
import dev.weir.stream.spi.Batch;
import dev.weir.stream.spi.Clock;
import dev.weir.stream.spi.Stage;
import dev.weir.stream.spi.StageMeter;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Substreams that run concurrently, each on its own thread, and feed one shared bounded queue. The thread that pulls
 * the parent elements starts, replaces and awaits the substreams.
 *
 * <p>A substream releases its resources as soon as it ends. If a substream fails, the queue ends with that failure.
 */
final class ConcurrentSubstreams<R> {

    private final NestedStreams nested;
    private final BoundaryQueue<R> out;
    private final String name;
    private final Dispatcher dispatcher;
    private final Clock clock;

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition ended = lock.newCondition();

    // Guarded by the lock.
    private final Set<Tributary> running = new HashSet<>();

    ConcurrentSubstreams(NestedStreams nested, BoundaryQueue<R> out, String name, Dispatcher dispatcher, Clock clock) {
        this.nested = nested;
        this.out = out;
        this.name = name;
        this.dispatcher = dispatcher;
        this.clock = clock;
    }

    /** Starts a stream. {@code atNormalEnd} runs on the stream's thread. */
    Tributary start(BlueprintNode<R> node, ParentAcknowledgement parent, Runnable atNormalEnd) {
        Tributary tributary = new Tributary(parent, atNormalEnd);
        begin(tributary, () -> nested.start(tributary.node(node)));
        return tributary;
    }

    /**
     * Starts a stream whose open input reads from {@code input}.
     *
     * @param exit replaces an element's target when the element leaves the stream
     */
    <T> Tributary start(
            BlueprintNode<R> node,
            OpenInput<T> upperEnd,
            Stage<T> input,
            SubstreamTarget.Exit exit,
            Runnable atNormalEnd) {
        Tributary tributary = new Tributary(ParentAcknowledgement.NONE, atNormalEnd);
        tributary.exit = exit;
        begin(tributary, () -> nested.start(tributary.node(node), upperEnd, input));
        return tributary;
    }

    @FunctionalInterface
    private interface Starter<R> {
        NestedStreams.Child<R> start();
    }

    private void begin(Tributary tributary, Starter<R> starter) {
        add(tributary);
        try {
            tributary.attach(starter.start());
        } catch (RuntimeException | Error failure) {
            remove(tributary);
            throw failure;
        }
    }

    void add(Tributary tributary) {
        lock.lock();
        try {
            running.add(tributary);
        } finally {
            lock.unlock();
        }
    }

    /**
     * Removes a stream that has ended, and wakes the threads that wait for streams to end. May be called from any
     * thread.
     */
    void remove(Tributary tributary) {
        lock.lock();
        try {
            running.remove(tributary);
            ended.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /** Number of running streams. May be called from any thread. */
    int count() {
        lock.lock();
        try {
            return running.size();
        } finally {
            lock.unlock();
        }
    }

    void awaitAtMost(int count) throws InterruptedException {
        lock.lockInterruptibly();
        try {
            while (running.size() > count) {
                clock.await(lock, ended, Stage.NEVER);
            }
        } finally {
            lock.unlock();
        }
    }

    /** Waits until a stream has ended. Returns false at the deadline. May be called from any thread. */
    boolean awaitEnd(ConcurrentSubstreams<?>.Tributary stream, long deadlineNanos) throws InterruptedException {
        lock.lockInterruptibly();
        try {
            while (running.contains(stream)) {
                if (clock.hasPassed(deadlineNanos)) {
                    return false;
                }
                clock.await(lock, ended, deadlineNanos);
            }
            return true;
        } finally {
            lock.unlock();
        }
    }

    /**
     * Returns whether a stream that ends now ends by itself, not because of a stop. {@code stream} is null while it is
     * being started.
     */
    boolean isWhole(ConcurrentSubstreams<?>.@Nullable Tributary stream) {
        NestedStreams.Child<?> child = stream == null ? null : stream.attached();
        return child == null ? !nested.isStopped() : child.isWhole();
    }

    boolean isRunning(ConcurrentSubstreams<?>.Tributary stream) {
        lock.lock();
        try {
            return running.contains(stream);
        } finally {
            lock.unlock();
        }
    }

    /** Interrupts all streams. Their elements are not acknowledged. */
    void close() {
        List<Tributary> all;
        lock.lock();
        try {
            all = List.copyOf(running);
        } finally {
            lock.unlock();
        }
        all.forEach(Tributary::close);
    }

    /** One stream. See {@link TributaryState} for its life cycle. Thread-safe. */
    final class Tributary {

        private final ParentAcknowledgement parent;
        private final Runnable atNormalEnd;
        private final ReentrantLock childLock = new ReentrantLock();

        // Guarded by the child lock.
        private TributaryState state = TributaryState.STARTING;
        private NestedStreams.@Nullable Child<R> child;

        /** True once a thread is responsible for ending the parent's own acknowledgement. */
        private boolean settled;

        /** Written only while holding {@code childLock}. */
        private volatile EndReason endsFor = EndReason.NONE;

        // Written before the stream runs.
        private SubstreamTarget.@Nullable Exit exit;

        Tributary(ParentAcknowledgement parent, Runnable atNormalEnd) {
            this.parent = parent;
            this.atNormalEnd = atNormalEnd;
        }

        /**
         * Wraps {@code stream} so that it runs on its own thread. The returned node's last stage is never pulled;
         * closing it cancels the thread.
         */
        private BlueprintNode<R> node(BlueprintNode<R> stream) {
            return new BlueprintNode<>(name, (assembly, attributes) -> {
                Stage<R> lowest = stream.build(assembly);
                StageMeter meter = assembly.segmentMeter();
                Segment<R> segment = assembly.closeSegment(
                                name, dispatcher, new Watched(lowest), from -> run(from, meter))
                        .countedByItsStage();
                return new LowerEnd<>(segment);
            });
        }

        private void run(Stage<R> from, StageMeter meter) throws InterruptedException {
            try {
                Batch<R> batch;
                while ((batch = from.pull(Stage.NEVER)) != null) {
                    if (!batch.isEmpty() && !put(batch, meter)) {
                        return;
                    }
                }
                atNormalEnd.run();
                noteEnd(EndReason.EXHAUSTED);
            } catch (InterruptedException interrupted) {
                if (!isReplaced()) {
                    throw interrupted;
                }
            } catch (RuntimeException | Error failure) {
                // The interrupt that replaced the stream has caused the failure. Ignore it.
                if (settleUnlessReplaced()) {
                    parent.note(failure, name);
                    parent.left();
                    out.end(failure);
                }
            }
        }

        /** Sets the reason why the stream ends. REPLACED overrides all other reasons until the stream is settled. */
        void noteEnd(EndReason reason) {
            childLock.lock();
            try {
                if (endsFor != EndReason.REPLACED && !settled) {
                    endsFor = reason;
                }
            } finally {
                childLock.unlock();
            }
        }

        private boolean isReplaced() {
            return endsFor == EndReason.REPLACED;
        }

        /**
         * Makes the calling thread responsible for ending the parent's own acknowledgement. Returns false if another
         * thread is already responsible.
         */
        boolean settle() {
            childLock.lock();
            try {
                boolean first = !settled;
                settled = true;
                return first;
            } finally {
                childLock.unlock();
            }
        }

        /**
         * Makes the stream's own thread responsible for ending the parent's own acknowledgement. Returns false if
         * another thread is already responsible, or if the stream is being replaced.
         */
        private boolean settleUnlessReplaced() {
            childLock.lock();
            try {
                return !isReplaced() && settle();
            } finally {
                childLock.unlock();
            }
        }

        private boolean put(Batch<R> batch, StageMeter meter) throws InterruptedException {
            if (isReplaced()) {
                batch.abandonAll();
                return false;
            }
            if (exit != null) {
                SubstreamTarget.leave(batch, exit);
            }
            Batch<R> retained = parent.over(batch);
            boolean taken = false;
            try {
                taken = out.put(retained, meter);
            } finally {
                if (!taken && isReplaced()) {
                    // A source inside the stream may wait for these elements, so abandon them.
                    batch.abandonAll();
                    // Only the remaining elements still hold an acknowledgement of the parent.
                    parent.giveBack(retained.size());
                } else if (!taken) {
                    retained.abandonAll();
                }
            }
            return taken;
        }

        /** Ends the stream because a newer one replaces it, and waits for its end. */
        void replace() throws InterruptedException {
            noteEnd(EndReason.REPLACED);
            boolean hasEnded = false;
            try {
                close();
                awaitAtMost(0);
                hasEnded = true;
            } finally {
                // Settle the parent here: after noteEnd, the stream itself no longer does.
                if (settle()) {
                    if (hasEnded) {
                        parent.replaced();
                    } else {
                        parent.left();
                    }
                }
            }
        }

        /** Attaches the built stream, and closes it if a close was requested in the meantime. */
        void attach(NestedStreams.Child<R> started) {
            TributaryState now;
            childLock.lock();
            try {
                child = started;
                state = state.attached();
                now = state;
            } finally {
                childLock.unlock();
            }
            if (now != TributaryState.RUNNING) {
                started.close();
            }
            if (now == TributaryState.ENDED) {
                conclude(started);
            }
        }

        private NestedStreams.@Nullable Child<R> attached() {
            childLock.lock();
            try {
                return child;
            } finally {
                childLock.unlock();
            }
        }

        /**
         * Closes the stream's other stages and concludes the stream, unless another thread does. Called after the last
         * stage was closed.
         */
        void afterLowest() {
            TributaryState before;
            NestedStreams.Child<R> attached;
            childLock.lock();
            try {
                before = state;
                state = state.lowestClosed();
                attached = child;
            } finally {
                childLock.unlock();
            }
            if (attached == null) {
                return; // attach() will close and conclude the stream
            }
            boolean mine = before == TributaryState.RUNNING;
            try {
                if (mine) {
                    attached.close();
                }
            } finally {
                conclude(mine ? attached : null);
            }
        }

        /**
         * Settles the parent, unless the replacing thread settles it, and removes the stream. {@code closed} is null if
         * another thread has closed the stream.
         */
        private void conclude(NestedStreams.@Nullable Child<R> closed) {
            if (settleUnlessReplaced()) {
                if (endsFor == EndReason.EXHAUSTED && closed != null) {
                    parent.ended(closed);
                } else {
                    parent.left();
                }
            }
            remove(this);
        }

        void close() {
            NestedStreams.Child<R> closing;
            childLock.lock();
            try {
                closing = state == TributaryState.RUNNING ? child : null;
                state = state.close();
            } finally {
                childLock.unlock();
            }
            if (closing != null) {
                closing.close();
            }
        }

        /** The stream's last stage. The stream has ended when its thread closes this stage. */
        private final class Watched implements Stage<R> {

            private final Stage<R> lowest;

            Watched(Stage<R> lowest) {
                this.lowest = lowest;
            }

            @Override
            public @Nullable Batch<R> pull(long deadlineNanos) throws InterruptedException {
                return lowest.pull(deadlineNanos);
            }

            @Override
            public void close() {
                try {
                    lowest.close();
                } finally {
                    afterLowest();
                }
            }
        }
    }

    /** The last stage of a stream's node. It is never pulled; closing it cancels the stream's thread. */
    private record LowerEnd<R>(Segment<R> segment) implements Stage<R> {

        @Override
        public @Nullable Batch<R> pull(long deadlineNanos) {
            throw new IllegalStateException("a stream with its own segment is not pulled");
        }

        @Override
        public void close() {
            segment.cancel();
        }
    }
}
