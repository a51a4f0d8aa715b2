package dev.weir.driver;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.Arrays;
import java.util.Base64;
import java.util.zip.DeflaterOutputStream;
import java.util.zip.InflaterInputStream;

/**
 * A set of non-negative numbers, for example of a partition's received records, stored as runs. A set with few runs
 * takes little memory, no matter how many numbers it has. Immutable.
 *
 * <p>Its text form is deflated and encoded in Base64. Inflated, each run consists of two numbers. A number has seven
 * bits per byte, the lowest bits first, and the eighth bit is set in all bytes but the last:
 *
 * <pre>
 * | missing numbers before the run | numbers in the run | ...
 * </pre>
 */
public final class NumberRuns {
    /** The empty set. */
    public static final NumberRuns NONE = new NumberRuns(new long[0]);

    private static final int BITS = 7;
    private static final int MASK = (1 << BITS) - 1;

    private final long[] edges; // first number of a run, first number after it, and so on, strictly ascending

    private NumberRuns(long[] edges) {
        this.edges = edges;
    }

    /** Collects runs in ascending order, and merges adjacent ones. Confined to one thread. */
    public static final class Builder {
        private long[] edges = new long[16];
        private int size;

        /**
         * Adds the numbers from {@code from}, inclusive, to {@code to}, exclusive. Adds nothing if the two are equal.
         *
         * @throws IllegalArgumentException if the numbers are below numbers that were added before
         */
        public Builder add(long from, long to) {
            long end = size == 0 ? 0 : edges[size - 1];
            if (from < end || to < from) {
                throw new IllegalArgumentException("runs must ascend: " + from + " to " + to + " after " + end);
            }
            if (to == from) {
                return this;
            }
            if (size > 0 && from == end) {
                edges[size - 1] = to;
                return this;
            }
            if (size == edges.length) {
                edges = Arrays.copyOf(edges, 2 * size);
            }
            edges[size++] = from;
            edges[size++] = to;
            return this;
        }

        /** Returns the set of all numbers added so far. */
        public NumberRuns build() {
            return new NumberRuns(Arrays.copyOf(edges, size));
        }
    }

    /** Returns how many numbers the set has. */
    public long count() {
        return countBelow(Long.MAX_VALUE);
    }

    /** Returns how many numbers of the set are smaller than {@code end}. */
    public long countBelow(long end) {
        long count = 0;
        for (int i = 0; i < edges.length && edges[i] < end; i += 2) {
            count += Math.min(end, edges[i + 1]) - edges[i];
        }
        return count;
    }

    /** The union of both sets. */
    public NumberRuns plus(NumberRuns other) {
        Builder both = new Builder();
        int mine = 0;
        int others = 0;
        while (mine < edges.length || others < other.edges.length) {
            long from = Math.min(first(mine), other.first(others));
            long to = from;
            // Extend the run while the next run of either set overlaps or directly follows it.
            while (first(mine) <= to || other.first(others) <= to) {
                to = Math.max(to, first(mine) <= other.first(others) ? edges[mine + 1] : other.edges[others + 1]);
                if (first(mine) <= other.first(others)) {
                    mine += 2;
                } else {
                    others += 2;
                }
            }
            both.add(from, to);
        }
        return both.build();
    }

    private long first(int run) {
        return run < edges.length ? edges[run] : Long.MAX_VALUE;
    }

    /** Returns how many numbers are in both sets. */
    public long countCommon(NumberRuns other) {
        return count() + other.count() - plus(other).count();
    }

    /** The text that {@link #decoded} reads. */
    public String encoded() {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (DeflaterOutputStream deflated = new DeflaterOutputStream(bytes)) {
            long before = 0;
            for (long edge : edges) {
                long rest = edge - before;
                for (; rest > MASK; rest >>>= BITS) {
                    deflated.write((int) (rest & MASK) | (MASK + 1));
                }
                deflated.write((int) rest);
                before = edge;
            }
        } catch (IOException e) {
            throw new IllegalStateException("bytes were not written to memory", e);
        }
        return Base64.getEncoder().encodeToString(bytes.toByteArray());
    }

    /**
     * Decodes a text.
     *
     * @throws IllegalArgumentException if it is not from {@link #encoded}
     */
    public static NumberRuns decoded(String text) {
        Builder numbers = new Builder();
        try (InputStream inflated = new InflaterInputStream(
                new ByteArrayInputStream(Base64.getDecoder().decode(text)))) {
            byte[] bytes = inflated.readAllBytes();
            long[] pair = new long[2];
            int half = 0;
            int shift = 0;
            long end = 0;
            for (byte each : bytes) {
                if (shift >= Long.SIZE - 1) {
                    throw new IllegalArgumentException("a number has too many digits");
                }
                pair[half] |= (long) (each & MASK) << shift;
                shift += BITS;
                if (each >= 0) {
                    shift = 0;
                    if (half == 1) {
                        long from = Math.addExact(end, pair[0]);
                        end = Math.addExact(from, pair[1]);
                        numbers.add(from, end);
                        Arrays.fill(pair, 0);
                    }
                    half = 1 - half;
                }
            }
            if (half != 0 || shift != 0) {
                throw new IllegalArgumentException("it ends amid a run");
            }
        } catch (IOException | ArithmeticException | IllegalArgumentException e) {
            throw new IllegalArgumentException("it reported invalid numbers of records: " + e.getMessage(), e);
        }
        return numbers.build();
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof NumberRuns runs && Arrays.equals(edges, runs.edges);
    }

    @Override
    public int hashCode() {
        return Arrays.hashCode(edges);
    }

    @Override
    public String toString() {
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < edges.length; i += 2) {
            text.append(i == 0 ? "" : " ").append(edges[i]).append("..").append(edges[i + 1] - 1);
        }
        return text.toString();
    }
}
