package dev.weir.bench.workload;

import java.util.Arrays;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The latency that a sustained rate must meet. {@code p99<=100ms} applies to all records together, {@code worst
 * p99<=100ms} to each partition separately, and {@code worst consumer p99<=100ms} to each process of the group
 * separately. Immutable.
 *
 * @param percentile greater than 0 and less than 100
 */
public record LatencyTarget(double percentile, double limitMillis, Of of) {

    /** The set of records to which the limit applies. */
    public enum Of {
        /** All records together. */
        ALL(""),
        /** The partition with the highest latency at the percentile. */
        WORST_PARTITION("worst "),
        /** The process with the highest latency at the percentile. */
        WORST_CONSUMER("worst consumer ");

        private final String begin;

        Of(String begin) {
            this.begin = begin;
        }
    }

    /** The regular expression for a target in the JSON schema. The bounds of the numbers are checked separately. */
    static final String PATTERN =
            "^(worst |worst consumer )?p(\\d{1,2}(\\.\\d{1,3})?)<=(\\d{1,7}(\\.\\d{1,3})?)(us|ms|s)$";

    private static final Pattern TEXT = Pattern.compile(PATTERN);
    private static final double LEAST_MILLIS = 0.1;
    private static final double MOST_MILLIS = 600_000;

    /**
     * Parses a target.
     *
     * @throws WorkloadException if the text is invalid
     */
    public static LatencyTarget of(String text) {
        String objection = objection(text);
        if (objection != null) {
            throw new WorkloadException("target " + objection + ": target=" + text);
        }
        return parsed(text);
    }

    /** The reason why the text is invalid; null if it is valid. */
    static @Nullable String objection(String text) {
        if (!TEXT.matcher(text).matches()) {
            return "must be a percentile and a limit, such as p99<=100ms, worst p99<=0.5s or worst consumer p99<=0.5s";
        }
        LatencyTarget target = parsed(text);
        if (!(target.percentile > 0)) {
            return "must have a percentile above p0";
        }
        return target.limitMillis >= LEAST_MILLIS && target.limitMillis <= MOST_MILLIS
                ? null
                : "must have a limit from 100us to 600s";
    }

    private static LatencyTarget parsed(String text) {
        Matcher matcher = TEXT.matcher(text);
        if (!matcher.matches()) {
            throw new IllegalArgumentException(text);
        }
        double factor = switch (matcher.group(6)) {
            case "us" -> 1e-3;
            case "ms" -> 1;
            default -> 1e3;
        };
        return new LatencyTarget(
                Double.parseDouble(matcher.group(2)),
                Double.parseDouble(matcher.group(4)) * factor,
                Arrays.stream(Of.values())
                        .filter(of -> of.begin.equals(matcher.group(1) == null ? "" : matcher.group(1)))
                        .findFirst()
                        .orElseThrow());
    }

    /** The text form, as parsed by {@link #of}. */
    @Override
    public String toString() {
        return of.begin + "p" + number(percentile) + "<=" + number(limitMillis) + "ms";
    }

    private static String number(double value) {
        return value == Math.rint(value)
                ? Long.toString((long) value)
                : String.format(Locale.ROOT, "%.3f", value).replaceAll("0+$", "");
    }
}
