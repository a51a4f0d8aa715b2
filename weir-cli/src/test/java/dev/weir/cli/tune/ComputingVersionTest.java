package dev.weir.cli.tune;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.weir.cli.tune.ComputingVersion.Setting;
import dev.weir.metrics.Limiter;
import dev.weir.metrics.Limiter.Kind;
import java.util.EnumSet;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class ComputingVersionTest {

    @Test
    void next_ofTheNaiveOne_replacesTheStepWithTheLargestShare() {
        Version next = ComputingVersion.first()
                .next(measured(
                        Limiters.cpu("parse JSON", 2), Map.of("parse JSON", 0.2, "parse URL", 0.5, "decompress", 0.3)), Set.of());

        assertThat(((ComputingVersion) Objects.requireNonNull(next)).naive()).isEqualTo(EnumSet.of(Step.JSON, Step.LZ));
        assertThat(next.change()).contains("java.net.URI", "parse URL has 50 %", "by the counters", "no threads yet");
        assertThat(next.expectedGain()).isPositive();
    }

    /** The limiter's gain is that of threads for the heaviest step alone. */
    @Test
    void next_ofOneThread_isTodaysPipelineWithTheGainOfThreadsForAllSteps() {
        Version fused = version(0);
        Limiter limiter = Limiters.cpu("decompress", 1.13);
        int processors = Runtime.getRuntime().availableProcessors();
        Map<String, Double> shares = Map.of("decompress", 0.9, "route", 0.8);

        Version bounded = Objects.requireNonNull(
                fused.next(new Measurement(1000, limiter, 1, 0.5, Map.of("decompress", 0.9), "counters", 0), Set.of()));
        Version bySerialStep =
                Objects.requireNonNull(fused.next(new Measurement(1000, limiter, 1, 99, shares, "counters", 0), Set.of()));
        Version full = Objects.requireNonNull(fused.next(measured(limiter, Map.of()), Set.of()));

        assertThat(bounded.change()).startsWith("today's pipeline");
        assertThat(bounded.expectedGain()).isEqualTo(Math.min(processors, 1.5));
        assertThat(bySerialStep.expectedGain()).isEqualTo(Math.min(processors, 1.25));
        assertThat(full.expectedGain()).isEqualTo(1);
    }

    @Test
    void next_ofTodaysPipeline_changesTheSettingThatTheLimiterNames_once() {
        Limiter fetch = Limiters.of(Kind.SOURCE_FETCH, "events", 1.4);
        Limiter producer = Limiters.of(Kind.PRODUCER, "produce", 1.3);

        Version lean = Objects.requireNonNull(version(2).next(measured(fetch, Map.of()), Set.of()));
        Version batches = Objects.requireNonNull(version(2).next(measured(producer, Map.of()), Set.of()));

        assertThat(settings(lean)).containsExactly(Setting.LEAN);
        assertThat(lean.expectedGain()).isEqualTo(1.4);
        assertThat(settings(batches)).containsExactly(Setting.LARGE_BATCHES);
        assertThat(version(2, Setting.LEAN).next(measured(fetch, Map.of()), Set.of())).isNull();
        assertThat(version(2, Setting.LARGE_BATCHES).next(measured(producer, Map.of()), Set.of()))
                .isNull();
        assertThat(version(2).next(measured(Limiters.of(Kind.MACHINE_CPU, "machine-cpu", 1.7), Map.of()), Set.of()))
                .isNull();
    }

    @Test
    void next_onAFullMachine_isTheLeanPathWithTheGainOfTheClientsShare_once() {
        Limiter machine = Limiters.of(Kind.MACHINE_CPU, "machine-cpu", 1.7);

        Version lean = Objects.requireNonNull(version(2).next(withClients(machine, 0, 0.4), Set.of()));

        assertThat(lean.change()).contains("lean path", "40 % of them");
        assertThat(settings(lean)).containsExactly(Setting.LEAN);
        assertThat(lean.expectedGain()).isCloseTo(1 / (1 - 0.4 * 0.7), within(1e-9));
        assertThat(version(2, Setting.LEAN).next(withClients(machine, 0, 0.4), Set.of())).isNull();
        assertThat(version(2).next(withClients(machine, 0, 0.01), Set.of())).isNull();
        assertThat(version(2).next(withClients(machine, 1, 0.4), Set.of())).isNull();
    }

    private static Measurement withClients(Limiter limiter, double freeCores, double clientShare) {
        return new Measurement(1000, limiter, 2, freeCores, Map.of(), "profile", clientShare);
    }

    @Test
    void next_ofSeveralSettings_isTheOneThatPromisesMost_andNoneThatPromisesLittle() {
        Limiter producer = Limiters.of(Kind.PRODUCER, "produce", 1.1);
        Limiter little = Limiters.of(Kind.PRODUCER, "produce", 1.01);

        assertThat(settings(version(2).next(withClients(producer, 0, 0.01), Set.of()))).containsExactly(Setting.LARGE_BATCHES);
        assertThat(settings(version(2).next(withClients(producer, 0, 0.4), Set.of()))).containsExactly(Setting.LEAN);
        assertThat(settings(version(2, Setting.LEAN).next(withClients(producer, 0, 0.4), Set.of())))
                .containsExactlyInAnyOrder(Setting.LEAN, Setting.LARGE_BATCHES);
        assertThat(version(2).next(withClients(little, 0, 0.01), Set.of())).isNull();
    }

    /** What brought nothing at this version is left out; at another one it is tried again, if it promises something. */
    @Test
    void next_withoutWhatFailed_isTheNextBest() {
        Limiter producer = Limiters.of(Kind.PRODUCER, "produce", 1.5);
        Limiter machine = Limiters.of(Kind.MACHINE_CPU, "machine-cpu", 1.7);
        Map<String, Double> shares = Map.of("parse JSON", 0.2, "parse URL", 0.5, "decompress", 0.3);

        ComputingVersion cheaper = (ComputingVersion) Objects.requireNonNull(
                ComputingVersion.first().next(measured(machine, shares), Set.of("parse URL")));
        Version lean = version(2).next(withClients(producer, 0, 0.4), Set.of("LARGE_BATCHES"));
        Version leanOnOneThread = version(0).next(withClients(machine, 0, 0.4), Set.of("threads"));

        assertThat(cheaper.lever()).isEqualTo("decompress");
        assertThat(cheaper.staysWithoutGain()).isTrue();
        assertThat(settings(lean)).containsExactly(Setting.LEAN);
        assertThat(Objects.requireNonNull(lean).staysWithoutGain()).isFalse();
        assertThat(version(2).next(withClients(producer, 0, 0.4), Set.of("LARGE_BATCHES", "LEAN")))
                .isNull();
        assertThat(settings(leanOnOneThread)).containsExactly(Setting.LEAN);
        assertThat(leanOnOneThread.change()).startsWith("one thread on the lean path");
        assertThat(version(0, Setting.LEAN).next(withClients(machine, 0, 0.4), Set.of())).isNull();
        Version threads = Objects.requireNonNull(
                version(0, Setting.LEAN).next(withClients(machine, 1, 0.4), Set.of()));
        assertThat(threads.lever()).isEqualTo(ComputingVersion.THREADS);
        assertThat(threads.change()).startsWith("today's pipeline with the lean path: ");
        assertThat(settings(threads)).containsExactly(Setting.LEAN);
    }

    private static Set<Setting> settings(@Nullable Version version) {
        return ((ComputingVersion) Objects.requireNonNull(version)).settings();
    }

    private static ComputingVersion version(int threads, Setting... settings) {
        return new ComputingVersion("a change", "", 1, Set.of(), threads, Set.of(settings));
    }

    private static Measurement measured(Limiter limiter, Map<String, Double> shares) {
        return new Measurement(1000, limiter, 2, 0, shares, "counters", 0);
    }
}
