package dev.weir.bench.campaign;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.bench.explore.Verdict;
import dev.weir.bench.figures.TrialFigures;
import java.util.Objects;
import org.junit.jupiter.api.Test;

class EdgeLimiterTest {

    private static String sentence(double driverCores, double brokerCores) {
        TrialFigures busy = new TrialFigures(100, driverCores, brokerCores, 0.95, 5, 0.4, 16, Double.NaN);
        return Objects.requireNonNull(EdgeLimiter.of(Verdict.FOUND, busy, 1)).sentence();
    }

    /** The processor time of an existing cluster's brokers is unknown. */
    @Test
    void busyMachine_isNamedWithTheKnownFigures() {
        assertThat(sentence(1.2, 0.4))
                .isEqualTo("95 % of all processors were busy, members took 1.20, brokers took 0.40");
        assertThat(sentence(1.2, Double.NaN)).isEqualTo("95 % of all processors were busy, members took 1.20");
        assertThat(sentence(Double.NaN, Double.NaN)).isEqualTo("95 % of all processors were busy");
    }
}
