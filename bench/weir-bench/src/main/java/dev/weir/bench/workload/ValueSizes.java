package dev.weir.bench.workload;

import dev.weir.driver.RecordLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * The lengths of a topic's values, each with the fraction of values that have this length, for example
 * {@code 100:0.9 10000:0.1}. Immutable.
 *
 * @param sizes in the order of the text
 */
public record ValueSizes(List<Size> sizes) {

    static final int MAX_BYTES = 1_000_000;

    /**
     * The regular expression for value sizes in the JSON schema. The sum of the fractions, which must be 1, is checked
     * separately.
     */
    static final String PATTERN = "^(\\d{2,7}:(0?\\.\\d{1,9}|1(\\.0)?)( \\d{2,7}:0?\\.\\d{1,9})*)?$";

    private static final double ROUNDING = 1e-6;

    /** A length, and the fraction of values that have this length. */
    public record Size(int bytes, double share) {}

    public ValueSizes {
        sizes = List.copyOf(sizes);
    }

    /** Parses value sizes from a text that must be valid, see {@link #objection}. */
    static ValueSizes of(String text) {
        List<Size> sizes = new ArrayList<>();
        for (String size : text.isEmpty() ? new String[0] : text.split(" ", -1)) {
            int colon = size.indexOf(':');
            sizes.add(new Size(
                    Integer.parseInt(size.substring(0, colon)), Double.parseDouble(size.substring(colon + 1))));
        }
        return new ValueSizes(sizes);
    }

    /** The reason why the text is invalid; null if it is valid. */
    static @Nullable String objection(String text) {
        if (!text.matches(PATTERN)) {
            return "must be lengths with their shares, such as 100:0.9 10000:0.1";
        }
        double sum = 0;
        for (Size size : of(text).sizes) {
            if (size.bytes < RecordLayout.MIN_VALUE_BYTES || size.bytes > MAX_BYTES) {
                return "must have lengths from " + RecordLayout.MIN_VALUE_BYTES + " to " + MAX_BYTES;
            }
            sum += size.share;
        }
        return text.isEmpty() || Math.abs(sum - 1) <= ROUNDING
                ? null
                : String.format(Locale.ROOT, "must have shares that make up 1, not %.9g", sum);
    }

    /** Returns the length of a value, given a random number uniformly distributed in [0, 1). */
    public int bytes(double drawn) {
        double left = drawn;
        for (Size size : sizes) {
            left -= size.share;
            if (left < 0) {
                return size.bytes;
            }
        }
        return sizes.getLast().bytes;
    }
}
