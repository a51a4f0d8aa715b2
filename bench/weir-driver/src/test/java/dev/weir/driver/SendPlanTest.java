package dev.weir.driver;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

/** Tests changes of the rate on a test clock. */
class SendPlanTest {
    private static final long MILLI = TimeUnit.MILLISECONDS.toNanos(1);

    @Test
    void change_holdsFromItsTimeOn() {
        SendPlan plan = SendPlan.constant(1000);
        plan.change(10 * MILLI, 100);
        assertThat(due(plan, 13)).containsExactly(0L, 1L, 2L, 3L, 4L, 5L, 6L, 7L, 8L, 9L, 10L, 20L, 30L);
    }

    /** A sender behind its plan must still send earlier records at their times. */
    @Test
    void change_ofAPlanThatIsBehind_keepsItsDebt() {
        SendPlan plan = SendPlan.constant(1000);
        assertThat(due(plan, 3)).containsExactly(0L, 1L, 2L);
        plan.change(100 * MILLI, 0);
        assertThat(due(plan, 97)).startsWith(3L, 4L).endsWith(98L, 99L);
        assertThat(plan.dueNanos()).isEqualTo(SendPlan.NEVER);
        assertThatThrownBy(plan::nextNanos).isInstanceOf(IllegalStateException.class);
    }

    @Test
    void rateOfZero_isNoDebt_andTheGapThatWasBegunIsFinished() {
        SendPlan plan = SendPlan.constant(10);
        assertThat(due(plan, 1)).containsExactly(0L);
        plan.change(50 * MILLI, 0);
        assertThat(plan.dueNanos()).isEqualTo(SendPlan.NEVER);
        plan.change(1_000 * MILLI, 10);
        plan.change(1_100 * MILLI, 100);
        assertThat(due(plan, 4)).containsExactly(1_050L, 1_105L, 1_115L, 1_125L);
    }

    @Test
    void planThatWasHeld_beginsWithItsFirstRate() {
        SendPlan plan = SendPlan.constant(0);
        plan.change(7 * MILLI, 1000);
        assertThat(due(plan, 3)).containsExactly(7L, 8L, 9L);
    }

    @Test
    void changeOfAnEarlierTime_undoesNothingThatWasDue() {
        SendPlan plan = SendPlan.constant(1000);
        assertThat(due(plan, 11)).endsWith(10L);
        plan.change(5 * MILLI, 100);
        assertThat(due(plan, 2)).containsExactly(20L, 30L);
    }

    @Test
    void poissonArrivals_haveTheNewRateOnAverage() {
        SendPlan plan = SendPlan.poisson(1000, 7);
        plan.change(10_000 * MILLI, 10_000);
        long before = 0;
        long after = 0;
        for (long at = plan.nextNanos(); at < 20_000 * MILLI; at = plan.nextNanos()) {
            if (at < 10_000 * MILLI) {
                before++;
            } else {
                after++;
            }
        }
        assertThat((double) before).isCloseTo(10_000, within(500.0));
        assertThat((double) after).isCloseTo(100_000, within(2_000.0));
    }

    @Test
    void waitingAtARateOfZero_endsWhenItIsOver() {
        AtomicBoolean isOver = new AtomicBoolean(true);
        assertThat(SendPlan.constant(0).awaitNext(isOver::get)).isEqualTo(SendPlan.NEVER);
    }

    private static List<Long> due(SendPlan plan, int count) {
        List<Long> millis = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            millis.add(Math.round(plan.nextNanos() / (double) MILLI));
        }
        return millis;
    }
}
