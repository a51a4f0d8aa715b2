package dev.weir.bench.live;

import dev.weir.command.terminal.DurationConverter;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.time.Duration;
import java.util.Locale;

/**
 * Parses and formats durations, such as {@code 500us}, {@code 5ms}, {@code 1.5s}, {@code 5m} or {@code 1h}. Stateless.
 */
final class Spans {

    private Spans() {}

    /**
     * Returns the milliseconds of a duration. The text {@code 0} needs no unit.
     *
     * @throws IllegalArgumentException if the text is invalid, or if the duration is not between {@code least} and
     *     {@code most}; the message names {@code key}
     */
    static double millis(String key, String text, double least, double most) {
        Duration span = text.equals("0") ? Duration.ZERO : DurationConverter.parse(text);
        if (span == null) {
            throw new IllegalArgumentException(
                    key + " must be a time such as 500us, 5ms, 1.5s, 5m or 1h: " + key + "=" + text);
        }
        double millis = span.toNanos() / 1e6;
        if (!(millis >= least && millis <= most)) {
            throw new IllegalArgumentException(
                    key + " must be from " + text(least) + " to " + text(most) + ": " + key + "=" + text);
        }
        return millis;
    }

    /** Returns the seconds with as many decimal places as they need, but at least three, such as {@code 0.0015s}. */
    static String exact(double millis) {
        BigDecimal seconds = BigDecimal.valueOf(millis)
                .movePointLeft(3)
                .setScale(9, RoundingMode.HALF_UP)
                .stripTrailingZeros();
        return seconds.setScale(Math.max(3, seconds.scale())).toPlainString() + "s";
    }

    /** Returns the seconds with three decimal places, such as {@code 30.012s}, for measured times. */
    static String text(double millis) {
        return String.format(Locale.ROOT, "%.3fs", millis / 1e3);
    }
}
