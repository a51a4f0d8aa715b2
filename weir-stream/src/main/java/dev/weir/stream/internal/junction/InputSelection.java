package dev.weir.stream.internal.junction;

import java.util.Arrays;
import java.util.function.IntPredicate;

/** Chooses the next input when several have a batch. Used under the lock of {@link InputQueues}; one for each run. */
interface InputSelection {

    int NOBODY = -1;

    /** The input to take the next batch from, or {@link #NOBODY} if none has one. */
    int next(IntPredicate hasBatch);

    /** Records how much was taken. */
    default void taken(int input, int elements) {}

    /** Takes the inputs in turn. */
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

    /** Prefers a lower input to a higher one. */
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
     * Takes in proportion to weights, counted in elements: next is the input with the fewest taken elements divided by
     * its weight. An input that was empty for a while is not compensated.
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

    /** Creates the selection of one run. */
    @FunctionalInterface
    interface Factory {
        InputSelection of(int inputs);
    }
}
