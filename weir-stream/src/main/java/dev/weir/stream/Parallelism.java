package dev.weir.stream;

/**
 * How many elements a parallel stage works on at once: a fixed number, or one that the stage finds by itself.
 * Immutable.
 *
 * <p>An adaptive stage raises its limit while that raises the rate at which elements are done, and lowers it when the
 * same rate can be had with less, when what the functions call gets slower under the load, and when nobody takes the
 * results. The limit of the moment is {@link StageSnapshot#parallelism}.
 *
 * @param min the lowest limit, at least 1
 * @param max the highest limit, at least {@code min}; memory is set aside for it
 */
public record Parallelism(int min, int max) {

    /** Checks. */
    public Parallelism {
        if (min < 1) {
            throw new IllegalArgumentException("parallelism must be at least 1: parallelism=" + min);
        }
        if (max < min) {
            throw new IllegalArgumentException("max must be at least min: max=" + max + " min=" + min);
        }
    }

    /** Always {@code n}. */
    public static Parallelism fixed(int n) {
        return new Parallelism(n, n);
    }

    /** Between {@code min} and {@code max}, as the work asks for. */
    public static Parallelism adaptive(int min, int max) {
        return new Parallelism(min, max);
    }

    /** Whether there is anything to find. */
    public boolean isAdaptive() {
        return min < max;
    }

    @Override
    public String toString() {
        return isAdaptive() ? "adaptive(" + min + ", " + max + ")" : "fixed(" + min + ")";
    }
}
