package dev.weir.metrics;

/** Figures as sentences have them. Without {@code String.format}: they are made anew each second. */
final class Words {

    private static final int GROUP = 1000;

    private Words() {}

    static String percent(double share) {
        double percent = 100 * share;
        return (Double.isFinite(percent) ? Long.toString(Math.round(percent)) : Double.toString(percent)) + " %";
    }

    static String number(double value) {
        return value >= 10 ? whole(value) : tenths(value);
    }

    static String count(long value) {
        return value > -GROUP && value < GROUP
                ? Long.toString(value)
                : count(value / GROUP) + "," + group(value % GROUP);
    }

    /** With one digit after the point. */
    static String tenths(double value) {
        if (!Double.isFinite(value)) {
            return Double.toString(value);
        }
        long tenths = Math.round(Math.abs(value) * 10);
        return (value < 0 && tenths > 0 ? "-" : "") + tenths / 10 + "." + tenths % 10;
    }

    private static String whole(double value) {
        return Double.isFinite(value) ? count(Math.round(value)) : Double.toString(value);
    }

    private static String group(long value) {
        String digits = Long.toString(Math.abs(value));
        return "0".repeat(3 - digits.length()) + digits;
    }
}
