package dev.weir.stream.internal.waiting;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class WaitHabitTest {

    private static final long SHORT_NANOS = 800;

    private final WaitHabit habit = new WaitHabit();

    private int waitsUntilItStays(int most) {
        int waits = 0;
        while (!habit.isToStay()) {
            habit.parked(SHORT_NANOS);
            assertThat(++waits).isLessThanOrEqualTo(most);
        }
        return waits;
    }

    @Test
    void habit_ofAThreadThatHasNotWaited_parks() {
        assertThat(habit.isToStay()).isFalse();
    }

    @Test
    void habit_afterShortWaitsInARow_stays() {
        assertThat(waitsUntilItStays(64)).isBetween(20, 30);
        for (int n = 0; n < 1000; n++) {
            assertThat(habit.isToStay()).isTrue();
            habit.stayed(SHORT_NANOS);
        }
    }

    @ParameterizedTest
    @ValueSource(longs = {16_000, 100_000, 1_000_000, 3_600_000_000_000L})
    void habit_whoseWaitsAreLonger_neverStays(long waitNanos) {
        for (int n = 0; n < 10_000; n++) {
            assertThat(habit.isToStay()).isFalse();
            habit.parked(waitNanos);
        }
    }

    @ParameterizedTest
    @ValueSource(longs = {1_000_000, 3_600_000_000_000L})
    void habit_afterOneLongWait_parksUntilManyWereShort(long waitNanos) {
        int ignored = waitsUntilItStays(64);
        habit.parked(waitNanos);
        assertThat(waitsUntilItStays(64)).isBetween(5, 15);
    }

    @Test
    void habit_ofAThreadThatWokeAnother_saysSoOnce() {
        assertThat(habit.isOthersTurn()).isFalse();
        habit.wokeAnother();
        assertThat(habit.isOthersTurn()).isTrue();
        assertThat(habit.isOthersTurn()).isFalse();
    }

    @Test
    void habit_thatStaysInVain_restsTwiceAsLongEachTime() {
        int ignored = waitsUntilItStays(64);
        for (int rest = WaitHabit.SHORTEST_REST; rest <= WaitHabit.LONGEST_REST; rest *= 2) {
            habit.stayedInVain();
            assertThat(waitsUntilItStays(5000)).isEqualTo(rest);
        }
        habit.stayedInVain();
        assertThat(waitsUntilItStays(5000)).isEqualTo(WaitHabit.LONGEST_REST);
    }

    @Test
    void habit_whoseStaysAreAnsweredAgain_restsHalfAsLong() {
        int ignored = waitsUntilItStays(64);
        for (int n = 0; n < 4; n++) {
            habit.stayedInVain();
            ignored = waitsUntilItStays(5000);
        }
        for (int n = 0; n < 2 * WaitHabit.GOOD_ROW; n++) {
            habit.stayed(SHORT_NANOS);
        }
        habit.stayedInVain();
        // After failed spins, the thread skipped 8, 16, 32 and 64 waits. Two series of successful spins have halved the
        // next number, 128, twice.
        assertThat(waitsUntilItStays(5000)).isEqualTo(32);
    }

    @Test
    void habit_whoseStayIsAnsweredLate_rests() {
        int ignored = waitsUntilItStays(64);
        habit.stayed(WaitHabit.WORTH_NANOS + 1);
        assertThat(waitsUntilItStays(5000)).isEqualTo(WaitHabit.SHORTEST_REST);
    }

    /** Measures the cost of spinning at a thousand elements per second, in various rhythms. */
    @Test
    void habit_atAThousandElementsASecond_staysForLessThanAHundredthOfTheTime() {
        Random random = new Random(7);
        assertThat(shareStayed(() -> 1_000_000)).as("evenly").isZero();
        assertThat(shareStayed(() -> (long) (-Math.log(1 - random.nextDouble()) * 1e6)))
                .as("at random")
                .isLessThan(0.01);
        for (int burst : new int[] {2, 10, 30, 100, 1000}) {
            int[] element = new int[1];
            assertThat(shareStayed(() -> ++element[0] % burst == 0 ? burst * 1_000_000L : SHORT_NANOS))
                    .as("in bursts of %d", burst)
                    .isLessThan(0.01);
        }
    }

    private static double shareStayed(LongSupplier waits) {
        WaitHabit habit = new WaitHabit();
        long stayedNanos = 0;
        long allNanos = 0;
        while (allNanos < TimeUnit.SECONDS.toNanos(100)) {
            long wait = waits.getAsLong();
            allNanos += wait;
            if (!habit.isToStay()) {
                habit.parked(wait);
            } else if (wait <= WaitHabit.STAY_NANOS) {
                stayedNanos += wait;
                habit.stayed(wait);
            } else {
                stayedNanos += WaitHabit.STAY_NANOS;
                habit.stayedInVain();
                habit.parked(wait);
            }
        }
        return (double) stayedNanos / allNanos;
    }
}
