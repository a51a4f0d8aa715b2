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
 * A real pipeline with a planted bottleneck. The engine measures its threads. The test provides the machine, and
 * sometimes consumers and producers. Confined to the test.
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
     * Takes ownership of a pipeline.
     *
     * @param release opened at the close, so that handlers end
     */
    Planted(RunningPipeline running, CountDownLatch release) {
        this.running = running;
        this.release = release;
        this.before = PipelineLook.at(running, IDLE_MACHINE);
    }

    /** Compares every reading with the first reading. */
    Planted fromTheStart() {
        fromTheStart = true;
        return this;
    }

    /** Adds these consumers and producers to all readings. */
    Planted with(List<ConsumerLook> consumers, List<ProducerHandle.Snapshot> producers) {
        UnaryOperator<PipelineLook> change = look ->
                PipelineLook.of(look.atNanos(), look.stages(), look.activity(), consumers, producers, look.machine());
        first = change;
        later = change;
        return this;
    }

    /** Sets the machine of the first reading and of all later readings. */
    Planted on(MachineLook machineBefore, MachineLook machineAfter) {
        first = look -> onMachine(look, machineBefore);
        later = look -> onMachine(look, machineAfter);
        return this;
    }

    private static PipelineLook onMachine(PipelineLook look, MachineLook machine) {
        return PipelineLook.of(
                look.atNanos(), look.stages(), look.activity(), look.consumers(), look.producers(), machine);
    }

    /** Waits until two readings in a row give this limiter. */
    Limiter awaitLimiter(Kind kind, String name) {
        AtomicReference<@Nullable Limiter> settled = new AtomicReference<>();
        await().atMost(Duration.ofSeconds(40)).untilAsserted(() -> {
            PipelineLook now = PipelineLook.at(running, IDLE_MACHINE);
            Limiter found = LimiterFinder.find(first.apply(before), later.apply(now));
            before = fromTheStart ? before : now;
            assertThat(found.kind()).as("%s", found).isEqualTo(kind);
            assertThat(found.name()).as("%s", found).isEqualTo(name);
            // The first finding may still be affected by the start.
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
