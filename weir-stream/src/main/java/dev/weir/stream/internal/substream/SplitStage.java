package dev.weir.stream.internal.substream;

import dev.weir.stream.internal.ack.LeftoverAcknowledgements;
import dev.weir.stream.internal.ack.SubstreamTarget;
import dev.weir.stream.internal.failure.SupervisedCall;
import dev.weir.stream.internal.run.BlueprintBranch;
import dev.weir.stream.internal.run.BlueprintNode;
import dev.weir.stream.internal.run.FailureTransfer;
import dev.weir.stream.internal.run.NestedStreams;
import dev.weir.stream.internal.run.TaskGroup;
import dev.weir.stream.internal.run.TaskGroup.Task;
import dev.weir.stream.internal.run.ThreadProbe;
import dev.weir.stream.spi.Batch;
import dev.weir.stream.spi.Clock;
import dev.weir.stream.spi.Stage;
import dev.weir.stream.spi.StageMeter;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Splits the stream into consecutive sections and feeds each section to a separate stream. Confined to the stage's
 * thread, except for the section, which the thread of its stream pulls.
 *
 * <p>The section pulls the upstream stage. If its stream ends early, this stage waits until no thread is inside the
 * section, and then settles the section's remaining elements. While a thread is inside the section, its interrupts are
 * deferred, because the upstream stages continue.
 */
final class SplitStage<T, R> implements Stage<R> {

    private final Stage<T> upstream;
    private final BlueprintBranch<T, R> branch;
    private final SplitRule<T> cut;
    private final NestedStreams nested;
    private final StageMeter meter;
    private final Clock clock;

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition left = lock.newCondition();

    // One thread at a time uses the batch: the section's thread or this stage's thread. The lock hands it over.
    private @Nullable Batch<T> current;
    private int next;
    /** Number of elements left in the current batch. Written by the thread that uses the batch. */
    private final AtomicInteger atHand = new AtomicInteger();

    private boolean upstreamEnded;
    private boolean headTested;
    private @Nullable Throwable failure;
    private boolean inside;
    /** The task inside the section, which defers interrupts; otherwise null. */
    private @Nullable Task visitor;

    private boolean closed;

    /** The task that pulls this stage. Read by the threads of sections. */
    private volatile @Nullable Task own;

    private @Nullable Section section;
    private NestedStreams.@Nullable Child<R> child;
    private boolean streamEnded;

    record SplitRule<T>(Function<T, Boolean> test, boolean after, SupervisedCall supervised) {}

    private SplitStage(
            Stage<T> upstream,
            BlueprintBranch<T, R> branch,
            SplitRule<T> cut,
            NestedStreams nested,
            StageMeter meter,
            Clock clock) {
        this.upstream = upstream;
        this.branch = branch;
        this.cut = cut;
        this.nested = nested;
        this.meter = meter;
        this.clock = clock;
    }

    static <T, R> BlueprintNode<R> node(
            String name,
            BlueprintNode<T> above,
            Predicate<? super T> predicate,
            boolean after,
            BlueprintBranch<T, R> branch) {
        return new BlueprintNode<>(name, (assembly, attributes) -> {
            Stage<T> upstream = above.build(assembly);
            var entry = assembly.fused(attributes);
            NestedStreams nested = assembly.nested();
            assembly.noteThreadsWithin(() -> ThreadProbe.hasThreads(nested, branch));
            SplitRule<T> cut = new SplitRule<>(predicate::test, after, SupervisedCall.by(attributes, assembly.clock()));
            SplitStage<T, R> stage = new SplitStage<>(upstream, branch, cut, nested, entry.meter(), assembly.clock());
            entry.depth(stage.atHand::get);
            return stage;
        });
    }

    @Override
    public @Nullable Batch<R> pull(long deadlineNanos) throws InterruptedException {
        own = TaskGroup.current();
        while (true) {
            Section running = section;
            if (running == null) {
                if (!isAtHand(deadlineNanos)) {
                    return upstreamEnded ? null : new Batch<>(0);
                }
                running = new Section();
                section = running;
                streamEnded = false;
                child = nested.start(branch.lowest(), branch.input(), running);
                running.stream = child;
            }
            NestedStreams.Child<R> stream = child;
            if (stream != null) {
                Batch<R> batch = streamEnded ? null : stream.pull(deadlineNanos);
                if (batch != null) {
                    SubstreamTarget.leave(batch, running.within);
                    meter.out(batch.size());
                    return batch;
                }
                streamEnded = true;
                if (!running.detach(deadlineNanos)) {
                    return new Batch<>(0);
                }
                child = null;
                stream.close();
                running.leftovers.end(running.isWhole());
            }
            if (!dropRest(running, deadlineNanos)) {
                return new Batch<>(0);
            }
            section = null;
        }
    }

    private boolean isAtHand(long deadlineNanos) throws InterruptedException {
        if (failure != null) {
            throw FailureTransfer.rethrow(failure);
        }
        Batch<T> batch = current;
        if (batch != null && next < batch.size()) {
            return true;
        }
        if (upstreamEnded) {
            return false;
        }
        batch = upstream.pull(deadlineNanos);
        upstreamEnded = batch == null;
        current = batch;
        next = 0;
        if (batch != null) {
            atHand.lazySet(batch.size());
            meter.in(batch.size());
        }
        return batch != null && !batch.isEmpty();
    }

    /**
     * Settles the elements that the section's stream did not consume. Returns false if the section may get more
     * elements later.
     */
    private boolean dropRest(Section running, long deadlineNanos) throws InterruptedException {
        while (!running.complete) {
            if (!isAtHand(deadlineNanos)) {
                return upstreamEnded;
            }
            Batch<T> rest = running.takePart();
            if (running.isWhole()) {
                rest.ackAll();
            } else {
                rest.abandonAll();
            }
        }
        return true;
    }

    @Override
    public void close() {
        Task guest;
        lock.lock();
        try {
            closed = true;
            guest = visitor;
            visitor = null;
        } finally {
            lock.unlock();
        }
        if (guest != null) {
            // The upstream stages are about to be closed, so interrupts need not be deferred any longer.
            guest.letGo();
        }
        try {
            SubstreamHelpers.closeBoth(child, upstream);
        } finally {
            leave();
        }
    }

    /**
     * Abandons the available elements and the leftovers of the section's stream. Called when no thread is inside the
     * section.
     */
    private void leave() {
        atHand.lazySet(0);
        try {
            if (current != null) {
                current.abandonFrom(next);
            }
        } finally {
            if (section != null) {
                section.leftovers.close();
            }
        }
    }

    /** The input of one section's stream. */
    private final class Section implements Stage<T> {

        private final LeftoverAcknowledgements leftovers = new LeftoverAcknowledgements();
        private final SubstreamTarget.Wrapper within = new SubstreamTarget.Wrapper(this::isWhole, leftovers);

        /** The section's stream. Null while it is being started, although its threads may already run. */
        private volatile NestedStreams.@Nullable Child<R> stream;

        private boolean begun;
        private boolean complete;
        private boolean detached;

        @Override
        public @Nullable Batch<T> pull(long deadlineNanos) throws InterruptedException {
            Task task = TaskGroup.current();
            return visit(task == own ? null : task, deadlineNanos);
        }

        boolean isWhole() {
            NestedStreams.Child<R> started = stream;
            return started == null ? !nested.isStopped() : started.isWhole();
        }

        private @Nullable Batch<T> visit(@Nullable Task by, long deadlineNanos) throws InterruptedException {
            lock.lock();
            try {
                if (detached || complete) {
                    return null;
                }
                inside = true;
                if (by != null && !closed) {
                    by.hold();
                    visitor = by;
                }
            } finally {
                lock.unlock();
            }
            try {
                boolean atHand = isAtHand(deadlineNanos);
                return pulled(atHand);
            } finally {
                Task holding;
                lock.lock();
                try {
                    inside = false;
                    holding = visitor;
                    visitor = null;
                    left.signalAll();
                } finally {
                    lock.unlock();
                }
                if (holding != null) {
                    holding.letGo();
                }
            }
        }

        private @Nullable Batch<T> pulled(boolean atHand) throws InterruptedException {
            lock.lock();
            try {
                if (detached) {
                    // The SplitStage waits for this thread to leave, and then drops the section's remaining elements.
                    return null;
                }
            } finally {
                lock.unlock();
            }
            if (!atHand) {
                return upstreamEnded ? null : new Batch<>(0);
            }
            Batch<T> part = takePart();
            return part.isEmpty() && complete ? null : part;
        }

        /** Takes the available elements of this section, and notes whether the section has ended. */
        Batch<T> takePart() throws InterruptedException {
            Batch<T> from = Objects.requireNonNull(current);
            Batch<T> part = new Batch<>(from.size() - next);
            try {
                moveInto(part, from);
            } catch (InterruptedException interrupted) {
                // The remaining elements stay available.
                part.abandonAll();
                throw interrupted;
            } catch (RuntimeException | Error thrown) {
                // Return the preceding elements now. The next pull throws the failure.
                failure = thrown;
            }
            atHand.lazySet(from.size() - next);
            return part;
        }

        private void moveInto(Batch<T> part, Batch<T> from) throws InterruptedException {
            while (next < from.size()) {
                int index = next;
                // If `headTested`, this element has ended the previous section and is the first of this one.
                Boolean isCut = headTested ? Boolean.TRUE : SubstreamHelpers.of(from, index, cut.test, cut.supervised);
                if (isCut == null) {
                    next++;
                    continue;
                }
                if (isCut && !cut.after && begun) {
                    headTested = true;
                    complete = true;
                    return;
                }
                headTested = false;
                begun = true;
                part.add(from.get(index), within.apply(from.target(index)), from.token(index));
                next++;
                if (isCut && cut.after) {
                    complete = true;
                    return;
                }
            }
        }

        /** Detaches the section and waits until no thread is inside. Returns false at the deadline. */
        boolean detach(long deadlineNanos) throws InterruptedException {
            lock.lockInterruptibly();
            try {
                detached = true;
                while (inside) {
                    if (clock.hasPassed(deadlineNanos)) {
                        return false;
                    }
                    clock.await(lock, left, deadlineNanos);
                }
                return true;
            } finally {
                lock.unlock();
            }
        }

        @Override
        public void close() {}
    }
}
