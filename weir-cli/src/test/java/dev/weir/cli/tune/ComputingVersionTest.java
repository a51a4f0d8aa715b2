package dev.weir.cli.tune;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.metrics.Limiter;
import dev.weir.metrics.Limiter.Kind;
import java.util.EnumSet;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.junit.jupiter.api.Test;

class ComputingVersionTest {

    @Test
    void next_ofTheNaiveOne_replacesTheStepWithTheLargestShare() {
        Version next = ComputingVersion.first()
                .next(measured(
                        Limiters.cpu("parse JSON", 2), Map.of("parse JSON", 0.2, "parse URL", 0.5, "decompress", 0.3)));

        assertThat(((ComputingVersion) Objects.requireNonNull(next)).naive()).isEqualTo(EnumSet.of(Step.JSON, Step.LZ));
        assertThat(next.change()).contains("java.net.URI", "parse URL has 50 %", "by the counters");
        assertThat(next.expectedGain()).isPositive();
    }

    /** Another limiter's gain is that of another change. */
    @Test
    void next_ofOneThread_isTodaysPipelineWithTheGainThatThreadsHave() {
        Version fused = version(0, false, false);

        Version byStage = Objects.requireNonNull(fused.next(measured(Limiters.cpu("decompress", 1.7), Map.of())));
        Version byProcessors = Objects.requireNonNull(
                fused.next(measured(Limiters.of(Kind.MACHINE_CPU, "machine-cpu", 1.7), Map.of())));

        assertThat(byStage.change()).startsWith("today's pipeline");
        assertThat(byStage.expectedGain()).isEqualTo(1.7);
        assertThat(byProcessors.expectedGain()).isEqualTo(1);
    }

    @Test
    void next_ofTodaysPipeline_changesTheSettingThatTheLimiterNames_once() {
        Limiter fetch = Limiters.of(Kind.SOURCE_FETCH, "events", 1.4);
        Limiter producer = Limiters.of(Kind.PRODUCER, "produce", 1.3);

        Version lean = Objects.requireNonNull(version(2, false, false).next(measured(fetch, Map.of())));
        Version batches = Objects.requireNonNull(version(2, false, false).next(measured(producer, Map.of())));

        assertThat(lean)
                .isInstanceOfSatisfying(
                        ComputingVersion.class,
                        version -> assertThat(version.lean()).isTrue());
        assertThat(lean.expectedGain()).isEqualTo(1.4);
        assertThat(batches)
                .isInstanceOfSatisfying(
                        ComputingVersion.class,
                        version -> assertThat(version.largeBatches()).isTrue());
        assertThat(version(2, true, false).next(measured(fetch, Map.of()))).isNull();
        assertThat(version(2, false, true).next(measured(producer, Map.of()))).isNull();
        assertThat(version(2, false, false).next(measured(Limiters.of(Kind.MACHINE_CPU, "machine-cpu", 1.7), Map.of())))
                .isNull();
    }

    private static ComputingVersion version(int threads, boolean lean, boolean largeBatches) {
        return new ComputingVersion("a change", 1, Set.of(), threads, lean, largeBatches);
    }

    private static Measurement measured(Limiter limiter, Map<String, Double> shares) {
        return new Measurement(1000, limiter, 2, 0, shares, "counters");
    }
}
