package dev.weir.cli.records;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class ConsumptionTest {

    /** Regression: the command failed if retention deleted records between its queries of the end and the beginning. */
    @Test
    void offset_inALogWhoseBeginningHasMovedPastItsEnd_isTheBeginning() {
        assertThat(Consumption.nearest(5, 20, 10)).isEqualTo(20);
        assertThat(Consumption.nearest(30, 20, 10)).isEqualTo(20);
    }

    @Test
    void offset_outsideTheLog_isTheNearestOne() {
        assertThat(Consumption.nearest(5, 10, 20)).isEqualTo(10);
        assertThat(Consumption.nearest(15, 10, 20)).isEqualTo(15);
        assertThat(Consumption.nearest(25, 10, 20)).isEqualTo(20);
    }
}
