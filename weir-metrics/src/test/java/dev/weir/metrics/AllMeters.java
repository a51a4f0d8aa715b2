package dev.weir.metrics;

import dev.weir.kafka.CircuitBreaker;
import dev.weir.kafka.deadletter.DeadLetterHandle;
import java.time.Duration;

/** Adds a pipeline with every meter of the table. */
final class AllMeters {

    private static final CircuitBreaker BREAKER = CircuitBreaker.consecutive(3, Duration.ofSeconds(10));

    private AllMeters() {}

    /** Adds another pipeline with all meters, built from the parts of {@code first}. */
    static void addTo(StubPipeline first, MetricsServer server) {
        StubPipeline second = new StubPipeline("all");
        second.stages.addAll(first.stages);
        second.handles.addAll(first.handles);
        second.handles.add(new DeadLetterHandle() {
            @Override
            public long written() {
                return 5;
            }

            @Override
            public long cut() {
                return 1;
            }

            @Override
            public int held() {
                return 0;
            }
        });
        second.handles.add(new StubMember());
        second.handles.add(new StubProducer());
        server.bind(BreakerMetrics.of("shop", BREAKER));
        server.add(PipelineMetrics.of(second).withPartitionTags());
    }
}
