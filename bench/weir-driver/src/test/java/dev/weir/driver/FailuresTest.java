package dev.weir.driver;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.Map;
import org.junit.jupiter.api.Test;

class FailuresTest {

    @Test
    void record_failsAsOftenAsIsDrawn_thenSucceeds_forEveryLibraryAlike() {
        Failures one = Failures.of(Map.of(Failures.SHARE, "0.5"));
        Failures other = Failures.of(Map.of(Failures.SHARE, "0.5"));
        for (int number = 0; number < 1000; number++) {
            assertThat(callsFor(one, 3, number))
                    .isEqualTo(callsFor(other, 3, number))
                    .isEqualTo(1 + Failures.of(0.5, 3, number));
        }
        assertThat(one.count()).isEqualTo(other.count()).isPositive();
    }

    @Test
    void share_isThatOfAllCalls_andOnePartitionsFailuresAreNotTheOthers() {
        long failed = Failures.inAll(0.1, 4, 25_000);
        assertThat(failed / (failed + 100_000.0)).isCloseTo(0.1, within(0.005));
        assertThat(Failures.inAll(0.1, 1, 25_000)).isNotEqualTo(failed / 4.0);
        assertThat(Failures.inAll(0, 4, 1000)).isZero();
    }

    /** Regression: with nine failing calls in ten, drivers seemed to reach 146 % of the ceiling. */
    @Test
    void meanCalls_areThoseThatAreDrawn_boundedOrNot() {
        for (double share : new double[] {0, 0.1, 0.9}) {
            double drawn = 1 + Failures.inAll(share, 1, 100_000) / 100_000.0;
            assertThat(Failures.meanCalls(share)).isCloseTo(drawn, within(0.1));
        }
        assertThat(Failures.meanCalls(0.9)).isLessThan(7);
    }

    @Test
    void mostFailures_areBounded() {
        for (int number = 0; number < 10_000; number++) {
            assertThat(Failures.of(0.9, 0, number)).isLessThanOrEqualTo(Failures.MOST);
        }
    }

    private static int callsFor(Failures failures, int partition, long number) {
        for (int calls = 1; ; calls++) {
            try {
                failures.attempt(partition, number);
                return calls;
            } catch (HandlerFailure failed) {
                assertThat(failed.getStackTrace()).isEmpty();
            }
        }
    }
}
