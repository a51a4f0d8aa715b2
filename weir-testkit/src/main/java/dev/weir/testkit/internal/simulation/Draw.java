package dev.weir.testkit.internal.simulation;

/**
 * Draws random numbers that depend only on the seed and the purpose of the draw. A difference in one part of a
 * simulation does not change other parts. Immutable.
 */
record Draw(long seed) {

    /** The purpose of a draw. Draws for different purposes are independent. */
    enum Of {
        PLAN(1),
        RECORD(2),
        WORK(3),
        POLL(4),
        FETCH(5),
        COMMIT(6),
        OTHERS(7),
        OUTPUT(8),
        FAILURE(9),
        TOPIC(10);

        private final long number;

        Of(long number) {
            this.number = number;
        }
    }

    /** Returns a number from 0 (inclusive) to {@code bound} (exclusive). */
    long below(long bound, Of what, long... which) {
        long mixed = mix(seed + 0x9E3779B97F4A7C15L * what.number);
        for (long part : which) {
            mixed = mix(mixed + 0x9E3779B97F4A7C15L * (part + 1));
        }
        return Math.floorMod(mixed, bound);
    }

    /** Returns true in one of {@code n} cases. */
    boolean oneIn(int n, Of what, long... which) {
        return below(n, what, which) == 0;
    }

    /** Mixes the bits with the finaliser of SplitMix64. */
    private static long mix(long value) {
        long z = (value ^ (value >>> 30)) * 0xBF58476D1CE4E5B9L;
        z = (z ^ (z >>> 27)) * 0x94D049BB133111EBL;
        return z ^ (z >>> 31);
    }
}
