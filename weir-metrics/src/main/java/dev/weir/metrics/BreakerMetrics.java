package dev.weir.metrics;

import dev.weir.kafka.CircuitBreaker;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.binder.MeterBinder;
import java.util.Objects;

/**
 * The meters of a circuit breaker ({@code weir.breaker.*}). Immutable. Each scrape reads the breaker, which the meters
 * reference only weakly.
 */
public final class BreakerMetrics implements MeterBinder {

    private final String name;
    private final CircuitBreaker breaker;

    private BreakerMetrics(String name, CircuitBreaker breaker) {
        this.name = name;
        this.breaker = breaker;
    }

    /** Creates the meters of {@code breaker}, with {@code name} as a tag. */
    public static BreakerMetrics of(String name, CircuitBreaker breaker) {
        return new BreakerMetrics(Objects.requireNonNull(name, "name"), Objects.requireNonNull(breaker, "breaker"));
    }

    /** Registers the meters. If there are already meters for a breaker with this name, they remain unchanged. */
    @Override
    public void bindTo(MeterRegistry registry) {
        DirectMeters.register(
                Objects.requireNonNull(registry, "registry"),
                PipelineMeters.BREAKER,
                Tags.of(PipelineMeters.BREAKER_TAG, name),
                breaker,
                CircuitBreaker::snapshot);
    }
}
