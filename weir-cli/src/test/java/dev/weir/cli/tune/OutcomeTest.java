package dev.weir.cli.tune;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.cli.tune.Outcome.Verdict;
import dev.weir.metrics.Limiter.Kind;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

class OutcomeTest {

    @Test
    void verdict_isEqual_withinThreePercentBothWays() {
        assertThat(outcome(104, "LEAN").verdict()).isEqualTo(Verdict.FASTER);
        assertThat(outcome(102, "LEAN").verdict()).isEqualTo(Verdict.EQUAL);
        assertThat(outcome(98, "LEAN").verdict()).isEqualTo(Verdict.EQUAL);
        assertThat(outcome(96, "LEAN").verdict()).isEqualTo(Verdict.SLOWER);
    }

    @Test
    void equalOne_staysIfItIsCheaperCode_andSlowerOneNever() {
        assertThat(outcome(98, "parse URL").isTakenBack()).isFalse();
        assertThat(outcome(98, "LEAN").isTakenBack()).isTrue();
        assertThat(outcome(98, ComputingVersion.THREADS + "parse URL").isTakenBack())
                .isTrue();
        assertThat(outcome(96, "parse URL").isTakenBack()).isTrue();
        assertThat(outcome(104, "LEAN").isTakenBack()).isFalse();
    }

    @Test
    void gain_isClear_fromFivePercentOn() {
        assertThat(outcome(106, "LEAN").isClear()).isTrue();
        assertThat(outcome(104, "LEAN").isClear()).isFalse();
    }

    /** After a version that did a hundred a second. */
    private static Outcome outcome(double rate, String lever) {
        Version version = new ComputingVersion("a change", lever, 1.1, Set.of(), Set.of(), Set.of());
        Measurement measured = new Measurement(rate, Limiters.of(Kind.GC, "gc", 1), 1, 1, Map.of(), "counters", 0);
        return Outcome.of(2, version, measured, 1, 100, false);
    }
}
