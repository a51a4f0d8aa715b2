package dev.weir.stream.internal.junction;

import java.util.Arrays;
import java.util.function.IntPredicate;

/** Chooses the next input when several have something. Used under the lock of {@link InputQueues}; one for each run. */
interface InputSelection {

    int NOBODY = -1;

    /** The input to take the next batch from, or {@link #NOBODY} if none has one. */
    int next(IntPredicate hasBatch);

    /** Notes how much was taken. */
    default void taken(int input, int elements) {}

    /** Each input in its turn. */
    static InputSelection roundRobin(int inputs) {
        return new InputSelection() {
            private int last = inputs - 1;

            @Override
            public int next(IntPredicate hasBatch) {
                for (int step = 1; step <= inputs; step++) {
                    int input = (last + step) % inputs;
                    if (hasBatch.test(input)) {
                        last = input;
                        return input;
                    }
                }
                return NOBODY;
            }
        };
    }

    /** A lower input before a higher one. */
    static InputSelection inOrder(int inputs) {
        return hasBatch -> {
            for (int input = 0; input < inputs; input++) {
                if (hasBatch.test(input)) {
                    return input;
                }
            }
            return NOBODY;
        };
    }

    /**
     * Shares in proportion to weights, counted in elements: the input whose taken elements, divided by its weight, are
     * fewest is next. An input that had nothing for a while does not get the time back.
     */
    static InputSelection weighted(int[] weights) {
        double[] served = new double[weights.length];
        boolean[] absent = new boolean[weights.length];
        Arrays.fill(absent, true);
        return new InputSelection() {
            private double now;

            @Override
            public int next(IntPredicate hasBatch) {
                int best = NOBODY;
                for (int input = 0; input < weights.length; input++) {
                    boolean present = hasBatch.test(input);
                    if (present && absent[input]) {
                        served[input] = Math.max(served[input], now);
                    }
                    absent[input] = !present;
                    if (present && (best == NOBODY || served[input] < served[best])) {
                        best = input;
                    }
                }
                if (best != NOBODY) {
                    now = served[best];
                }
                return best;
            }

            @Override
            public void taken(int input, int elements) {
                served[input] += (double) elements / weights[input];
            }
        };
    }

    /** Makes the turns of one run. */
    @FunctionalInterface
    interface Factory {
        InputSelection of(int inputs);
    }
}
