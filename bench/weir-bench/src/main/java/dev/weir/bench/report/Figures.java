package dev.weir.bench.report;

import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** Formats numbers with three significant digits. Stateless, thread-safe. */
final class Figures {

    private Figures() {}

    static String of(@Nullable Double value) {
        if (value == null || Double.isNaN(value)) {
            return "-";
        }
        if (Double.isInfinite(value)) {
            return "inf";
        }
        double size = Math.abs(value);
        int decimals = size >= 100 ? 0 : size >= 10 ? 1 : size >= 1 ? 2 : size >= 0.1 ? 3 : 4;
        return size == 0 ? "0" : String.format(Locale.ROOT, "%,." + decimals + "f", value);
    }

    /** Prefixes a formatted figure with {@code >=} if it is a lower bound. */
    static String orMore(String figure, boolean isBound) {
        return isBound && !figure.equals("-") ? ">= " + figure : figure;
    }

    static String ofRatio(double value) {
        if (Double.isInfinite(value)) {
            return "inf";
        }
        String format = value < 0.01 ? "%.1e" : value < 0.1 ? "%.3f" : value < 100 ? "%.2f" : "%.0f";
        return String.format(Locale.ROOT, format, value);
    }
}
