package dev.weir.bench.fill;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class FillPlanTest {

    @Test
    void withoutTransactions_aPartitionEndsWithItsLastRecord() {
        FillPlan plan = new FillPlan(1000, 0, 0);
        assertThat(plan.endOffset()).isEqualTo(1000);
        assertThat(plan.leastCommitted()).isEqualTo(1000);
        assertThat(plan.suffix()).isEmpty();
    }

    @Test
    void transactions_haveAMarkerEach_inTheEndOffset() {
        FillPlan plan = new FillPlan(1001, 100, 0);
        assertThat(plan.endOffset()).isEqualTo(1001 + 11);
        assertThat(plan.leastCommitted()).isEqualTo(1001 + 10);
    }

    @Test
    void aborted_areTheShareOfAllTransactions_evenlySpread() {
        FillPlan plan = new FillPlan(30_000, 100, 0.25);
        int aborted = 0;
        for (int transaction = 0; transaction < 300; transaction++) {
            assertThat(plan.abortedBefore(transaction)).isBetween(0, 1);
            aborted += plan.abortedBefore(transaction);
        }
        assertThat(aborted).isEqualTo(100);
        assertThat(plan.endOffset()).isEqualTo(30_000 + 300 + 100 * 101);
    }

    @Test
    void mostlyAborted_comesSeveralAtATime() {
        FillPlan plan = new FillPlan(10, 10, 0.9);
        assertThat(plan.abortedBefore(0)).isEqualTo(9);
        assertThat(plan.suffix()).isEqualTo("-t10-a0.9");
    }
}
