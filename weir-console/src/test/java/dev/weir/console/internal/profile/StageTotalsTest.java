package dev.weir.console.internal.profile;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.console.internal.profile.Sample.Kind;
import dev.weir.console.profile.StageProfile.Method;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests the CPU and wall time of methods, alone and with the methods that they call. */
class StageTotalsTest {

    private static final long MILLI = 1_000_000;
    private static final Frame ENGINE = Frame.of("dev.weir.stream.internal.operator.MapStage", "pull");
    private static final Frame OUTER = Frame.of("shop.Pricing", "price");
    private static final Frame INNER = Frame.of("shop.Tax", "rate");

    private static Sample sample(Kind kind, long amount, Frame... innermostFirst) {
        return new Sample(kind, 1, 0, amount, "park", new CallStack(List.of(innermostFirst), false));
    }

    /** Regression: a method that waits seemed to cost nothing. */
    @ParameterizedTest
    @ValueSource(ints = {1, 5, 20})
    void methods_haveCpuAndWallTime_selfAndWithWhatTheyCall(int periodMillis) {
        StageTotals totals = new StageTotals();
        for (int i = 0; i < 30; i++) {
            totals.add(sample(Kind.CPU, 1, INNER, OUTER, ENGINE));
        }
        for (int i = 0; i < 10; i++) {
            totals.add(sample(Kind.CPU, 1, OUTER, ENGINE));
        }
        totals.add(sample(Kind.WAIT, 700 * MILLI, OUTER, ENGINE));
        totals.add(sample(Kind.WAIT, 50 * MILLI, INNER, OUTER, ENGINE));

        assertThat(totals.profile("price", 40, periodMillis * MILLI).top())
                .containsExactlyInAnyOrder(
                        new Method("shop.Pricing.price", 0.25, 1, 10L * periodMillis + 700, 40L * periodMillis + 750),
                        new Method("shop.Tax.rate", 0.75, 0.75, 30L * periodMillis + 50, 30L * periodMillis + 50));
    }

    @Test
    void methodThatOnlyWaits_isListedFirstIfItTakesMostOfTheTime() {
        StageTotals totals = new StageTotals();
        totals.add(sample(Kind.CPU, 1, INNER, ENGINE));
        totals.add(sample(Kind.WAIT, 900 * MILLI, OUTER, ENGINE));

        assertThat(totals.profile("price", 1, 5 * MILLI).top())
                .first()
                .isEqualTo(new Method("shop.Pricing.price", 0, 0, 900, 900));
    }

    @Test
    void methodThatCallsItself_countsOnce() {
        StageTotals totals = new StageTotals();
        totals.add(sample(Kind.CPU, 1, INNER, INNER, INNER, ENGINE));
        totals.add(sample(Kind.WAIT, 10 * MILLI, INNER, INNER, ENGINE));

        assertThat(totals.profile("price", 1, 5 * MILLI).top())
                .containsExactly(new Method("shop.Tax.rate", 1, 1, 15, 15));
    }
}
