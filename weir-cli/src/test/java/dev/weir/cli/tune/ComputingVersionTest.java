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
                .next(
                        measured(
                                Limiters.cpu("parse JSON", 2),
                                Map.of("parse JSON", 0.2, "parse URL", 0.5, "decompress", 0.3)),
                        Set.of());

        assertThat(((ComputingVersion) Objects.requireNonNull(next)).naive()).isEqualTo(EnumSet.of(Step.JSON, Step.LZ));
        assertThat(next.change()).contains("java.net.URI", "parse URL has 50 %", "by the counters", "no threads yet");
        assertThat(next.expectedGain()).isPositive();
    }

    @Test
    void next_ofAStageThatComputes_givesItThreads_once() {
        Limiter limiter = Limiters.cpu("decompress", 1.18);

        ComputingVersion threads =
                (ComputingVersion) Objects.requireNonNull(version().next(measured(limiter, Map.of()), Set.of()));

        assertThat(threads.threaded()).containsExactly("decompress");
        assertThat(threads.change())
                .isEqualTo("decompress with %d threads of its own, in order"
                        .formatted(Runtime.getRuntime().availableProcessors()));
        assertThat(threads.expectedGain()).isEqualTo(1.18);
        assertThat(threads.next(measured(limiter, Map.of()), Set.of())).isNull();
        assertThat(version().next(measured(Limiters.cpu("route", 2), Map.of()), Set.of()))
                .isNull();
        assertThat(version().next(measured(Limiters.cpu("decompress", 1.02), Map.of()), Set.of()))
                .isNull();
        ComputingVersion both = (ComputingVersion)
                Objects.requireNonNull(threads.next(measured(Limiters.cpu("parse JSON", 1.3), Map.of()), Set.of()));
        assertThat(both.threaded()).containsExactlyInAnyOrder("decompress", "parse JSON");
    }

    @Test
    void next_ofTodaysPipeline_changesTheSettingThatTheLimiterNames_once() {
        Limiter fetch = Limiters.of(Kind.SOURCE_FETCH, "events", 1.4);
        Limiter producer = Limiters.of(Kind.PRODUCER, "produce", 1.3);

        Version lean = Objects.requireNonNull(version().next(measured(fetch, Map.of()), Set.of()));
        Version batches = Objects.requireNonNull(version().next(measured(producer, Map.of()), Set.of()));

        assertThat(settings(lean)).containsExactly(Setting.LEAN);
        assertThat(lean.expectedGain()).isEqualTo(1.4);
        assertThat(settings(batches)).containsExactly(Setting.LARGE_BATCHES);
        assertThat(version(Setting.LEAN).next(measured(fetch, Map.of()), Set.of()))
                .isNull();
        assertThat(version(Setting.LARGE_BATCHES).next(measured(producer, Map.of()), Set.of()))
                .isNull();
        assertThat(version().next(measured(Limiters.of(Kind.MACHINE_CPU, "machine-cpu", 1.7), Map.of()), Set.of()))
                .isNull();
    }

    @Test
    void next_onAFullMachine_isTheLeanPathWithTheGainOfTheClientsShare_once() {
        Limiter machine = Limiters.of(Kind.MACHINE_CPU, "machine-cpu", 1.7);

        Version lean = Objects.requireNonNull(version().next(withClients(machine, 0, 0.4), Set.of()));

        assertThat(lean.change()).contains("lean path", "40 % of them");
        assertThat(settings(lean)).containsExactly(Setting.LEAN);
        assertThat(lean.expectedGain()).isCloseTo(1 / (1 - 0.4 * 0.7), within(1e-9));
        assertThat(version(Setting.LEAN).next(withClients(machine, 0, 0.4), Set.of()))
                .isNull();
        assertThat(version().next(withClients(machine, 0, 0.01), Set.of())).isNull();
        assertThat(version().next(withClients(machine, 1, 0.4), Set.of())).isNull();
    }

    private static Measurement withClients(Limiter limiter, double freeCores, double clientShare) {
        return new Measurement(1000, limiter, 2, freeCores, Map.of(), "profile", clientShare);
    }

    @Test
    void next_ofSeveralSettings_isTheOneThatPromisesMost_andNoneThatPromisesLittle() {
        Limiter producer = Limiters.of(Kind.PRODUCER, "produce", 1.1);
        Limiter little = Limiters.of(Kind.PRODUCER, "produce", 1.01);

        assertThat(settings(version().next(withClients(producer, 0, 0.01), Set.of())))
                .containsExactly(Setting.LARGE_BATCHES);
        assertThat(settings(version().next(withClients(producer, 0, 0.4), Set.of())))
                .containsExactly(Setting.LEAN);
        assertThat(settings(version(Setting.LEAN).next(withClients(producer, 0, 0.4), Set.of())))
                .containsExactlyInAnyOrder(Setting.LEAN, Setting.LARGE_BATCHES);
        assertThat(version().next(withClients(little, 0, 0.01), Set.of())).isNull();
    }

    /** What brought nothing at this version is left out; at another one it is tried again, if it promises something. */
    @Test
    void next_withoutWhatFailed_isTheNextBest() {
        Limiter producer = Limiters.of(Kind.PRODUCER, "produce", 1.5);
        Limiter machine = Limiters.of(Kind.MACHINE_CPU, "machine-cpu", 1.7);
        Map<String, Double> shares = Map.of("parse JSON", 0.2, "parse URL", 0.5, "decompress", 0.3);

        // Costs are measured for seconds, which the first test does.
        ComputingVersion cheaper = (ComputingVersion) Objects.requireNonNull(
                ComputingVersion.first().next(measured(machine, shares), Set.of("parse URL"), step -> 0.1));
        Version lean = version().next(withClients(producer, 0, 0.4), Set.of("LARGE_BATCHES"));
        Version leanInsteadOfThreads =
                version().next(withClients(Limiters.cpu("decompress", 1.5), 0, 0.4), Set.of("threads of decompress"));

        assertThat(cheaper.lever()).isEqualTo("decompress");
        assertThat(cheaper.staysWithoutGain()).isTrue();
        assertThat(settings(lean)).containsExactly(Setting.LEAN);
        assertThat(Objects.requireNonNull(lean).staysWithoutGain()).isFalse();
        assertThat(version().next(withClients(producer, 0, 0.4), Set.of("LARGE_BATCHES", "LEAN")))
                .isNull();
        assertThat(settings(leanInsteadOfThreads)).containsExactly(Setting.LEAN);
        Version threads = Objects.requireNonNull(
                version(Setting.LEAN).next(measured(Limiters.cpu("decompress", 1.1), Map.of()), Set.of()));
        assertThat(threads.lever()).isEqualTo(ComputingVersion.THREADS + "decompress");
        assertThat(settings(threads)).containsExactly(Setting.LEAN);
    }

    private static Set<Setting> settings(@Nullable Version version) {
        return ((ComputingVersion) Objects.requireNonNull(version)).settings();
    }

    private static ComputingVersion version(Setting... settings) {
        return new ComputingVersion("a change", "", 1, Set.of(), Set.of(), Set.of(settings));
    }

    private static Measurement measured(Limiter limiter, Map<String, Double> shares) {
        return new Measurement(1000, limiter, 2, 0, shares, "counters", 0);
    }
}
