package dev.weir.metrics;

import java.util.Locale;

/** Formats numbers for use in sentences. Stateless. */
final class Words {

    private Words() {}

    static String percent(double share) {
        return String.format(Locale.ROOT, "%.0f %%", 100 * share);
    }

    static String number(double value) {
        return value >= 10 ? String.format(Locale.ROOT, "%,.0f", value) : String.format(Locale.ROOT, "%.1f", value);
    }

    static String count(long value) {
        return String.format(Locale.ROOT, "%,d", value);
    }
}
