package dev.weir.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.jvm.JvmThreadMetrics;
import io.micrometer.core.instrument.binder.system.ProcessorMetrics;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.util.Collection;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class ProcessMetersTest {

    private final MeterRegistry registry = new SimpleMeterRegistry();

    @Test
    void bindTo_hasTheMetersOfMicrometer() {
        MeterRegistry theirs = new SimpleMeterRegistry();
        new ProcessorMetrics().bindTo(theirs);
        new JvmThreadMetrics().bindTo(theirs);
        new ProcessMeters().bindTo(registry);
        assertThat(described(registry.getMeters()))
                .containsExactlyInAnyOrderElementsOf(
                        described(theirs.getMeters()).toList());
    }

    private static Stream<String> described(Collection<Meter> meters) {
        return meters.stream()
                .map(Meter::getId)
                .map(id -> id + " " + id.getType() + " " + id.getBaseUnit() + " " + id.getDescription());
    }

    @Test
    void figures_areOfThisProcess() {
        new ProcessMeters().bindTo(registry);
        assertThat(registry.get("system.cpu.count").gauge().value())
                .isEqualTo(Runtime.getRuntime().availableProcessors());
        assertThat(registry.get("process.cpu.usage").gauge().value()).isBetween(0.0, 1.0);
        assertThat(registry.get("jvm.threads.states")
                        .tag("state", "runnable")
                        .gauge()
                        .value())
                .isPositive();
    }
}
