package dev.weir.stream.internal.failure;

import dev.weir.stream.Dispatcher;
import dev.weir.stream.RestartSettings;
import dev.weir.stream.internal.ack.EachAcknowledgement;
import dev.weir.stream.internal.boundary.AsyncBoundary;
import dev.weir.stream.internal.run.BlueprintBranch;
import dev.weir.stream.internal.run.BlueprintNode;
import dev.weir.stream.internal.run.NestedStreams;
import dev.weir.stream.spi.Batch;
import dev.weir.stream.spi.Stage;
import java.util.ArrayDeque;
import java.util.Iterator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A section in the middle of a stream. When the section fails, it is rebuilt and receives its unfinished elements
 * again. Confined to the stage's thread, except for {@link Input}.
 *
 * <p>The upstream stages run on another thread. Interrupting the section does not interrupt them.
 */
final class RestartedSection<T, R> implements RestartStage.Section<R> {

    /** Default size of the buffer before the section, in elements. */
    private static final int BUFFER = 1024;

    private final Stage<T> upstream;
    private final BlueprintBranch<T, R> branch;

    // The section's runs use this queue one after the other. No lock is needed: a run starts only after the previous
    // run has ended.
    private final ArrayDeque<ReplayableBatch<T>> given = new ArrayDeque<>();
    private Iterator<ReplayableBatch<T>> again = given.iterator();
    private int tidyAt = 16;
    private volatile boolean upstreamIsOver;

    private RestartedSection(Stage<T> upstream, BlueprintBranch<T, R> branch) {
        this.upstream = upstream;
        this.branch = branch;
    }

    static <T, R> BlueprintNode<R> node(
            BlueprintNode<T> above, RestartSettings settings, BlueprintBranch<T, R> branch) {
        if (settings.onCompletion()) {
            throw new IllegalArgumentException("a section with elements above it cannot be restarted on completion: its"
                    + " unfinished elements could be lost unnoticed; use settings without alsoOnCompletion()");
        }
        return new BlueprintNode<>("restart", (assembly, attributes) -> {
            Stage<T> upstream = AsyncBoundary.node(
                            above, attributes.dispatcherOr(Dispatcher.virtual()), attributes.bufferOr(BUFFER))
                    .build(assembly);
            return RestartStage.below(assembly, attributes, settings, new RestartedSection<>(upstream, branch));
        });
    }

    @Override
    public NestedStreams.Child<R> start(NestedStreams nested) {
        tidy();
        again = given.iterator();
        return nested.start(branch.lowest(), branch.input(), new Input());
    }

    /**
     * Returns false after an upstream failure, because a restart of the section does not restart the upstream stages.
     */
    @Override
    public boolean mayRestart() {
        return !upstreamIsOver;
    }

    /** Returns false, because elements in the section and in its input buffer must be finished after a stop. */
    @Override
    public boolean endsAtStop() {
        return false;
    }

    @Override
    public void leaveRevoked() {
        EachAcknowledgement.of(List.copyOf(given), ReplayableBatch::leaveRevoked);
    }

    @Override
    public void close() {
        try {
            EachAcknowledgement.of(List.copyOf(given), ReplayableBatch::close);
        } finally {
            upstream.close();
        }
    }

    /** Removes all finished batches, wherever they are in the queue. */
    private void tidy() {
        given.removeIf(ReplayableBatch::isFinished);
        tidyAt = 2 * given.size() + 16;
    }

    /** The input of one run of the section. Confined to the thread that pulls it. */
    private final class Input implements Stage<T> {

        @Override
        public @Nullable Batch<T> pull(long deadlineNanos) throws InterruptedException {
            while (again.hasNext()) {
                Batch<T> unfinished = again.next().give();
                if (!unfinished.isEmpty()) {
                    return unfinished;
                }
            }
            Batch<T> batch = pullUpstream(deadlineNanos);
            if (batch == null || batch.isEmpty()) {
                return batch;
            }
            if (given.size() >= tidyAt) {
                tidy();
            }
            ReplayableBatch<T> next = new ReplayableBatch<>(batch);
            given.add(next);
            return next.give();
        }

        private @Nullable Batch<T> pullUpstream(long deadlineNanos) throws InterruptedException {
            try {
                return upstream.pull(deadlineNanos);
            } catch (RuntimeException | Error failure) {
                upstreamIsOver = true;
                throw failure;
            }
        }

        /** Does nothing, because the next run continues to read the upstream stages. */
        @Override
        public void close() {}
    }
}
