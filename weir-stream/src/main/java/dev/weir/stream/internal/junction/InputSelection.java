package dev.weir.stream.internal.junction;

import java.util.Arrays;
import java.util.function.IntPredicate;

/**
 * Chooses the next input if several inputs have a batch. Each run has its own instance, which is guarded by the lock of
 * {@link InputQueues}.
 */
interface InputSelection {

    int NOBODY = -1;

    /** Returns the input from which to take the next batch, or {@link #NOBODY} if no input has one. */
    int next(IntPredicate hasBatch);

    /** Reports how many elements were taken from an input. */
    default void taken(int input, int elements) {}

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

    /** Creates a selection that prefers inputs with lower numbers. */
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
     * Creates a selection in proportion to the weights, counted in elements. An input that was empty for a while gets
     * no extra turns.
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

    @FunctionalInterface
    interface Factory {
        InputSelection of(int inputs);
    }
}
