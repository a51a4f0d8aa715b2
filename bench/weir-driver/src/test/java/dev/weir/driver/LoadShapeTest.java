package dev.weir.driver;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class LoadShapeTest {

    @ParameterizedTest
    @CsvSource({
        "0s:1 30s:3 60s:1, 30, 30",
        "0s:1 30s:3 60s:1, 40, 60",
        "0s:1 30s:3 60s:1, 70, 130",
        "0s:1 60s~5, 60, 180",
        "0s:1 60s~5, 30, 60",
        "0s:1 60s~5, 70, 230",
        "0s:0.5 9s:5 every:10s, 10, 9.5",
        "0s:0.5 9s:5 every:10s, 25, 21.5",
        "0s:0 5s:2, 7, 4"
    })
    void area_isWhatCameUntilThen_andWhenFindsItAgain(String text, double seconds, double area) {
        LoadShape shape = LoadShape.parse(text);
        assertThat(shape.area(seconds)).isCloseTo(area, within(1e-9));
        assertThat(shape.when(area)).isCloseTo(seconds, within(1e-9));
    }

    @Test
    void timeWithoutRate_isPassedOver() {
        LoadShape shape = LoadShape.parse("0s:1 10s:0 every:20s");
        assertThat(shape.when(10)).isEqualTo(10);
        assertThat(shape.when(10.5)).isEqualTo(20.5);
        assertThat(shape.area(19)).isEqualTo(10);
    }

    /** The area of whole periods is reached at the end of their last burst, apart from rounding. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "0s:1 3.3s:0 every:10s",
                "0s:0.1 0.7s:0 every:0.9s",
                "0s:0 1.1s:0.3 2.3s~0.7 3.7s:0 every:7.1s",
                "0s:3 1s~0 2s:0 every:3s",
                "0s:0.3 9s:5 every:10.1s"
            })
    void wholeRounds_endWithTheLastRateOfTheirs(String text) {
        LoadShape shape = LoadShape.parse(text);
        double period = Double.parseDouble(text.substring(text.indexOf("every:") + 6, text.length() - 1));
        double once = shape.area(period * 0.999_999_999_999);
        for (int rounds = 1; rounds <= 1_000; rounds++) {
            for (double area : new double[] {rounds * once, shape.area(rounds * period)}) {
                assertThat(shape.when(area))
                        .isGreaterThan((rounds - 1) * period)
                        .isLessThan(rounds * period + 2);
            }
        }
        assertThat(LoadShape.parse("0s:1 3.3s:0 every:10s").when(16.5)).isCloseTo(43.3, within(1e-9));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "5s:1",
                "0s~1",
                "0s:1 0s:2",
                "0s:1 5s:-1",
                "0s:0",
                "0s:1 10s:0",
                "0s:0 every:5s",
                "0s:1 9s:2 every:9s",
                "fast",
                "every:5s 0s:1"
            })
    void shapeThatIsNone_isRefused(String text) {
        assertThatThrownBy(() -> LoadShape.parse(text)).hasMessageStartingWith("must ");
    }

    /**
     * Ten seconds at 100 records per second, then a ramp from 300 down to 100. Poisson arrivals have the same mean
     * rates.
     */
    @Test
    void plan_sendsByItsShape_fromTheFirstRateOn() {
        long second = TimeUnit.SECONDS.toNanos(1);
        for (boolean poisson : new boolean[] {false, true}) {
            SendPlan plan = (poisson ? SendPlan.poisson(0, 7) : SendPlan.constant(0))
                    .shaped(LoadShape.parse("0s:1 10s:3 20s~1"));
            plan.change(5 * second, 100);
            int[] bySecond = new int[40];
            for (long at = plan.nextNanos(); at < 40 * second; at = plan.nextNanos()) {
                bySecond[(int) (at / second)]++;
            }
            double luck = poisson ? 60 : 1;
            assertThat(bySecond[4]).isZero();
            assertThat((double) bySecond[10]).isCloseTo(100, within(luck));
            assertThat((double) bySecond[15]).as("the ramp begins").isCloseTo(290, within(luck));
            assertThat((double) bySecond[20]).as("its middle").isCloseTo(190, within(luck));
            assertThat((double) bySecond[39]).isCloseTo(100, within(luck));
        }
    }

    /** The changed rate is multiplied by the shape. Records that are already due stay due. */
    @Test
    void change_multipliesTheShape() {
        long second = TimeUnit.SECONDS.toNanos(1);
        SendPlan plan = SendPlan.constant(10).shaped(LoadShape.parse("0s:1 10s:2"));
        plan.change(20 * second, 100);
        int before = 0;
        int after = 0;
        for (long at = plan.nextNanos(); at < 30 * second; at = plan.nextNanos()) {
            if (at < 20 * second) {
                before++;
            } else {
                after++;
            }
        }
        assertThat(before).isBetween(299, 301);
        assertThat(after).isBetween(1_999, 2_001);
    }
}
