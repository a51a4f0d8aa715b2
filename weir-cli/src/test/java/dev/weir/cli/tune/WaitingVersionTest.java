package dev.weir.cli.tune;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.cli.terminal.CliFailure;
import dev.weir.cli.terminal.ExitCode;
import dev.weir.examples.asimov.AsimovLookups;
import dev.weir.metrics.Limiter;
import dev.weir.metrics.Limiter.Kind;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.junit.jupiter.api.Test;

class WaitingVersionTest {

    @Test
    void next_followsTheLimiter_fromThreadsToTheSizeOfTheirDispatcher() {
        try (Version first = WaitingVersion.first(Map.of());
                Version threads = next(first, Limiters.of(Kind.STAGE_WAIT, AsimovLookups.CUSTOMER, 3.2));
                Version more = next(threads, Limiters.of(Kind.STAGE_WAIT, AsimovLookups.CUSTOMER, 2));
                Version larger = next(more, Limiters.of(Kind.DISPATCHER, "lookups", 2.5))) {
            assertThat(first.expectedGain()).isEqualTo(1);
            assertThat(threads.change()).isEqualTo("look up customer on dispatcher lookups, 4 at once");
            assertThat(threads.expectedGain()).isEqualTo(3.2);
            assertThat(more.change())
                    .isEqualTo("look up customer with 8 at once instead of 4, and WEIR_DISPATCHER_LOOKUPS_SIZE=8");
            assertThat(larger.change()).isEqualTo("WEIR_DISPATCHER_LOOKUPS_SIZE=20: 20 threads instead of 8");
        }
    }

    /** The limiter is right that one of two full steps alone brings nothing. */
    @Test
    void next_whenBothStepsAreFull_raisesBothAsFarAsTheProcessorsAllow() {
        try (Version first = WaitingVersion.first(Map.of());
                Version one = next(first, Limiters.of(Kind.STAGE_WAIT, AsimovLookups.CUSTOMER, 2));
                Version both = next(one, Limiters.of(Kind.STAGE_WAIT, AsimovLookups.CONSENT, 3));
                Version more = next(both, Limiters.of(Kind.STAGE_WAIT, AsimovLookups.CUSTOMER, 1))) {
            assertThat(both.change())
                    .isEqualTo("look up consent on dispatcher lookups, 3 at once, and WEIR_DISPATCHER_LOOKUPS_SIZE=5");
            assertThat(more.change())
                    .isEqualTo("both with 8 and 12 at once instead of 2 and 3, and WEIR_DISPATCHER_LOOKUPS_SIZE=20");
            assertThat(more.expectedGain()).isEqualTo(4);
        }
    }

    /** On a machine that others fill the limiter sees no gain; the thread of all steps is given up all the same. */
    @Test
    void next_withoutGain_givesEachStepThreadsAndEnds() {
        Limiter limiter = Limiters.of(Kind.STAGE_WAIT, AsimovLookups.CUSTOMER, 1);
        try (Version first = WaitingVersion.first(Map.of());
                Version one = next(first, limiter);
                Version both = next(one, limiter)) {
            assertThat(one.change()).isEqualTo("look up customer on dispatcher lookups, 2 at once");
            assertThat(both.change()).isEqualTo("look up consent on dispatcher lookups, 2 at once");
            assertThat(both.next(new Measurement(100, limiter, 2, 0, Map.of(), "counters", 0), Set.of()))
                    .isNull();
        }
    }

    @Test
    void next_withoutWhatFailed_isTheOtherStep_thenBoth() {
        Limiter limiter = Limiters.of(Kind.STAGE_WAIT, AsimovLookups.CUSTOMER, 2);
        try (Version first = WaitingVersion.first(Map.of());
                Version one = next(first, limiter);
                Version both = next(one, Limiters.of(Kind.STAGE_WAIT, AsimovLookups.CONSENT, 3));
                Version other = Objects.requireNonNull(first.next(measured(limiter), Set.of(one.lever())));
                Version more = Objects.requireNonNull(both.next(measured(limiter), Set.of(one.lever())))) {
            assertThat(other.change()).startsWith("look up consent on dispatcher lookups");
            assertThat(more.change()).startsWith("both with 8 and 12 at once");
            assertThat(both.next(measured(limiter), Set.of(one.lever(), more.lever())))
                    .isNull();
            assertThat(first.next(measured(limiter), Set.of(one.lever(), other.lever())))
                    .isNull();
            Measurement full = measured(Limiters.of(Kind.DISPATCHER, "lookups", 2.5));
            try (Version larger = Objects.requireNonNull(one.next(full, Set.of()))) {
                assertThat(one.next(full, Set.of(larger.lever()))).isNull();
            }
        }
    }

    @Test
    void next_whenNoLookUpLimits_isNone() {
        try (Version first = WaitingVersion.first(Map.of())) {
            assertThat(first.next(measured(Limiters.of(Kind.DISPATCHER, "lookups", 1.05)), Set.of()))
                    .isNull();
            assertThat(first.next(measured(Limiters.of(Kind.MACHINE_CPU, "machine-cpu", 2)), Set.of()))
                    .isNull();
            assertThat(first.next(measured(Limiters.cpu("decompress", 2)), Set.of()))
                    .isNull();
        }
    }

    @Test
    void first_withVariablesOfOtherPrograms_takesItsOwnAlone() {
        Map<String, String> environment =
                Map.of("WEIR_DISPATCHER_CPU_SIZE", "none", "WEIR_DISPATCHER_LOOKUPS_SIZE", "6");
        try (Version first = WaitingVersion.first(environment);
                Version larger = next(first, Limiters.of(Kind.DISPATCHER, "lookups", 2))) {
            assertThat(larger.change()).isEqualTo("WEIR_DISPATCHER_LOOKUPS_SIZE=12: 12 threads instead of 6");
        }
    }

    /** A dispatcher that is larger than needed stays as it is. */
    @Test
    void next_whenTheDispatcherHasThreadsToSpare_raisesTheLookUpsAlone() {
        try (Version first = WaitingVersion.first(Map.of("WEIR_DISPATCHER_LOOKUPS_SIZE", "64"));
                Version one = next(first, Limiters.of(Kind.STAGE_WAIT, AsimovLookups.CUSTOMER, 2));
                Version both = next(one, Limiters.of(Kind.STAGE_WAIT, AsimovLookups.CONSENT, 3));
                Version more = next(both, Limiters.of(Kind.STAGE_WAIT, AsimovLookups.CUSTOMER, 1))) {
            assertThat(both.change()).isEqualTo("look up consent on dispatcher lookups, 3 at once");
            assertThat(more.change()).isEqualTo("both with 8 and 12 at once instead of 2 and 3");
        }
    }

    @Test
    void first_withABadVariable_isWrongUsage() {
        assertThatThrownBy(() -> WaitingVersion.first(Map.of("WEIR_DISPATCHER_LOOKUPS_SIZE", "many")))
                .isInstanceOfSatisfying(
                        CliFailure.class,
                        failure -> assertThat(failure.exitCode()).isEqualTo(ExitCode.WRONG_USAGE))
                .hasMessageContaining("WEIR_DISPATCHER_LOOKUPS_SIZE");
    }

    private static Version next(Version version, Limiter limiter) {
        return Objects.requireNonNull(version.next(measured(limiter), Set.of()));
    }

    private static Measurement measured(Limiter limiter) {
        return new Measurement(100, limiter, 0.5, 1.5, Map.of(), "counters", 0);
    }
}
