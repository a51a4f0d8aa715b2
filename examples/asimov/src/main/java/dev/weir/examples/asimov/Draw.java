package dev.weir.examples.asimov;

/**
 * A reproducible sequence of random numbers, the same on every JVM (SplitMix64). Cheap enough for one per event.
 * Confined to one thread.
 */
final class Draw {
    private static final long GOLDEN_GAMMA = 0x9E3779B97F4A7C15L;

    private long state;

    /** Creates a sequence. Sequences with the same seed and another {@code index} are independent. */
    Draw(long seed, long index) {
        this.state = mix(seed + GOLDEN_GAMMA) ^ mix(index * GOLDEN_GAMMA);
    }

    long bits() {
        state += GOLDEN_GAMMA;
        return mix(state);
    }

    /** Returns a uniformly distributed number in [0, 1). */
    double unit() {
        return (bits() >>> 11) * 0x1p-53;
    }

    /** Returns a uniformly distributed number in [0, bound). */
    int below(int bound) {
        return (int) Math.multiplyHigh(bits() >>> 1, (long) bound << 1);
    }

    /** Returns an approximately normally distributed number with mean 0 and deviation 1, within 6 of the mean. */
    double normal() {
        double sum = -6;
        for (int i = 0; i < 12; i++) {
            sum += unit();
        }
        return sum;
    }

    String of(String[] choices) {
        return choices[below(choices.length)];
    }

    private static long mix(long z) {
        long mixed = (z ^ (z >>> 30)) * 0xBF58476D1CE4E5B9L;
        mixed = (mixed ^ (mixed >>> 27)) * 0x94D049BB133111EBL;
        return mixed ^ (mixed >>> 31);
    }
}
