package dev.weir.bench.statistics;

import dev.weir.bench.result.Flag;
import dev.weir.bench.result.Point;
import dev.weir.bench.result.ResultsFolder;
import dev.weir.bench.result.Run;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * A required ratio of two drivers in one metric, such as {@code weir rate >= 1.3 of plain}. At each point, the less
 * favourable end of the ratio's interval must meet the bound. Immutable, thread-safe.
 *
 * @param text the rule as the user wrote it
 * @param least whether the bound is the lowest allowed ratio; otherwise it is the highest
 */
public record Gate(String text, String driver, Metric metric, boolean least, double bound, String other) {

    private static final Pattern RULE = Pattern.compile("(\\S+)\\s+(\\S+)\\s+(>=|<=)\\s+(\\S+)\\s+of\\s+(\\S+)");

    /**
     * The outcome at a point.
     *
     * @param why the reason why the rule was not met; empty if it was met
     */
    public record Outcome(Point point, RatioInterval interval, boolean passed, String why) {}

    /**
     * Parses a rule.
     *
     * @throws IllegalArgumentException with the expected form, if the rule is invalid
     */
    public static Gate parse(String text) {
        Matcher rule = RULE.matcher(text.strip());
        if (!rule.matches()) {
            throw new IllegalArgumentException(
                    "not a rule: '" + text + "'; a rule is: DRIVER METRIC >=|<= NUMBER of DRIVER, for example"
                            + " 'weir rate >= 1.3 of plain'");
        }
        if (rule.group(1).equals(rule.group(5))) {
            throw new IllegalArgumentException("a rule compares two drivers: '" + text.strip() + "' names one");
        }
        return new Gate(
                text.strip(),
                rule.group(1),
                Metric.of(rule.group(2)),
                rule.group(3).equals(">="),
                number(rule.group(4)),
                rule.group(5));
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

    /**
     * Evaluates the rule at each point, using the finished runs.
     *
     * @throws IllegalArgumentException if one of the drivers is not in the campaign
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
        RatioInterval interval = Analysis.ratio(folder, point, driver, other, metric);
        String why = doubt(folder, point);
        if (why.isEmpty() && interval.rounds() < Analysis.MIN_ROUNDS) {
            why = interval.rounds() + " rounds have figures that may be quoted of both, it takes "
                    + Analysis.MIN_ROUNDS;
        }
        double judged = least ? interval.low() : interval.high();
        if (why.isEmpty() && (least ? judged < bound : judged > bound)) {
            why = String.format(Locale.ROOT, "the %s end of the interval is %.3f", least ? "lower" : "upper", judged);
        }
        return new Outcome(point, interval, why.isEmpty(), why);
    }

    /** The reason why the rule cannot be evaluated, for example missing runs; empty if it can. */
    private String doubt(ResultsFolder folder, Point point) {
        for (String name : List.of(driver, other)) {
            List<Run> runs = folder.runs().stream()
                    .filter(run ->
                            run.point().equals(point.id()) && run.driver().equals(name))
                    .toList();
            long failed = runs.stream()
                    .filter(run -> run.failure() != null || run.flags().contains(Flag.GUARANTEE_BROKEN))
                    .count();
            if (failed > 0) {
                return failed + " runs of " + name + " failed or broke its guarantee";
            }
            String changed = runs.stream()
                    .filter(run -> run.flags().contains(Flag.CHANGED))
                    .map(run -> run.key().fileName())
                    .collect(Collectors.joining(", "));
            if (!changed.isEmpty()) {
                return "runs of " + name + " were changed while they ran, so they are like no others: " + changed;
            }
            if (runs.size() < folder.campaign().rounds()) {
                return runs.size() + " of " + folder.campaign().rounds() + " runs of " + name + " are done";
            }
            long bounded = runs.stream()
                    .filter(run -> run.flags().contains(Flag.BROKER_BOUND))
                    .count();
            // The brokers limited this driver. Its true rate may be higher, which could break the rule.
            if (metric.dependsOnBrokers() && name.equals(least ? other : driver) && 2 * bounded >= runs.size()) {
                return "brokers held back " + name + " in " + bounded + " of " + runs.size() + " runs";
            }
        }
        return "";
    }
}
