package dev.weir.metrics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.weir.kafka.ProducerHandle;
import dev.weir.metrics.Limiter.Kind;
import dev.weir.metrics.PipelineLook.ConsumerLook;
import dev.weir.stream.RunningPipeline;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * A real pipeline with a bottleneck that a test has planted. What its threads do is the engine's own account; the
 * machine, and where a test says so the consumers and producers, are the test's. Confined to the test.
 */
final class Planted implements AutoCloseable {

    /** Eight idle processors. */
    static final MachineLook IDLE_MACHINE = MachineLook.of(8, Double.NaN, Double.NaN, 0);

    private final RunningPipeline running;
    private final CountDownLatch release;

    private PipelineLook before;
    private boolean fromTheStart;

    private UnaryOperator<PipelineLook> first = look -> look;
    private UnaryOperator<PipelineLook> later = look -> look;

    /**
     * Takes a pipeline over.
     *
     * @param release lets handlers end, at the close
     */
    Planted(RunningPipeline running, CountDownLatch release) {
        this.running = running;
        this.release = release;
        this.before = PipelineLook.at(running, IDLE_MACHINE);
    }

    /** Compares with the first sample each time, so that the interval keeps everything that flowed since. */
    Planted fromTheStart() {
        fromTheStart = true;
        return this;
    }

    /** Has the pipeline look as if it had these consumers and producers. */
    Planted with(List<ConsumerLook> consumers, List<ProducerHandle.Snapshot> producers) {
        UnaryOperator<PipelineLook> change = look ->
                PipelineLook.of(look.atNanos(), look.stages(), look.activity(), consumers, producers, look.machine());
        first = change;
        later = change;
        return this;
    }

    /** Has the machine look like this, at the first look and at all later ones. */
    Planted on(MachineLook machineBefore, MachineLook machineAfter) {
        first = look -> onMachine(look, machineBefore);
        later = look -> onMachine(look, machineAfter);
        return this;
    }

    private static PipelineLook onMachine(PipelineLook look, MachineLook machine) {
        return PipelineLook.of(
                look.atNanos(), look.stages(), look.activity(), look.consumers(), look.producers(), machine);
    }

    /** Waits until the limiter between two successive looks is of this kind and name. */
    Limiter awaitLimiter(Kind kind, String name) {
        AtomicReference<@Nullable Limiter> settled = new AtomicReference<>();
        await().atMost(Duration.ofSeconds(40)).untilAsserted(() -> {
            PipelineLook now = PipelineLook.at(running, IDLE_MACHINE);
            Limiter found = LimiterFinder.find(first.apply(before), later.apply(now));
            before = fromTheStart ? before : now;
            assertThat(found.kind()).as("%s", found).isEqualTo(kind);
            assertThat(found.name()).as("%s", found).isEqualTo(name);
            // Once more: its beginning is over by then.
            Limiter previous = settled.getAndSet(found);
            assertThat(previous).isNotNull();
        });
        return Objects.requireNonNull(settled.get());
    }

    @Override
    public void close() {
        release.countDown();
        running.cancel();
        running.close();
    }
}
