package dev.weir.bench.report;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.bench.result.Phase;
import java.util.List;
import org.junit.jupiter.api.Test;

class CaptionsTest {

    private static Phase phase(int seconds, double rate, long sent, long records, double p99Millis, long lag) {
        return new Phase(
                0,
                seconds * 1000L,
                "start",
                rate,
                5,
                60,
                sent,
                records,
                records / (double) seconds,
                p99Millis / 2,
                p99Millis,
                lag);
    }

    /** The group sustains its rate, collapses after a restart, and is drained. */
    @Test
    void captions_sayWhatIsSeen() {
        assertThat(Captions.of(List.of(
                        phase(20, 10_800, 216_000, 215_900, 40, 100),
                        phase(20, 10_800, 216_000, 95_200, Double.NaN, 120_900),
                        phase(10, 0, 0, 120_900, 30_000, 0),
                        phase(10, 0, 0, 0, Double.NaN, 0))))
                .containsExactly(
                        "keeps up with 10,800 records a second, 99 in 100 of them within 40.0 ms",
                        "falls behind: of 10,800 records a second, 4,760 are handled, 44 %; the lag at the end is 120,900",
                        "nothing is sent: the lag goes from 120,900 to 0 records",
                        "nothing is sent, and nothing was left");
    }

    /** A phase that lasts for 10.3 s can have the figures of 11 whole seconds. */
    @Test
    void rateOfWhatWasSent_isOfTheSecondsWithFigures() {
        assertThat(Captions.of(List.of(
                        new Phase(300, 10_600, "start", 1_000, 5, 60, 11_000, 11_000, 1_000, 4, 9, 0),
                        new Phase(10_600, 20_900, "set", 1_000, 5, 60, 11_000, 10_400, 945.5, 4, 9, 600),
                        new Phase(20_900, 31_200, "set", 1_000, 5, 60, 11_000, 10_900, 990.9, 4, 9, 700),
                        new Phase(31_200, 34_000, "kill", 1_000, 5, 60, 3_000, 0, 0, Double.NaN, Double.NaN, 3_700))))
                .containsExactly(
                        "keeps up with 1,000 records a second, 99 in 100 of them within 9.00 ms",
                        "falls behind: of 1,000 records a second, 946 are handled, 95 %; the lag at the end is 600",
                        "keeps a steady lag: 991 a second are handled, 700 records are waiting,"
                                + " 99 in 100 of them within 9.00 ms",
                        "falls behind: of 1,071 records a second, 0 are handled, 0 %; the lag at the end is 3,700");
    }

    @Test
    void backlog_thatShrinksOrStays_isToldApart() {
        assertThat(Captions.of(List.of(
                        phase(10, 1_000, 10_000, 4_000, 900, 6_000),
                        phase(10, 1_000, 10_000, 12_000, 5_000, 4_000),
                        phase(10, 1_000, 10_000, 10_000, 4_000, 4_000),
                        new Phase(0, 100, "end", 1_000, 5, 60, 0, 0, Double.NaN, Double.NaN, Double.NaN, 0))))
                .satisfiesExactly(
                        first -> assertThat(first)
                                .startsWith("falls behind: of 1,000 records a second, 400 are handled"),
                        second -> assertThat(second).startsWith("catches up: from 6,000 records behind to 4,000"),
                        third -> assertThat(third).startsWith("keeps a steady lag: 1,000 a second are handled"),
                        fourth -> assertThat(fourth).isEqualTo("too short to measure"));
    }
}
