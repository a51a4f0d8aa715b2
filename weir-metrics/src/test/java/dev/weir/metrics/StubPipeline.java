package dev.weir.metrics;

import dev.weir.stream.Action;
import dev.weir.stream.DrainReport;
import dev.weir.stream.ResultKey;
import dev.weir.stream.RunningPipeline;
import dev.weir.stream.StageSnapshot;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;

/** A pipeline with a test's snapshot. */
final class StubPipeline implements RunningPipeline {

    private final String name;
    private final CompletableFuture<DrainReport> completion = new CompletableFuture<>();

    final List<StageSnapshot> stages = new CopyOnWriteArrayList<>();
    final List<Object> handles = new CopyOnWriteArrayList<>();
    volatile boolean broken;

    /** Number of requested futures. */
    final AtomicInteger completions = new AtomicInteger();

    StubPipeline(String name) {
        this.name = name;
    }

    static StageSnapshot stage(String name, long in, long out) {
        return StageSnapshot.of(name, 4, in, out, 2_000_000_000L, 500_000_000L, 250_000_000L, 7, 1_000_000_000L);
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public CompletableFuture<DrainReport> completion() {
        completions.incrementAndGet();
        return completion;
    }

    @Override
    public boolean hasEnded() {
        return completion.isDone();
    }

    @Override
    public List<StageSnapshot> stages() {
        if (broken) {
            throw new StackOverflowError("planted by the test");
        }
        return List.copyOf(stages);
    }

    @Override
    public <H> List<H> handles(Class<H> type) {
        return handles.stream().filter(type::isInstance).map(type::cast).toList();
    }

    @Override
    public DrainReport await() {
        throw new UnsupportedOperationException();
    }

    @Override
    public void stop() {
        throw new UnsupportedOperationException();
    }

    @Override
    public DrainReport drain(Duration deadline) {
        throw new UnsupportedOperationException();
    }

    @Override
    public RunningPipeline onDrained(Action<? super DrainReport> action) {
        throw new UnsupportedOperationException();
    }

    @Override
    public RunningPipeline drainOnShutdown(Duration deadline) {
        throw new UnsupportedOperationException();
    }

    @Override
    public void cancel() {
        throw new UnsupportedOperationException();
    }

    @Override
    public void close() {
        completion.cancel(false);
    }

    @Override
    public <R> CompletableFuture<R> result(ResultKey<R> key) {
        throw new UnsupportedOperationException();
    }
}
