package dev.weir.metrics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.weir.kafka.CircuitBreaker;
import dev.weir.kafka.ConsumerDump.Paused;
import dev.weir.kafka.ConsumerHealth;
import dev.weir.kafka.deadletter.DeadLetterHandle;
import dev.weir.stream.Dispatcher;
import dev.weir.stream.DrainReport;
import dev.weir.stream.StageSnapshot;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.lang.ref.WeakReference;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(30)
class PipelineMetricsTest {

    private final StubPipeline pipeline = new StubPipeline("orders");
    private final StubConsumer consumer = new StubConsumer("[orders]");
    private final SimpleMeterRegistry registry = new SimpleMeterRegistry();
    private final PipelineMetrics metrics = PipelineMetrics.of(pipeline);

    @AfterEach
    void close() {
        metrics.close();
    }

    private double value(String name, String... tags) {
        Meter meter = Objects.requireNonNull(registry.find(name).tags(tags).meter(), name + " " + List.of(tags));
        return meter.measure().iterator().next().getValue();
    }

    private Set<String> names() {
        return registry.getMeters().stream()
                .map(meter -> meter.getId().getName())
                .collect(Collectors.toSet());
    }

    @Test
    void stage_bound_showsItsCounters() {
        pipeline.stages.add(StubPipeline.stage("price", 100, 90));
        metrics.bindTo(registry);
        assertThat(value("weir.stage.elements.in", "pipeline", "orders", "stage", "price"))
                .isEqualTo(100);
        assertThat(value("weir.stage.elements.out", "stage", "price")).isEqualTo(90);
        assertThat(value("weir.stage.busy.seconds", "stage", "price")).isEqualTo(2);
        assertThat(value("weir.stage.starved.seconds", "stage", "price")).isEqualTo(0.5);
        assertThat(value("weir.stage.blocked.seconds", "stage", "price")).isEqualTo(0.25);
        assertThat(value("weir.stage.depth", "stage", "price")).isEqualTo(7);
        assertThat(value("weir.stage.parallelism", "stage", "price")).isEqualTo(4);
        assertThat(value("weir.pipeline.running")).isEqualTo(1);
    }

    /** Regression: the pipeline kept a future of each reading until its end. */
    @Test
    void readings_ofARunningPipeline_askForNoFuture() {
        metrics.bindTo(registry);
        int ofTheAction = pipeline.completions.get();
        metrics.bindTo(new SimpleMeterRegistry());
        assertThat(HealthReport.of(List.of(pipeline)).live()).isTrue();
        assertThat(pipeline.completions).hasValue(ofTheAction);
        assertThat(ofTheAction).isEqualTo(1);
    }

    @Test
    void membersOfShareGroups_bound_showTheirCounts() {
        StubMember member = new StubMember();
        pipeline.handles.add(member);
        pipeline.handles.add(new StubMember());
        metrics.bindTo(registry);
        assertThat(value("weir.share.accepted", "pipeline", "orders", "member", "1"))
                .isEqualTo(100);
        assertThat(value("weir.share.accepted", "member", "2")).isEqualTo(100);
        assertThat(value("weir.share.released", "member", "1")).isEqualTo(9);
        assertThat(value("weir.share.rejected", "member", "1")).isEqualTo(8);
        assertThat(value("weir.share.renewed", "member", "1")).isEqualTo(7);
        assertThat(value("weir.share.redelivered", "member", "1")).isEqualTo(6);
        assertThat(value("weir.share.lock.expired", "member", "1")).isEqualTo(5);
        assertThat(value("weir.share.acknowledgements.failed", "member", "1")).isEqualTo(4);
        assertThat(value("weir.share.parked", "member", "1")).isEqualTo(2);
        assertThat(value("weir.share.answers.emptied", "member", "1")).isEqualTo(12);
        assertThat(value("weir.share.lanes", "member", "1")).isEqualTo(3);
        assertThat(value("weir.share.lag.records", "member", "1")).isEqualTo(50);
        assertThat(value("weir.share.live", "member", "1")).isEqualTo(1);
        assertThat(value("weir.share.ready", "member", "1")).isEqualTo(1);
        assertThat(value("weir.share.progressing", "member", "1")).isEqualTo(1);
        member.lag = -1;
        for (String broken : List.of("live", "ready", "progressing")) {
            member.health = ConsumerHealth.of(
                    !broken.equals("live"), !broken.equals("ready"), !broken.equals("progressing"), "over", null);
            metrics.lookNow();
            for (String flag : List.of("live", "ready", "progressing")) {
                assertThat(value("weir.share." + flag, "member", "1"))
                        .as("%s while not %s", flag, broken)
                        .isEqualTo(flag.equals(broken) ? 0 : 1);
            }
        }
        assertThat(value("weir.share.lag.records", "member", "1")).isNaN();
    }

    /** A long-running pipeline must not keep closed metrics. */
    @Test
    void metrics_thatAreClosed_areNotKeptByThePipeline() {
        WeakReference<PipelineMetrics> closed = boundAndClosed();
        for (int i = 0; i < 50 && closed.get() != null; i++) {
            System.gc();
        }
        assertThat(closed.get()).isNull();
        assertThat(pipeline.completion()).isNotDone();
    }

    private WeakReference<PipelineMetrics> boundAndClosed() {
        try (PipelineMetrics bound = PipelineMetrics.of(pipeline)) {
            bound.bindTo(registry);
            return new WeakReference<>(bound);
        }
    }

    @Test
    void stages_thatComeAndGo_areRegisteredAndRemoved() {
        pipeline.stages.add(StubPipeline.stage("first", 1, 1));
        metrics.bindTo(registry);
        pipeline.stages.clear();
        pipeline.stages.add(StubPipeline.stage("second", 2, 2));
        metrics.lookNow();
        assertThat(registry.find("weir.stage.depth").tag("stage", "first").meter())
                .isNull();
        assertThat(value("weir.stage.elements.in", "stage", "second")).isEqualTo(2);
    }

    /** The starved time depends on the parallelism, so it decreases when an adaptive stage shrinks. */
    @Test
    void counter_whoseSourceFalls_goesOnFromWhereItWas() {
        pipeline.stages.add(withStarved(10));
        metrics.bindTo(registry);
        pipeline.stages.set(0, withStarved(4));
        metrics.lookNow();
        assertThat(value("weir.stage.starved.seconds")).isEqualTo(10);
        pipeline.stages.set(0, withStarved(5));
        metrics.lookNow();
        assertThat(value("weir.stage.starved.seconds")).isCloseTo(11, within(1e-9));
    }

    private static StageSnapshot withStarved(long seconds) {
        return StageSnapshot.of("price", 4, 1, 1, 0, seconds * 1_000_000_000L, 0, 0, 1);
    }

    @Test
    void consumer_bound_addsUpItsPartitions() {
        consumer.partitions.add(StubConsumer.partition(0, Duration.ofSeconds(3), Paused.WINDOW));
        consumer.partitions.add(StubConsumer.partition(1, Duration.ofSeconds(8), Paused.WINDOW, Paused.USER));
        pipeline.handles.add(consumer);
        metrics.bindTo(registry);
        assertThat(value("weir.consumer.lag.records", "consumer", "[orders]")).isEqualTo(20);
        assertThat(value("weir.consumer.oldest.unfinished.seconds")).isEqualTo(8);
        assertThat(value("weir.consumer.lag.seconds")).isEqualTo(16);
        assertThat(value("weir.consumer.outstanding.records")).isEqualTo(14);
        assertThat(value("weir.consumer.buffered.records")).isEqualTo(8);
        assertThat(value("weir.consumer.inflight.records")).isEqualTo(6);
        assertThat(value("weir.consumer.commits")).isEqualTo(20);
        assertThat(value("weir.consumer.commits.failed")).isEqualTo(2);
        assertThat(value("weir.consumer.commit.age.seconds")).isEqualTo(10);
        assertThat(value("weir.consumer.assignments")).isEqualTo(2);
        assertThat(value("weir.consumer.rebalances")).isEqualTo(1);
        assertThat(value("weir.consumer.partitions")).isEqualTo(2);
        assertThat(value("weir.consumer.paused", "reason", "window")).isEqualTo(2);
        assertThat(value("weir.consumer.paused", "reason", "user")).isEqualTo(1);
        assertThat(value("weir.consumer.paused", "reason", "not_due")).isZero();
        assertThat(names()).noneMatch(name -> name.startsWith("weir.partition."));
    }

    /** Given a consumer that ends during a reading: the reading must succeed and show no other consumer's health. */
    @Test
    void consumer_thatGoesDuringAReading_spoilsNoOther() {
        StubConsumer returns = new StubConsumer("[returns]");
        StubMember member = new StubMember();
        pipeline.handles.addAll(List.of(consumer, returns, member));
        metrics.bindTo(registry);
        returns.health = ConsumerHealth.of(false, false, false, "because", null);
        member.lag = 7;
        returns.onDump = () -> pipeline.handles.remove(consumer);
        metrics.lookNow();
        assertThat(value("weir.share.lag.records")).isEqualTo(7);
        assertThat(registry.find("weir.consumer.live")
                        .tag("consumer", "[orders]")
                        .meter())
                .isNull();
        metrics.lookNow();
        assertThat(value("weir.consumer.live", "consumer", "[returns]")).isZero();
    }

    @Test
    void health_changes_isShown() {
        pipeline.handles.add(consumer);
        metrics.bindTo(registry);
        assertThat(value("weir.consumer.live")).isEqualTo(1);
        consumer.health = ConsumerHealth.of(true, false, false, "because", null);
        metrics.lookNow();
        assertThat(value("weir.consumer.live")).isEqualTo(1);
        assertThat(value("weir.consumer.ready")).isZero();
        assertThat(value("weir.consumer.progressing")).isZero();
    }

    @Test
    void partitions_onRequest_areRegisteredAndRemoved() {
        consumer.partitions.add(StubConsumer.partition(0, Duration.ofSeconds(3)));
        pipeline.handles.add(consumer);
        try (PipelineMetrics each = metrics.withPartitionTags()) {
            each.bindTo(registry);
            assertThat(value("weir.partition.lag.records", "topic", "orders", "partition", "0"))
                    .isEqualTo(10);
            assertThat(value("weir.partition.oldest.unfinished.seconds", "partition", "0"))
                    .isEqualTo(3);
            consumer.partitions.set(0, StubConsumer.partition(1, Duration.ZERO, Paused.BUDGET));
            each.lookNow();
            assertThat(registry.find("weir.partition.lag.records")
                            .tag("partition", "0")
                            .meter())
                    .isNull();
            assertThat(value("weir.partition.paused", "partition", "1")).isEqualTo(1);
            assertThat(value("weir.partition.oldest.unfinished.seconds", "partition", "1"))
                    .isZero();
        }
    }

    @Test
    void consumers_thatReadTheSame_areNumbered() {
        pipeline.handles.add(consumer);
        pipeline.handles.add(new StubConsumer("[orders]"));
        metrics.bindTo(registry);
        assertThat(value("weir.consumer.partitions", "consumer", "[orders]")).isZero();
        assertThat(value("weir.consumer.partitions", "consumer", "[orders] #2")).isZero();
    }

    @Test
    void deadLetters_ofSeveralWays_areAddedUp() {
        metrics.bindTo(registry);
        assertThat(names()).noneMatch(name -> name.startsWith("weir.deadletters."));
        pipeline.handles.add(deadLetters(5, 1, 2));
        pipeline.handles.add(deadLetters(7, 0, 3));
        metrics.lookNow();
        assertThat(value("weir.deadletters.written")).isEqualTo(12);
        assertThat(value("weir.deadletters.cut")).isEqualTo(1);
        assertThat(value("weir.deadletters.held")).isEqualTo(5);
    }

    private static DeadLetterHandle deadLetters(long written, long cut, int held) {
        return new DeadLetterHandle() {
            @Override
            public long written() {
                return written;
            }

            @Override
            public long cut() {
                return cut;
            }

            @Override
            public int held() {
                return held;
            }
        };
    }

    @Test
    void bindTo_twoRegistries_showsInBoth() {
        SimpleMeterRegistry second = new SimpleMeterRegistry();
        metrics.bindTo(registry);
        metrics.bindTo(second);
        pipeline.stages.add(StubPipeline.stage("price", 1, 1));
        metrics.lookNow();
        assertThat(registry.find("weir.stage.depth").meter()).isNotNull();
        assertThat(second.find("weir.stage.depth").meter()).isNotNull();
    }

    @Test
    void bindTo_secondPipelineOfOneName_isRefusedUnlessATagTellsThemApart() {
        metrics.bindTo(registry);
        try (PipelineMetrics second = PipelineMetrics.of(new StubPipeline("orders"))) {
            assertThatThrownBy(() -> second.bindTo(registry))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("orders");
        }
    }

    @Test
    void withTags_ownKey_isRefused() {
        assertThatThrownBy(() -> metrics.withTags(Tags.of("stage", "x")))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("stage");
        try (PipelineMetrics tagged = metrics.withTags(Tags.of("region", "eu"))) {
            tagged.bindTo(registry);
            assertThat(value("weir.pipeline.running", "region", "eu", "pipeline", "orders"))
                    .isEqualTo(1);
        }
    }

    @Test
    void close_removesMetersAndEndsTheThread() {
        metrics.bindTo(registry);
        assertThat(lookers()).isEqualTo(1);
        metrics.close();
        assertThat(registry.getMeters()).isEmpty();
        assertThat(lookers()).isZero();
        assertThatThrownBy(() -> metrics.bindTo(registry)).isInstanceOf(IllegalStateException.class);
    }

    private static long lookers() {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().equals("weir-metrics-orders"))
                .count();
    }

    @Test
    void pipeline_ends_leavesItsFinalCounts() throws InterruptedException {
        pipeline.stages.add(StubPipeline.stage("price", 1, 1));
        metrics.bindTo(registry);
        Thread looker = Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().equals("weir-metrics-orders"))
                .findFirst()
                .orElseThrow();
        pipeline.stages.set(0, StubPipeline.stage("price", 500, 500));
        pipeline.completion().complete(DrainReport.of(true, List.of(), Duration.ZERO, List.of()));
        looker.join();
        assertThat(value("weir.stage.elements.in")).isEqualTo(500);
        assertThat(value("weir.pipeline.running")).isZero();
    }

    @Test
    void look_thatFails_leavesTheMetersAndTheNextGoesOn() {
        pipeline.stages.add(StubPipeline.stage("price", 1, 1));
        metrics.bindTo(registry);
        pipeline.broken = true;
        metrics.lookNow();
        assertThat(value("weir.stage.elements.in")).isEqualTo(1);
        pipeline.broken = false;
        pipeline.stages.set(0, StubPipeline.stage("price", 3, 3));
        metrics.lookNow();
        assertThat(value("weir.stage.elements.in")).isEqualTo(3);
    }

    @Test
    void dispatchersAndBreakers_bound_areAskedAtEachScrape() {
        try (Dispatcher prices = Dispatcher.fixed("prices", 3)) {
            CircuitBreaker breaker = CircuitBreaker.consecutive(2, Duration.ofSeconds(10));
            DispatcherMetrics.of(prices).bindTo(registry);
            BreakerMetrics.of("shop", breaker).bindTo(registry);
            assertThat(value("weir.dispatcher.size", "dispatcher", "prices", "kind", "fixed"))
                    .isEqualTo(3);
            assertThat(value("weir.dispatcher.queued", "dispatcher", "virtual")).isZero();
            assertThat(value("weir.breaker.open", "breaker", "shop")).isZero();
        }
    }
}
