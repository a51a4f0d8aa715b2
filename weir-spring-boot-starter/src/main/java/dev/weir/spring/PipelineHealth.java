package dev.weir.spring;

import dev.weir.kafka.ConsumerHandle;
import dev.weir.kafka.ConsumerHealth;
import dev.weir.kafka.ShareHandle;
import dev.weir.stream.RunningPipeline;
import dev.weir.stream.spi.Thrown;
import java.util.List;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.boot.health.contributor.Status;

/**
 * The health of the pipelines: up if no pipeline has failed and every consumer passes the liveness or readiness check,
 * whatever its lag. A pipeline that has ended normally or was never started is healthy. Thread-safe; never blocks.
 */
final class PipelineHealth implements HealthIndicator {

    private final WeirPipelines pipelines;
    private final Predicate<ConsumerHealth> question;
    private final Status no;

    private PipelineHealth(WeirPipelines pipelines, Predicate<ConsumerHealth> question, Status no) {
        this.pipelines = pipelines;
        this.question = question;
        this.no = no;
    }

    /** Checks that the threads of all consumers are running. A thread that has ended needs a restart. */
    static PipelineHealth liveness(WeirPipelines pipelines) {
        return new PipelineHealth(pipelines, ConsumerHealth::live, Status.DOWN);
    }

    /**
     * Checks that each consumer has joined its group, if it has one, and knows the start position of each assigned
     * partition.
     */
    static PipelineHealth readiness(WeirPipelines pipelines) {
        return new PipelineHealth(pipelines, ConsumerHealth::ready, Status.OUT_OF_SERVICE);
    }

    @Override
    public Health health() {
        Health.Builder health = Health.up();
        for (PipelineBean bean : pipelines.beans()) {
            RunningPipeline running = bean.running();
            Throwable failure = bean.failure();
            if (failure != null) {
                health.status(no).withDetail(bean.name(), "failed: " + Thrown.reason(failure));
            } else if (running == null) {
                health.withDetail(bean.name(), "not started");
            } else if (running.hasEnded()) {
                health.withDetail(bean.name(), "ended");
            } else {
                ask(running, bean.name(), health);
            }
        }
        return health.build();
    }

    private void ask(RunningPipeline running, String name, Health.Builder health) {
        List<ConsumerHealth> consumers = Stream.concat(
                        running.handles(ConsumerHandle.class).stream().map(ConsumerHandle::health),
                        running.handles(ShareHandle.class).stream().map(ShareHandle::health))
                .toList();
        if (!consumers.stream().allMatch(question)) {
            health.status(no);
        }
        String reasons = consumers.stream()
                .map(ConsumerHealth::reason)
                .filter(reason -> !reason.isEmpty())
                .collect(Collectors.joining("; "));
        health.withDetail(name, reasons.isEmpty() ? "runs" : reasons);
    }
}
