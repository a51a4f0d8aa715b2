package dev.weir.metrics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.weir.metrics.PipelineLook.PaceLook;
import dev.weir.stream.Dispatcher;
import dev.weir.stream.DispatcherSnapshot;
import dev.weir.stream.StageSnapshot;
import dev.weir.stream.StageSnapshot.Activity;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Tests when a change counts as followed advice, and when its gain is measured. A reading is taken every 0.1 s. */
class GainsTest {

    private static final long TENTH = 100_000_000;

    /** The change is made with reading 20. */
    private static final int CHANGED = 20;

    private static PipelineLook look(
            int number, List<StageSnapshot> stages, List<Activity> activity, PaceLook... paces) {
        return PipelineLook.of(
                (7 + number) * TENTH,
                stages,
                activity,
                List.of(),
                List.of(),
                List.of(paces),
                List.of(),
                MachineLook.unknown(8));
    }

    private static StageSnapshot stage(String name, int parallelism, long elements, double busySeconds, long atNanos) {
        return StageSnapshot.of(name, parallelism, elements, elements, Math.round(busySeconds * 1e9), 0, 0, 0, atNanos);
    }

    /** Elements after a number of readings: 100 each until the change, then 100 times the factor. */
    private static long moved(int number, double factor) {
        return Math.round(100 * Math.min(number, CHANGED) + 100 * factor * Math.max(0, number - CHANGED));
    }

    /** Ten workers wait in their calls, and 500 elements are ready. Another stage is idle. */
    private static PipelineLook workers(int number, int ofPrice, int ofOther, double factor) {
        long at = number * TENTH;
        return look(
                number,
                List.of(
                        stage("price", ofPrice, moved(number, factor), number, at),
                        stage("other", ofOther, moved(number, factor), 0, at)),
                List.of(
                        Activity.of("price", null, Scene.VIRTUAL, ofPrice, ofPrice, 500, 0, "", 0),
                        Activity.of("other", null, Scene.VIRTUAL, 0, 0, 0, 0, "", 0)));
    }

    private static PipelineLook paced(int number, double perSecond, double factor) {
        long at = number * TENTH;
        return look(
                number,
                List.of(stage("consume", 1, moved(number, factor), 0, at)),
                List.of(),
                PaceLook.of("consume", perSecond, at * 9 / 10, true));
    }

    private static PipelineLook pooled(int number, int size, double factor) {
        long at = number * TENTH;
        DispatcherSnapshot pool = DispatcherSnapshot.of("pool", Dispatcher.Kind.FIXED, size, size, size, 50, 0);
        return look(
                number,
                List.of(stage("price", 100, moved(number, factor), 0.4 * number, at)),
                List.of(Activity.of("price", null, pool, size, size, 50, 0, "", 0)));
    }

    /** Returns the gain after this number of readings. */
    private static @Nullable Double gain(int readings, IntFunction<PipelineLook> looks) {
        Gains gains = new Gains();
        List<PipelineLook> before = new ArrayList<>(List.of(looks.apply(0)));
        for (int number = 1; number < readings; number++) {
            PipelineLook look = looks.apply(number);
            gains.look(before, look);
            before.add(look);
        }
        return gains.measured();
    }

    private static int from(int number, int before, int after) {
        return number < CHANGED ? before : after;
    }

    @Test
    void raisedSetting_thatWasAdvised_isMeasured() {
        assertThat(gain(60, number -> workers(number, from(number, 10, 20), 5, 2.5)))
                .isCloseTo(2.5, within(0.01));
        assertThat(gain(60, number -> paced(number, from(number, 500, 1_500), 3)))
                .isCloseTo(3, within(0.01));
        assertThat(gain(60, number -> paced(number, from(number, 500, 0), 3)))
                .as("the rate is ended")
                .isCloseTo(3, within(0.01));
        assertThat(gain(60, number -> pooled(number, from(number, 4, 8), 2))).isCloseTo(2, within(0.01));
    }

    /** A loss is reported, too. */
    @Test
    void raisedSetting_thatLowersTheRate_hasAGainBelowOne() {
        assertThat(gain(60, number -> workers(number, from(number, 10, 20), 5, 0.5)))
                .isCloseTo(0.5, within(0.01));
    }

    @Test
    void otherChanges_areNotMeasured() {
        assertThat(gain(60, number -> workers(number, 10, 5, 2.5))).as("none").isNull();
        assertThat(gain(60, number -> workers(number, 10, from(number, 5, 50), 2.5)))
                .as("of another stage")
                .isNull();
        assertThat(gain(60, number -> workers(number, from(number, 10, 9), 5, 2.5)))
                .as("lowered")
                .isNull();
        assertThat(gain(60, number -> paced(number, from(number, 500, 400), 3))).isNull();
        assertThat(gain(60, number -> paced(number, from(number, 0, 400), 3)))
                .as("a new rate")
                .isNull();
        assertThat(gain(60, number -> pooled(number, from(number, 8, 4), 2))).isNull();
    }

    /** One second until queues are drained, then two seconds of measurement. */
    @Test
    void gain_isKnownThreeSecondsAfterTheChange() {
        IntFunction<PipelineLook> looks = number -> workers(number, from(number, 10, 20), 5, 2);
        assertThat(gain(CHANGED + 30, looks)).isNull();
        assertThat(gain(CHANGED + 31, looks)).isCloseTo(2, within(0.01));
    }

    /** The rate of the first second after the change is ten times as high. */
    @Test
    void queuesThatDrainAtFirst_areNoGain() {
        IntFunction<PipelineLook> looks = number -> {
            long at = number * TENTH;
            long drained = 900L * Math.clamp(number - CHANGED, 0, 10);
            return look(
                    number,
                    List.of(stage("price", from(number, 10, 20), moved(number, 2) + drained, number, at)),
                    List.of(Activity.of("price", null, Scene.VIRTUAL, 10, 10, 500, 0, "", 0)));
        };
        assertThat(gain(60, looks)).isCloseTo(2, within(0.01));
    }

    /** The effects of two changes would mix. The second one is measured on its own, if it was advised. */
    @Test
    void secondChange_endsTheMeasurement() {
        assertThat(gain(60, number -> workers(number, from(number, 10, 20), number < 40 ? 5 : 6, 2)))
                .isNull();
        assertThat(gain(70, number -> workers(number, number < CHANGED ? 10 : number < 40 ? 20 : 40, 5, 2)))
                .isNull();
        assertThat(gain(71, number -> workers(number, number < CHANGED ? 10 : number < 40 ? 20 : 40, 5, 2)))
                .as("the mean rate of all earlier readings was 150, then 200")
                .isCloseTo(200 / 150.0, within(0.02));
        assertThat(gain(60, number -> workers(number, from(number, 10, 20), number < 55 ? 5 : 6, 2)))
                .as("a gain that is known stays")
                .isCloseTo(2, within(0.01));
    }

    /** Two readings before the change give a rate. They may be older than the measurement of gains. */
    @Test
    void changeAfterTwoReadings_isMeasured_alsoAsTheFirstThatIsSeen() {
        assertThat(gain(60, number -> workers(number, number < 2 ? 10 : 20, 5, 1)))
                .isCloseTo(1, within(0.01));

        Gains gains = new Gains();
        List<PipelineLook> before = new ArrayList<>();
        for (int number = 0; number < 60; number++) {
            PipelineLook look = workers(number, from(number, 10, 20), 5, 2);
            if (number >= CHANGED) {
                gains.look(before, look);
            }
            before.add(look);
        }
        assertThat(gains.measured()).isCloseTo(2, within(0.01));
    }

    @Test
    void changeWithoutEarlierReadings_orWithoutARate_isNotMeasured() {
        assertThat(gain(60, number -> workers(number, number < 1 ? 10 : 20, 5, 2)))
                .isNull();
        assertThat(gain(60, number -> {
                    long at = number * TENTH;
                    return look(
                            number,
                            List.of(stage("price", from(number, 10, 20), Math.max(0, number - CHANGED), number, at)),
                            List.of(Activity.of("price", null, Scene.VIRTUAL, 10, 10, 500, 0, "", 0)));
                }))
                .isNull();
    }
}
