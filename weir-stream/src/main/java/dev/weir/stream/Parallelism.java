package dev.weir.stream;

import org.jspecify.annotations.Nullable;

/**
 * The number of elements that a parallel stage processes at once, fixed or adaptive. Immutable.
 *
 * <p>An adaptive stage raises its limit while this increases its throughput. It lowers the limit if this costs no
 * throughput, if the called services slow down, or if the downstream stage is too slow.
 * {@link StageSnapshot#parallelism} shows the current limit.
 */
public final class Parallelism {

    private final Values values;

    private Parallelism(int min, int max) {
        this.values = new Values(min, max);
    }

    /** The lowest limit, at least 1. */
    public int min() {
        return values.min;
    }

    /** The highest limit, at least {@code min}. The stage reserves memory for it. */
    public int max() {
        return values.max;
    }

    /** Creates a fixed limit of {@code n}. */
    public static Parallelism fixed(int n) {
        return new Parallelism(n, n);
    }

    /** Creates a limit that adapts to the work, between {@code min} and {@code max}. */
    public static Parallelism adaptive(int min, int max) {
        return new Parallelism(min, max);
    }

    /** Returns whether the limit adapts. */
    public boolean isAdaptive() {
        return values.min < values.max;
    }

    @Override
    public String toString() {
        return isAdaptive() ? "adaptive(" + values.min + ", " + values.max + ")" : "fixed(" + values.min + ")";
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof Parallelism that && values.equals(that.values);
    }

    @Override
    public int hashCode() {
        return values.hashCode();
    }

    private record Values(int min, int max) {

        Values {
            if (min < 1) {
                throw new IllegalArgumentException("parallelism must be at least 1: parallelism=" + min);
            }
            if (max < min) {
                throw new IllegalArgumentException("max must be at least min: max=" + max + " min=" + min);
            }
        }
    }
}
