package dev.weir.bench.statistics;

import dev.weir.bench.result.LatencyTags;
import dev.weir.bench.result.Point;
import dev.weir.bench.result.ResultsFolder;
import dev.weir.bench.result.Run;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * A demand on a campaign's figures, such as {@code weir rate >= 1.3 of plain}: the ratio of two drivers in one metric, held
 * at each point. It is judged on the end of the interval that is worse for the driver, so that luck does not pass it.
 * Immutable, thread-safe.
 *
 * @param text the rule as it was written
 * @param least whether the ratio must be at least the bound, or else at most
 */
public record Gate(String text, String driver, Metric metric, boolean least, double bound, String other) {

    private static final Pattern RULE = Pattern.compile("(\\S+)\\s+(\\S+)\\s+(>=|<=)\\s+(\\S+)\\s+of\\s+(\\S+)");

    /**
     * What became of it at a point.
     *
     * @param why empty if it was met
     */
    public record Outcome(Point point, RatioInterval interval, boolean passed, String why) {}

    /**
     * Reads a rule.
     *
     * @throws IllegalArgumentException if it is none, with what it should be
     */
    public static Gate parse(String text) {
        Matcher rule = RULE.matcher(text.strip());
        if (!rule.matches()) {
            throw new IllegalArgumentException(
                    "not a rule: '" + text + "'; a rule is: DRIVER METRIC >=|<= NUMBER of DRIVER, for example"
                            + " 'weir rate >= 1.3 of plain'");
        }
        return new Gate(
                text.strip(),
                rule.group(1),
                metric(rule.group(2)),
                rule.group(3).equals(">="),
                number(rule.group(4)),
                rule.group(5));
    }

    private static Metric metric(String name) {
        return Arrays.stream(Metric.values())
                .filter(metric -> label(metric).equals(name))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("no metric " + name + "; there are "
                        + Arrays.stream(Metric.values()).map(Gate::label).collect(Collectors.joining(", "))));
    }

    private static double number(String text) {
        try {
            double number = Double.parseDouble(text);
            if (number > 0 && number < Double.POSITIVE_INFINITY) {
                return number;
            }
        } catch (NumberFormatException e) {
            throw new IllegalArgumentException("not a number: " + text, e);
        }
        throw new IllegalArgumentException("a ratio is more than 0: " + text);
    }

    private static String label(Metric metric) {
        return metric.name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    /**
     * Judges the finished runs, point by point.
     *
     * @throws IllegalArgumentException if the campaign has not both drivers
     */
    public List<Outcome> judge(ResultsFolder folder) {
        Set<String> drivers = new TreeSet<>();
        folder.campaign().drivers().forEach(each -> drivers.add(each.name()));
        for (String named : List.of(driver, other)) {
            if (!drivers.contains(named)) {
                throw new IllegalArgumentException(
                        "no driver " + named + " in the campaign; there are " + String.join(", ", drivers));
            }
        }
        return folder.campaign().points().stream()
                .map(point -> judge(folder, point))
                .toList();
    }

    private Outcome judge(ResultsFolder folder, Point point) {
        RatioInterval interval = RatioInterval.ofPairs(
                figures(folder, point, driver), figures(folder, point, other), Analysis.CONFIDENCE);
        if (interval.rounds() < Analysis.MIN_ROUNDS) {
            return new Outcome(
                    point,
                    interval,
                    false,
                    interval.rounds() + " rounds have figures that may be quoted of both, it takes "
                            + Analysis.MIN_ROUNDS);
        }
        double judged = least ? interval.low() : interval.high();
        boolean passed = least ? judged >= bound : judged <= bound;
        String why = passed
                ? ""
                : String.format(Locale.ROOT, "the %s end of the interval is %.3f", least ? "lower" : "upper", judged);
        return new Outcome(point, interval, passed, why);
    }

    private double[] figures(ResultsFolder folder, Point point, String name) {
        double[] byRound = new double[folder.campaign().rounds()];
        Arrays.fill(byRound, Double.NaN);
        for (Run run : folder.runs()) {
            boolean counts = run.isValid() && run.round() < byRound.length;
            if (counts && run.point().equals(point.id()) && run.driver().equals(name)) {
                byRound[run.round()] = metric.of(run, LatencyTags.merge(folder.latencyIntervals(run.key())));
            }
        }
        return byRound;
    }
}
