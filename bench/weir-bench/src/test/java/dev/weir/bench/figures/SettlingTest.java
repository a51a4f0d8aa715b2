package dev.weir.bench.figures;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.bench.RunFailure;
import dev.weir.driver.HandlerTime;
import dev.weir.driver.LedgerFigures;
import dev.weir.driver.Report;
import dev.weir.driver.Usage;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class SettlingTest {
    private static final long SECOND = 1_000_000_000;

    private static final Report.Passed PASSED = new Report.Passed(
            false,
            1000,
            10_000,
            10 * SECOND,
            SECOND,
            1,
            new Usage(900, 90, 9, 8, 7, 6, 5, 4, 3),
            new LedgerFigures(1000, 0, 0, 0, 0),
            Map.of(),
            new HandlerTime(1000, 5000));

    @Test
    void none_leavesThePassAsItIs() {
        Settling settling = new Settling(0);
        assertThat(settling.isOver()).isTrue();
        assertThat(settling.rest(PASSED, 100)).isSameAs(PASSED);
    }

    @Test
    void whatCameBefore_doesNotCount() {
        Settling settling = new Settling(2);
        assertThat(settling.endsWith(interval(SECOND, 10, false))).isFalse();
        assertThat(settling.endsWith(interval(2 * SECOND, 90, false))).isTrue();
        Report.Passed rest = settling.rest(PASSED, 100);
        assertThat(rest.records()).isEqualTo(900);
        assertThat(rest.bytes()).isEqualTo(9_000);
        assertThat(rest.nanos()).isEqualTo(8 * SECOND);
        assertThat(rest.joinNanos()).isEqualTo(SECOND);
        assertThat(rest.usage().cpuNanos()).isEqualTo(700);
        assertThat(rest.usage().voluntarySwitches())
                .as("not counted by interval")
                .isEqualTo(-1);
        assertThat(rest.handlers()).isEqualTo(new HandlerTime(800, 3000));
        assertThat(rest.ledger()).isEqualTo(PASSED.ledger());
    }

    @Test
    void passThatEndsBefore_isRefused_withTheWayOut() {
        Settling settling = new Settling(2);
        assertThat(settling.endsWith(interval(3 * SECOND, 1000, true))).isFalse();
        assertThatThrownBy(() -> settling.rest(PASSED, 1))
                .isInstanceOf(RunFailure.class)
                .hasMessageContaining("1,000 records of a pass came, none of them after method.settleSeconds, 2.0 s");
    }

    /** A pass that ends just after its settling time measures only a few milliseconds. */
    @Test
    void topicThatIsReadJustAfter_isRefused_withTheWayOut() {
        assertThatThrownBy(() -> settled().rest(complete(2_090_000_000), 1))
                .isInstanceOf(RunFailure.class)
                .hasMessageContaining(
                        "all 1,000 records of a pass came within 2.1 s, of which method.settleSeconds leave"
                                + " 0.090 s for method.measureSeconds, 1.0 s: set topic.records higher");
        assertThat(settled().rest(complete(2_110_000_000), 1).nanos()).isEqualTo(110_000_000);
    }

    private static Settling settled() {
        Settling settling = new Settling(2);
        assertThat(settling.endsWith(interval(2 * SECOND, 90, false))).isTrue();
        return settling;
    }

    private static Report.Passed complete(long nanos) {
        return new Report.Passed(
                true, 1000, 10_000, nanos, SECOND, 1, PASSED.usage(), PASSED.ledger(), Map.of(), PASSED.handlers());
    }

    private static Report.Interval interval(long atNanos, long records, boolean last) {
        return new Report.Interval(
                atNanos,
                records,
                records * 10,
                new Usage(100, 1, 0, 0, -1, -1, 0, 0, -1),
                new HandlerTime(100, 1000),
                List.of(),
                last);
    }
}
