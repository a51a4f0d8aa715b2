package dev.weir.bench.figures;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.driver.HandlerTime;
import dev.weir.driver.Report;
import dev.weir.driver.Usage;
import java.util.List;
import org.junit.jupiter.api.Test;

class ColdStartTest {
    private static final long MILLIS = 1_000_000;
    private static final Usage NONE = new Usage(0, 0, 0, 0, -1, -1, 0, 0, -1);

    private final ColdStart coldStart = new ColdStart();

    @Test
    void firstWholeSecondAtTheRate_ends_countedFromTheOrder() {
        add(500, 400);
        add(1000, 900);
        add(1500, 900);
        add(2000, 980);
        add(2500, 1000);
        coldStart.ends(300 * MILLIS);
        assertThat(coldStart.secondsTo(1000)).isEqualTo(0.3 + 1);
        assertThat(coldStart.secondsTo(1900)).isEqualTo(0.3 + 2.5);
        assertThat(coldStart.secondsTo(1981)).isNaN();
    }

    @Test
    void lessThanASecond_isNone() {
        add(200, 10_000);
        add(400, 10_000);
        coldStart.ends(0);
        assertThat(coldStart.secondsTo(1)).isNaN();
    }

    @Test
    void laterPass_isNoColdStart() {
        add(1000, 10);
        coldStart.ends(0);
        add(1000, 1000);
        coldStart.ends(0);
        assertThat(coldStart.secondsTo(100)).isNaN();
    }

    private void add(long atMillis, long records) {
        coldStart.add(new Report.Interval(atMillis * MILLIS, records, 0, NONE, HandlerTime.NONE, List.of(), false));
    }
}
