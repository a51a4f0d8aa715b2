package dev.weir.bench.result;

import java.util.ArrayList;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Treats each phase of a changed run as a separate run at a separate point. Stateless, thread-safe. */
public final class PhaseRuns {

    private static final Pattern ID = Pattern.compile("(.+)\\.phase-(\\d+)(-[a-z]+)?");

    private PhaseRuns() {}

    /**
     * The run that contains a phase, and the number of the phase.
     *
     * @param number the number of the phase in the run, from 1
     */
    record Origin(Run.Key run, int number) {}

    /** Returns the run that contains a phase, or null if the key belongs to an ordinary run. */
    static @Nullable Origin origin(Run.Key key) {
        Matcher phase = ID.matcher(key.point());
        return phase.matches()
                ? new Origin(new Run.Key(phase.group(1), key.driver(), key.round()), Integer.parseInt(phase.group(2)))
                : null;
    }

    /** Returns the ID of a run's point: the given ID without the suffix for a phase. */
    public static String pointOfRun(String pointId) {
        Matcher phase = ID.matcher(pointId);
        return phase.matches() ? phase.group(1) : pointId;
    }

    /**
     * Returns the phases of all runs at a point. Phases with the same number, settings and command belong to the same
     * point.
     */
    public static Map<Point, List<Run>> of(Point point, List<Run> runs) {
        Map<Map<String, String>, Point> points = new LinkedHashMap<>();
        Map<Integer, Integer> variants = new LinkedHashMap<>();
        Map<Point, List<Run>> phases = new LinkedHashMap<>();
        for (Run run : runs) {
            for (int i = 0; i < run.phases().size(); i++) {
                Phase phase = run.phases().get(i);
                Phase.Result result = phase.result();
                if (result == null) {
                    continue;
                }
                int number = i + 1;
                Point at = points.computeIfAbsent(
                        dimensions(point, number, phase),
                        dimensions -> new Point(
                                id(point, number, variants.merge(number, 1, Integer::sum)),
                                point.scenario(),
                                dimensions));
                phases.computeIfAbsent(at, each -> new ArrayList<>()).add(run(at, run, phase, result));
            }
        }
        return phases;
    }

    private static String id(Point point, int number, int variant) {
        String id = point.id() + ".phase-" + number;
        return variant == 1 ? id : id + "-" + letters(variant);
    }

    private static String letters(int number) {
        int before = (number - 1) / 26;
        return (before == 0 ? "" : letters(before)) + (char) ('a' + (number - 1) % 26);
    }

    private static Map<String, String> dimensions(Point point, int number, Phase phase) {
        Map<String, String> dimensions = new LinkedHashMap<>(point.dimensions());
        dimensions.put("phase", number + " (" + phase.begunBy() + ")");
        dimensions.put("producerRate", number(phase.producerRate()));
        dimensions.put("workMillis", number(phase.workMillis()));
        dimensions.put("consumers", String.valueOf(phase.consumers()));
        return dimensions;
    }

    private static String number(double figure) {
        return figure == Math.rint(figure) ? String.valueOf((long) figure) : String.valueOf(figure);
    }

    private static Run run(Point at, Run run, Phase phase, Phase.Result result) {
        Set<Flag> flags = EnumSet.noneOf(Flag.class);
        flags.addAll(result.flags());
        if (run.flags().contains(Flag.GUARANTEE_BROKEN)) {
            flags.add(Flag.GUARANTEE_BROKEN);
        }
        List<Interval> intervals = run.intervals().subList(result.fromInterval(), result.toInterval());
        long fromMillis = intervals.getFirst().startMillis();
        long toMillis = intervals.getLast().startMillis() + intervals.getLast().lengthMillis();
        return new Run(
                at.id(),
                run.driver(),
                run.round(),
                run.order(),
                run.seed(),
                run.startedAtMillis() + phase.fromMillis(),
                run.stoppedAtMillis(),
                0,
                intervals,
                result.totals(),
                run.ledger(),
                flags,
                null,
                List.of(),
                List.of(),
                run.disturbances().stream()
                        .filter(each -> each.fromMillis() >= fromMillis && each.fromMillis() < toMillis)
                        .toList());
    }
}
