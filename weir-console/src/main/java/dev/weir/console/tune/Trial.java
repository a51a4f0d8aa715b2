package dev.weir.console.tune;

import java.util.ArrayList;
import java.util.List;

/**
 * The rate with a change, compared with the rate before. Immutable.
 *
 * @param perSecond the rate with the change
 * @param gain the ratio of the two rates
 * @param low the lowest gain that is consistent with the measurements
 * @param high the highest gain that is consistent with the measurements
 */
record Trial(double perSecond, double gain, double low, double high) {

    /** Smallest gain that justifies a step after alternate measurements. */
    private static final double WORTH_IT = 1.03;

    /** Smallest gain that justifies a step after a single measurement. It must also exceed the noise. */
    private static final double CLEAR = 1.05;

    /** A gain exceeds the noise if it differs from 1 by this many standard errors. */
    private static final double SURE = 3;

    private static final int PAIRS = 4;

    /** The trial ends early after this many pairs of measurements if all of them show a gain or none does. */
    private static final int ENOUGH_PAIRS = 3;

    /** Switches to the settings before or after the change, and measures the rate with them. */
    interface Turns {
        Rate before() throws InterruptedException, Halted;

        Rate after() throws InterruptedException, Halted;
    }

    /** Creates a trial from one measurement of each setting. */
    static Trial of(Rate before, Rate after) {
        double gain = after.over(before);
        double noise = after.noiseWith(before);
        return new Trial(before.perSecond() * gain, gain, gain / (1 + SURE * noise), gain * (1 + SURE * noise));
    }

    /** Returns whether the gain or loss is beyond doubt. */
    boolean isClear() {
        return (gain >= CLEAR && low > 1) || (gain <= 1 / CLEAR && high < 1);
    }

    boolean isFaster() {
        return gain >= WORTH_IT;
    }

    boolean isSlower() {
        return gain <= 1 / WORTH_IT;
    }

    /** Measures the settings before and after the change alternately, because single measurements were not clear. */
    Trial inTurns(Turns turns) throws InterruptedException, Halted {
        List<Double> gains = new ArrayList<>(List.of(gain));
        List<Double> rates = new ArrayList<>(List.of(perSecond));
        while (gains.size() < PAIRS && !(gains.size() >= ENOUGH_PAIRS && agree(gains))) {
            Rate before = turns.before();
            Rate after = turns.after();
            gains.add(after.over(before));
            rates.add(after.perSecond());
        }
        double median = median(gains);
        // Most pairs must show the gain. Two of four are not enough, even if their median shows it.
        boolean most = gains.stream().filter(each -> each >= WORTH_IT).count() > gains.size() / 2;
        double counted = median >= WORTH_IT && !most ? 1 : median;
        return new Trial(
                median(rates),
                counted,
                gains.stream().min(Double::compare).orElse(counted),
                gains.stream().max(Double::compare).orElse(counted));
    }

    private static boolean agree(List<Double> gains) {
        return gains.stream().allMatch(each -> each >= WORTH_IT)
                || gains.stream().allMatch(each -> each < WORTH_IT);
    }

    private static double median(List<Double> values) {
        List<Double> sorted = values.stream().sorted().toList();
        int middle = sorted.size() / 2;
        return sorted.size() % 2 == 1 ? sorted.get(middle) : (sorted.get(middle - 1) + sorted.get(middle)) / 2;
    }
}
